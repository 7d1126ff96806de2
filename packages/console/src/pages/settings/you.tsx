/** Who one is here: the credential that asks, what it may, and the way out. */
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { useSession } from '../../api/queries.ts';
import { store } from '../../api/store.ts';
import { Button } from '../../components/button.tsx';
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { inviterInWords } from '../../format/inviter.ts';
import { Section } from '../../layout/page.tsx';
import { ChoosePublicName } from '../public-name/choose.tsx';
import { Passkeys } from './passkeys.tsx';
import { ROLE_IN_WORDS, ROLE_WORD } from './roles.ts';

export function You() {
  const session = useSession();
  const { kind, name, email, public_name, role, organizations, expires_at } = session;
  const [choosing, setChoosing] = useState(false);
  const [leaving, setLeaving] = useState(false);
  return (
    <>
      <Section
        title="You"
        beside={
          kind === 'person' && (
            <Button small kind="quiet" onClick={() => setLeaving(true)}>
              Sign out everywhere
            </Button>
          )
        }
      >
        <div className="panel">
          <DescriptionList>
            <Description label={kind === 'person' ? 'Signed in as' : 'API key'}>{email ?? name}</Description>
            {kind === 'person' && (
              <Description label="Public name">
                <span className="public-name">
                  <span className="two-lines">
                    <span>{public_name ?? <span className="muted">Not chosen yet</span>}</span>
                    <small>Receipts show it, in public, beside what you approve or decide</small>
                  </span>
                  <Button small onClick={() => setChoosing(true)}>
                    {public_name === null ? 'Choose' : 'Change'}
                  </Button>
                </span>
              </Description>
            )}
            <Description label="Role">
              <span className="two-lines">
                <span>{ROLE_WORD[role]}</span>
                <small>{ROLE_IN_WORDS[role]}</small>
              </span>
            </Description>
            {organizations.length > 1 && (
              <Description label="Member of">
                {organizations.map((each) => (
                  <span key={each.id} className="two-lines">
                    <span>{each.name}</span>
                    <small>
                      {each.id}, invited by {inviterInWords(each.invited_by ?? '')}
                    </small>
                  </span>
                ))}
              </Description>
            )}
            {expires_at !== null && (
              <Description label="Session ends">
                <Timestamp at={expires_at} />, and later while you keep working
              </Description>
            )}
          </DescriptionList>
        </div>
        {choosing && <ChoosePublicName session={session} onClose={() => setChoosing(false)} />}
        {leaving && <SignOutEverywhere onClose={() => setLeaving(false)} />}
      </Section>
      {kind === 'person' && <Passkeys />}
    </>
  );
}

function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const act = useIdempotentMutation(ledger.signOutEverywhere, {
    onSuccess() {
      store.clear();
      location.assign('/sign-in');
    },
  });
  return (
    <Confirm
      title="Sign out everywhere?"
      action="Sign out everywhere"
      kind="danger"
      mutation={act}
      onConfirm={() => act.mutate(undefined)}
      onClose={onClose}
    >
      <p>Every browser you are signed in with, this one too, has to sign in again. API keys are not touched.</p>
    </Confirm>
  );
}
