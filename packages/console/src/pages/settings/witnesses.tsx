/** Who cosigns what this organization signs, how far each has come, and what is wrong. */
import type { Witness } from '@rcpt/contract/ledger/witnesses.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { errorAt } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { AwayLink, Button } from '../../components/button.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/field.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { PanelSkeleton } from '../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Page, Section } from '../../layout/page.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { toast } from '../../layout/toasts.tsx';
import { Shown } from '../../shown/shown.ts';
import { witnessesQuery } from './queries.ts';
import { LOG_WORD, receiptsOf, StateOf } from './witness-state.tsx';
import './settings.css';

export function Witnesses() {
  const disabledReason = deniedReason(useSession().role, 'administer');
  const witnesses = useQuery(witnessesQuery);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Witness | null>(null);
  const add = () => setAdding(disabledReason === null);
  useShortcuts({ c: { does: 'Add a witness', run: add } });
  const button = (
    <Button kind="primary" icon="plus" disabledReason={disabledReason} onClick={add}>
      Add a witness
    </Button>
  );
  return (
    <Page
      title="Witnesses"
      narrow
      lead="Other parties who cosign each checkpoint if it continues the last one they saw. What they have seen cannot be cut off or rewritten unnoticed."
      actions={button}
    >
      <QueryBoundary query={witnesses} skeleton={<PanelSkeleton rows={2} />}>
        {(all) =>
          all.length === 0 ? (
            <div className="panel">
              <EmptyState icon="shield" title="Nobody cosigns yet">
                <p>
                  Ask an auditor or a customer to run <code>./rcpt witness</code>, or a witness of the public network,
                  and add its address and key here.
                </p>
                {button}
              </EmptyState>
            </div>
          ) : (
            <List witnesses={all} disabledReason={disabledReason} onRemove={setRemoving} />
          )
        }
      </QueryBoundary>
      {adding && <Add onClose={() => setAdding(false)} />}
      {removing && <Remove witness={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

interface ListProps {
  witnesses: readonly Witness[];
  disabledReason: string | null;
  onRemove: (witness: Witness) => void;
}

function List({ witnesses, disabledReason, onRemove }: ListProps) {
  return (
    <>
      <Table
        label="Witnesses"
        columns={[
          { label: 'Witness' },
          { label: 'Receipts' },
          { label: 'Activity' },
          { label: 'Actions', unseen: true, kind: 'least' },
        ]}
      >
        {witnesses.map((witness) => {
          const [receipts, activity] = [receiptsOf(witness), witness.logs.find(({ log }) => log === 'activity')];
          return (
            <Row key={witness.id}>
              <HeadCell below={<Shown text={witness.url} />}>{witness.name}</HeadCell>
              <Cell>{receipts && <StateOf log={receipts} />}</Cell>
              <Cell>{activity && <StateOf log={activity} />}</Cell>
              <Cell kind="least">
                <Button
                  small
                  kind="quiet"
                  disabledReason={disabledReason}
                  aria-label={`Remove ${witness.name}`}
                  onClick={() => onRemove(witness)}
                >
                  Remove
                </Button>
              </Cell>
            </Row>
          );
        })}
      </Table>
      <Faults witnesses={witnesses} />
      <Section title="For those who verify">
        <p>
          A policy names the keys that sign and the witnesses that have to cosign. Send it to your readers by another
          way than through this ledger; they keep it and pass it to <code>./rcpt verify --policy</code>.
        </p>
        <p className="under-table">
          <AwayLink icon="download" href="/ledger/policy" download="policy.txt">
            Policy
          </AwayLink>
        </p>
      </Section>
    </>
  );
}

/** What keeps a witness from cosigning, in its own words and ours. */
function Faults({ witnesses }: { witnesses: readonly Witness[] }) {
  const faults = witnesses.flatMap((witness) => {
    const wrong = witness.logs.filter(({ reason }) => reason !== null);
    // One reason for both logs is said once.
    return [...Map.groupBy(wrong, ({ reason }) => reason!)].map(([reason, logs]) => ({ witness, reason, logs }));
  });
  if (faults.length === 0) return null;
  return (
    <ul className="witness-faults" aria-label="What is wrong">
      {faults.map(({ witness, reason, logs }) => (
        <li key={`${witness.id} ${reason}`} className="panel">
          <strong>
            <Shown text={witness.name} />: {logs.map(({ log }) => LOG_WORD[log]).join(', ')}
          </strong>
          <p>
            <Shown text={reason} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const act = useIdempotentMutation(ledger.addWitness, {
    onSuccess({ name }) {
      void cache.invalidateQueries({ queryKey: witnessesQuery.queryKey });
      toast(`${name} is asked from now on`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Add a witness"
      action="Add"
      mutation={act}
      disabledReason={url.trim() === '' || key.trim() === '' ? 'Its address and its key are needed.' : null}
      onSend={() => act.mutate({ url: url.trim(), key: key.trim() })}
      onClose={onClose}
    >
      <TextField
        label="Address"
        mono
        value={url}
        maxLength={500}
        placeholder="https://witness.example.org"
        hint="What is called is this address and /add-checkpoint."
        error={errorAt(act.error, 'url')}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="Verifier key"
        mono
        value={key}
        maxLength={500}
        placeholder="witness.example.org/w1+…+…"
        hint="The witness prints it. Take it from its operator, not from the address."
        error={errorAt(act.error, 'key')}
        onChange={(event) => setKey(event.target.value)}
      />
      <p className="field-hint">
        Its operator needs the keys of both logs: <code>GET /ledger/key</code> and <code>GET /activity/key</code>.
      </p>
    </FormDialog>
  );
}

function Remove({ witness, onClose }: { witness: Witness; onClose: () => void }) {
  const cache = useQueryClient();
  const act = useIdempotentMutation(ledger.removeWitness, {
    onSuccess() {
      void cache.invalidateQueries({ queryKey: witnessesQuery.queryKey });
      toast(`${witness.name} removed`);
      onClose();
    },
  });
  const contradicts = witness.logs.some(({ state }) => state === 'contradicted');
  return (
    <Confirm
      title={`Remove ${witness.name}?`}
      action="Remove witness"
      kind="danger"
      mutation={act}
      onConfirm={() => act.mutate(witness.id)}
      onClose={onClose}
    >
      <p>
        It is asked no more, and its cosignatures are served no more. Proofs that somebody has keep theirs, and a policy
        that asks for it is not met by new ones.
      </p>
      {contradicts && (
        <p>
          <strong>This witness says that what is stored here is not what it has seen.</strong> Find out why first: it is
          the only one who says so.
        </p>
      )}
    </Confirm>
  );
}
