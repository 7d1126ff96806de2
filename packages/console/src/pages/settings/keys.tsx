/** The credentials of programs: who may what, and since when. */
import type { Key } from '@rcpt/contract/ledger/tenancy.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { PanelSkeleton } from '../../components/skeleton.tsx';
import { Cell, type Column, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { count } from '../../format/numbers.ts';
import { deniedReason } from '../../format/permissions.ts';
import { Page } from '../../layout/page.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { toast } from '../../layout/toasts.tsx';
import { NewKey } from './new-key.tsx';
import { OwnersOnly } from './owners-only.tsx';
import { keysQuery } from './queries.ts';
import { ROLE_IN_SHORT, ROLE_WORD } from './roles.ts';
import './settings.css';

const COLUMNS: readonly Column[] = [{ label: 'Key' }, { label: 'Role' }, { label: 'Created', kind: 'wide' }];

export function Keys() {
  const disabledReason = deniedReason(useSession().role, 'administer');
  const [creating, setCreating] = useState(false);
  const create = () => setCreating(disabledReason === null);
  useShortcuts({ c: { does: 'Create a key', run: create } });
  return (
    <Page
      title="API keys"
      narrow
      lead="Programs and agents sign their calls with a key. Each has one role; people sign in by mail instead."
      actions={
        <Button kind="primary" icon="plus" disabledReason={disabledReason} onClick={create}>
          New key
        </Button>
      }
    >
      {disabledReason === null ? <KeyList onCreate={create} /> : <OwnersOnly icon="key" what="API keys" />}
      {creating && <NewKey onClose={() => setCreating(false)} />}
    </Page>
  );
}

function KeyList({ onCreate }: { onCreate: () => void }) {
  const keys = useQuery(keysQuery);
  const [revoking, setRevoking] = useState<Key | null>(null);
  return (
    <>
      <QueryBoundary query={keys} skeleton={<PanelSkeleton rows={4} />}>
        {(all) => {
          const live = all.filter(({ revoked_at }) => revoked_at === null).toReversed();
          const revoked = all.filter(({ revoked_at }) => revoked_at !== null).toReversed();
          return (
            <>
              {live.length === 0 ? <NoKeys onCreate={onCreate} /> : <LiveKeys keys={live} onRevoke={setRevoking} />}
              {revoked.length > 0 && <RevokedKeys keys={revoked} />}
            </>
          );
        }}
      </QueryBoundary>
      {revoking && <Revoke revoking={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <div className="panel">
      <EmptyState icon="key" title="No keys yet">
        <p>A program needs a key to open Runs here. Begin with one in the role of an agent.</p>
        <Button kind="primary" icon="plus" onClick={onCreate}>
          New key
        </Button>
      </EmptyState>
    </div>
  );
}

function LiveKeys({ keys, onRevoke }: { keys: readonly Key[]; onRevoke: (key: Key) => void }) {
  return (
    <Table label="API keys" columns={[...COLUMNS, { label: 'Actions', unseen: true, kind: 'least' }]}>
      {keys.map((key) => (
        <Row key={key.id}>
          <KeyCells of={key} />
          <Cell kind="least">
            <Button small kind="quiet" aria-label={`Revoke ${nameOf(key)}`} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function RevokedKeys({ keys }: { keys: readonly Key[] }) {
  return (
    <details className="revoked">
      <summary>{count(keys.length, 'revoked key')}</summary>
      <Table label="Revoked keys" columns={[...COLUMNS, { label: 'Revoked', kind: 'least' }]}>
        {keys.map((key) => (
          <Row key={key.id}>
            <KeyCells of={key} />
            <Cell kind="least">{key.revoked_at && <Timestamp at={key.revoked_at} />}</Cell>
          </Row>
        ))}
      </Table>
    </details>
  );
}

function KeyCells({ of: key }: { of: Key }) {
  return (
    <>
      <HeadCell below={<code>{key.id}</code>}>{nameOf(key)}</HeadCell>
      <Cell>
        <span className="two-lines">
          <span>{ROLE_WORD[key.role]}</span>
          <small>{ROLE_IN_SHORT[key.role]}</small>
        </span>
      </Cell>
      <Cell kind="wide">
        <Timestamp at={key.created_at} />
      </Cell>
    </>
  );
}

function Revoke({ revoking, onClose }: { revoking: Key; onClose: () => void }) {
  const cache = useQueryClient();
  const name = nameOf(revoking);
  const act = useIdempotentMutation(ledger.revokeKey, {
    onSuccess() {
      void cache.invalidateQueries({ queryKey: keysQuery.queryKey });
      toast(`${name} revoked`);
      onClose();
    },
  });
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action="Revoke key"
      kind="danger"
      mutation={act}
      onConfirm={() => act.mutate(revoking.id)}
      onClose={onClose}
    >
      <p>
        Whatever uses this key is refused everywhere within five seconds. What it did stays as it is and keeps its name.
      </p>
      <p>This cannot be undone; a new key takes its place.</p>
    </Confirm>
  );
}

function nameOf({ label, role }: Key): string {
  return label || `Unnamed ${role} key`;
}
