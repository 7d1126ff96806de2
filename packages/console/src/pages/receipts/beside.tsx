/** What stands beside a receipt: what its link shows, chosen here, and what is erased for good. */
import type { Beside } from '@rcpt/contract/ledger/disclosures.ts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { labelOfPath } from '../../format/path-label.ts';
import { deniedReason } from '../../format/permissions.ts';
import { Section } from '../../layout/page.tsx';
import { toast } from '../../layout/toasts.tsx';
import { Erase } from './erase.tsx';
import './beside.css';

const besideQuery = (receipt_id: string) =>
  queryOptions({
    queryKey: KEYS.disclosures(receipt_id),
    queryFn: async ({ signal }) => (await ledger.listDisclosures(receipt_id, signal)).disclosures,
  });

interface BesideProps {
  receipt_id: string;
  /** The labels of its evidence. */
  evidence: readonly string[];
}

export function BesideReceipt({ receipt_id, evidence }: BesideProps) {
  const beside = useQuery(besideQuery(receipt_id));
  if (beside.data?.length === 0) return null;
  return (
    <Section title="Beside this receipt">
      <QueryBoundary query={beside} skeleton={<Skeleton height="8rem" />}>
        {(list) => <Choice receipt_id={receipt_id} evidence={evidence} list={list} />}
      </QueryBoundary>
    </Section>
  );
}

function Choice({ receipt_id, evidence, list }: BesideProps & { list: Beside[] }) {
  const { role } = useSession();
  const store = useQueryClient();
  const shown = list.filter(({ state }) => state === 'disclosed').map(({ path }) => path);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const [erasing, setErasing] = useState<string | null>(null);
  const wanted = chosen ?? shown;
  const change = useIdempotentMutation((disclosed: string[]) => ledger.disclose(receipt_id, disclosed), {
    onSuccess({ disclosures }) {
      store.setQueryData(KEYS.disclosures(receipt_id), disclosures);
      setChosen(null);
      toast('The link shows what you chose');
    },
  });
  const denied = deniedReason(role, 'approve');
  const same = wanted.length === shown.length && wanted.every((path) => shown.includes(path));
  return (
    <div className="beside">
      <p className="muted">
        The receipt holds a digest or a hash of each, not the thing itself. The share link shows what is ticked; whoever
        opens it can check that it matches.
      </p>
      <ul>
        {list.map((item) => (
          <li key={item.path}>
            {item.state === 'erased' ? (
              <ErasedItem item={item} evidence={evidence} />
            ) : (
              <>
                <label className="check-field">
                  <input
                    type="checkbox"
                    checked={wanted.includes(item.path)}
                    disabled={denied !== null}
                    onChange={(event) =>
                      setChosen(
                        event.target.checked ? [...wanted, item.path] : wanted.filter((path) => path !== item.path),
                      )
                    }
                  />
                  <Named path={item.path} evidence={evidence} />
                </label>
                <Button
                  small
                  kind="danger"
                  disabledReason={deniedReason(role, 'administer')}
                  onClick={() => setErasing(item.path)}
                >
                  Erase
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {change.error ? <Problem error={change.error} /> : null}
      {list.some(({ state }) => state !== 'erased') && (
        <Button
          small
          busy={change.isPending}
          disabledReason={denied ?? (same ? 'The link shows this already.' : null)}
          onClick={() => change.mutate([...wanted])}
        >
          Save what the link shows
        </Button>
      )}
      {erasing !== null && <Erase receipt_id={receipt_id} path={erasing} onClose={() => setErasing(null)} />}
    </div>
  );
}

/** What it is called, and its path. */
function Named({ path, evidence }: { path: string; evidence: readonly string[] }) {
  return (
    <span>
      {labelOfPath(path, evidence)} <code className="muted">{path}</code>
    </span>
  );
}

function ErasedItem({ item: { path, erased_at, reason }, evidence }: { item: Beside; evidence: readonly string[] }) {
  return (
    <div>
      <Named path={path} evidence={evidence} />
      <p className="muted">
        Erased {erased_at && <Timestamp at={erased_at} />}, because: {reason}
      </p>
    </div>
  );
}
