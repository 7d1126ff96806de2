/** The organization itself: its name, the rule of four eyes, and what one quotes to support. */

import type { Organization } from '@rcpt/contract/ledger/tenancy.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { errorAt } from '../../api/problem.ts';
import { sessionQuery, useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Switch, TextField } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Page, Section } from '../../layout/page.tsx';
import { toast } from '../../layout/toasts.tsx';
import { PasskeyApprovalsSetting } from './passkey-approvals.tsx';
import { verifierKeysQuery } from './queries.ts';
import { Storage } from './storage.tsx';
import { You } from './you.tsx';
import './settings.css';

export function OrganizationSettings() {
  const { organization, role } = useSession();
  const disabledReason = deniedReason(role, 'administer');
  return (
    <Page
      title="Organization"
      narrow
      lead="What holds for everybody who works here. Every receipt bears this organization’s id."
    >
      <Section title="General">
        <div className="panel setting">
          <Name key={organization.name} organization={organization} disabledReason={disabledReason} />
          <DescriptionList>
            <Description label="Organization id">
              <Hash value={organization.id} what="Organization id" />
            </Description>
            <VerifierKeys />
            <Description label="Founded">
              <Timestamp at={organization.created_at} />
            </Description>
          </DescriptionList>
        </div>
      </Section>
      <Section title="Approval">
        <div className="panel setting">
          <FourEyes organization={organization} disabledReason={disabledReason} />
          <SignedApprovals organization={organization} disabledReason={disabledReason} />
        </div>
      </Section>
      <Section title="Storage">
        <div className="panel setting">
          <Storage />
        </div>
      </Section>
      <You />
    </Page>
  );
}

/** What readers verify its receipts with. */
function VerifierKeys() {
  const { data } = useQuery(verifierKeysQuery);
  if (data === undefined) return null;
  return (
    <Description label={data.length === 1 ? 'Verifier key' : 'Verifier keys'}>
      {data.map((line) => (
        <Hash key={line} value={line} what="Verifier key" />
      ))}
    </Description>
  );
}

interface Part {
  organization: Organization;
  disabledReason: string | null;
}

function Name({ organization, disabledReason }: Part) {
  const [name, setName] = useState(organization.name);
  const act = useChange('Name saved');
  const changed = name.trim() !== organization.name && name.trim() !== '';
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (changed && disabledReason === null && !act.isPending) act.mutate({ name: name.trim() });
      }}
    >
      <div className="inline-form">
        <TextField
          label="Name"
          value={name}
          maxLength={500}
          readOnly={disabledReason !== null}
          hint={disabledReason ?? 'Stands on receipts minted from now on; minted ones keep the name they have.'}
          error={errorAt(act.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        {changed && (
          <Button kind="primary" type="submit" busy={act.isPending}>
            Save
          </Button>
        )}
      </div>
      {act.error && <Problem error={act.error} />}
    </form>
  );
}

function FourEyes({ organization, disabledReason }: Part) {
  const [ending, setEnding] = useState(false);
  const act = useChange(organization.four_eyes ? 'One may approve alone again' : 'Four eyes from now on');
  const on = act.isPending ? (act.variables.four_eyes ?? organization.four_eyes) : organization.four_eyes;
  return (
    <>
      <Switch
        label="Four eyes"
        on={on}
        disabledReason={disabledReason}
        hint="Whoever posted the work of a Run can neither decide its open checks nor approve it: somebody else has to look. Without it, one person or key may do both."
        onChange={(four_eyes) => (four_eyes ? act.mutate({ four_eyes }) : setEnding(true))}
      />
      {act.error && !ending ? <Problem error={act.error} /> : null}
      {ending && (
        <Confirm
          title="Let one approve alone?"
          action="Switch off"
          kind="danger"
          mutation={act}
          onConfirm={() => act.mutate({ four_eyes: false }, { onSuccess: () => setEnding(false) })}
          onClose={() => setEnding(false)}
        >
          <p>
            From now on whoever posts the work of a Run may also approve it and mint its receipt. Receipts that exist
            stay as they are.
          </p>
        </Confirm>
      )}
    </>
  );
}

function SignedApprovals(part: Part) {
  return <PasskeyApprovalsSetting {...part} act={useChange('Saved')} />;
}

function useChange(words: string) {
  const cache = useQueryClient();
  return useIdempotentMutation(ledger.changeOrganization, {
    onSuccess(organization) {
      cache.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, organization });
      void cache.invalidateQueries({ queryKey: KEYS.session });
      toast(words);
    },
  });
}
