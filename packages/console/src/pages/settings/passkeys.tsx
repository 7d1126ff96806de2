/** One's own passkeys: with which approvals are signed, in this organization alone. */
import type { Passkey } from '@rcpt/contract/ledger/passkeys.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { makePasskey, whyNoPasskeysHere } from '../../api/passkeys.ts';
import { errorAt } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { PanelSkeleton } from '../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { Section } from '../../layout/page.tsx';
import { toast } from '../../layout/toasts.tsx';
import { passkeysQuery } from './queries.ts';

type Doing = { what: 'add' } | { what: 'rename' | 'remove'; passkey: Passkey } | null;

export function Passkeys() {
  const { organization } = useSession();
  const passkeys = useQuery(passkeysQuery);
  const [doing, setDoing] = useState<Doing>(null);
  const close = () => setDoing(null);
  const refusal = whyNoPasskeysHere();
  return (
    <Section
      title="Your passkeys"
      beside={
        <Button
          small
          icon="plus"
          disabledReason={refusal && 'Passkeys do not work at this address.'}
          onClick={() => setDoing({ what: 'add' })}
        >
          Add a passkey
        </Button>
      }
    >
      {refusal && <p className="passkey-words">{refusal}</p>}
      <QueryBoundary query={passkeys} skeleton={<PanelSkeleton rows={2} />}>
        {(all) => (all.length === 0 ? <None /> : <PasskeyTable passkeys={all} onDo={setDoing} />)}
      </QueryBoundary>
      <p className="muted passkey-words">
        A passkey signs what you approve in {organization.name}, and nothing else. Who enrolled which, and when, stands
        in the organization’s activity. If you lose a device, remove its passkey here and add another: what it signed
        stays signed.
      </p>
      {doing?.what === 'add' && <Add onClose={close} />}
      {doing?.what === 'rename' && <Rename passkey={doing.passkey} onClose={close} />}
      {doing?.what === 'remove' && <Remove passkey={doing.passkey} onClose={close} />}
    </Section>
  );
}

function None() {
  return (
    <div className="panel">
      <p>
        You have none here yet. With one, your approvals are signed by your phone, computer or security key, after your
        fingerprint, face or PIN: whoever runs this ledger could not sign in your place.
      </p>
    </div>
  );
}

function PasskeyTable({ passkeys, onDo }: { passkeys: readonly Passkey[]; onDo: (doing: Doing) => void }) {
  return (
    <Table
      label="Your passkeys"
      columns={[
        { label: 'Passkey' },
        { label: 'Last used' },
        { label: 'Added', kind: 'wide' },
        { label: 'Actions', unseen: true, kind: 'least' },
      ]}
    >
      {passkeys.map((passkey) => (
        <Row key={passkey.id}>
          <HeadCell below={passkey.algorithm}>{passkey.name}</HeadCell>
          <Cell>{passkey.last_used_at === null ? 'Never' : <Timestamp at={passkey.last_used_at} />}</Cell>
          <Cell kind="wide">
            <Timestamp at={passkey.created_at} />
          </Cell>
          <Cell kind="least">
            <Button
              small
              kind="quiet"
              aria-label={`Rename ${passkey.name}`}
              onClick={() => onDo({ what: 'rename', passkey })}
            >
              Rename
            </Button>
            <Button
              small
              kind="quiet"
              aria-label={`Remove ${passkey.name}`}
              onClick={() => onDo({ what: 'remove', passkey })}
            >
              Remove
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const afterwards = useAfterwards(onClose);
  const [name, setName] = useState('');
  const act = useIdempotentMutation(
    async (given: string) => {
      const made = await makePasskey(await ledger.passkeyOptions());
      return ledger.enrolPasskey({ ...made, ...(given !== '' && { name: given }) });
    },
    { onSuccess: (passkey) => afterwards(`${passkey.name} added`) },
  );
  return (
    <FormDialog
      title="Add a passkey"
      action="Continue"
      mutation={act}
      onSend={() => act.mutate(name.trim())}
      onClose={onClose}
    >
      <p className="muted">
        Your browser asks where to keep it, and for your fingerprint, face or PIN. The private key never comes here.
      </p>
      <TextField
        label="Name"
        optional
        value={name}
        maxLength={100}
        placeholder="Work laptop"
        hint="For you, to tell your passkeys apart. The organization’s activity keeps it."
        error={errorAt(act.error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const afterwards = useAfterwards(onClose);
  const [name, setName] = useState(passkey.name);
  const act = useIdempotentMutation(ledger.renamePasskey, { onSuccess: () => afterwards('Name saved') });
  return (
    <FormDialog
      title="Rename the passkey"
      action="Save"
      mutation={act}
      onSend={() => act.mutate({ id: passkey.id, name: name.trim() })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        value={name}
        maxLength={100}
        error={errorAt(act.error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function Remove({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const afterwards = useAfterwards(onClose);
  const act = useIdempotentMutation(ledger.removePasskey, { onSuccess: ({ name }) => afterwards(`${name} removed`) });
  return (
    <Confirm
      title={`Remove ${passkey.name}?`}
      action="Remove passkey"
      kind="danger"
      mutation={act}
      onConfirm={() => act.mutate(passkey.id)}
      onClose={onClose}
    >
      <p>It signs no approval here from now on, and cannot be added again. What it signed stays signed.</p>
      <p>Your device may still list it: delete it there, too.</p>
    </Confirm>
  );
}

function useAfterwards(onClose: () => void): (words: string) => void {
  const cache = useQueryClient();
  return (words) => {
    void cache.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    toast(words);
    onClose();
  };
}
