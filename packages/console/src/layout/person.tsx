/** As whom one is here: the organization one works in, and the person or key that asks. */
import type { Session } from '@rcpt/contract/ledger/people.ts';
import { useState } from 'react';
import { ledger } from '../api/clients.ts';
import { useIdempotentMutation } from '../api/idempotent-mutation.ts';
import { KEYS } from '../api/keys.ts';
import { problemOf } from '../api/problem.ts';
import type { WorkingSession } from '../api/queries.ts';
import { store } from '../api/store.ts';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { exact } from '../format/instant.ts';
import { inviterInWords } from '../format/inviter.ts';
import { sentence } from '../format/vocabulary.ts';
import { ChoosePublicName } from '../pages/public-name/choose.tsx';
import { showKeyboardHelp } from './keyboard-help.tsx';
import { chooseTheme, THEMES, useTheme } from './theme.ts';
import { toast } from './toasts.tsx';

export function OrganizationMenu({ session }: { session: WorkingSession }) {
  const change = useIdempotentMutation((organization_id: string) => ledger.changeSession({ organization_id }), {
    onSuccess(next) {
      // Nothing of the organization before stays on the page.
      store.clear();
      store.setQueryData(KEYS.session, next);
      location.assign('/');
    },
    onError: (error) => toast(problemOf(error).detail, 'bad'),
  });
  const { organization, organizations } = session;
  const name = (
    <>
      <span className="seal" aria-hidden="true">
        {initialOf(organization.name)}
      </span>
      <span className="organization-name">{organization.name}</span>
    </>
  );
  if (organizations.length < 2) return <div className="organization">{name}</div>;
  return (
    <Menu
      label={`Organization: ${organization.name}`}
      named
      className="organization"
      groups={[
        organizations.map(({ id, name: called, role, invited_by = '', invited_at = '' }) => ({
          label: called,
          detail: `${role}, invited by ${inviterInWords(invited_by)}, ${exact(invited_at)} · ${id}`,
          chosen: id === organization.id,
          onSelect: () => id !== organization.id && change.mutate(id),
        })),
      ]}
    >
      {name}
      <Icon name="upDown" />
    </Menu>
  );
}

export function PersonMenu({ session }: { session: Session }) {
  const theme = useTheme();
  const leave = useIdempotentMutation(
    (everywhere: boolean) => (everywhere ? ledger.signOutEverywhere() : ledger.signOut()),
    {
      onSuccess() {
        store.clear();
        location.assign('/sign-in');
      },
      onError: (error) => toast(problemOf(error).detail, 'bad'),
    },
  );
  const [naming, setNaming] = useState(false);
  const nameMine = {
    label: 'Public name',
    detail: session.public_name ?? 'not chosen',
    onSelect: () => setNaming(true),
  };
  const signOut = [
    { label: 'Sign out', icon: 'out' as const, onSelect: () => leave.mutate(false) },
    { label: 'Sign out everywhere', icon: 'out' as const, onSelect: () => leave.mutate(true) },
  ];
  return (
    <>
      {naming && <ChoosePublicName session={session} onClose={() => setNaming(false)} />}
      <Menu
        label={[session.name, session.role].filter(Boolean).join(', ')}
        named
        className="person"
        side="above"
        groups={[
          THEMES.map((each) => ({
            label: `${sentence(each)} theme`,
            chosen: theme === each,
            onSelect: () => chooseTheme(each),
          })),
          [{ label: 'Keyboard shortcuts', detail: 'or press ?', onSelect: showKeyboardHelp }],
          ...(session.kind === 'person' ? [[nameMine], signOut] : []),
        ]}
      >
        <span className="face" aria-hidden="true">
          {initialOf(session.name)}
        </span>
        <span className="person-words">
          <span>{session.name}</span>
          <small>{session.role}</small>
        </span>
        <Icon name="upDown" />
      </Menu>
    </>
  );
}

function initialOf(name: string): string {
  return (Array.from(name.trim())[0] ?? '·').toUpperCase();
}
