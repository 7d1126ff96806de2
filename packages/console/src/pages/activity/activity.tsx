/** What the administrators of the organization did, newest first: for its owners and auditors. */
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import { ACTIVITY_KINDS, type ActivityKind } from '@rcpt/contract/activity-kinds.ts';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { useSession } from '../../api/queries.ts';
import { AwayLink, Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField } from '../../components/field.tsx';
import { LoadNextPage } from '../../components/load-more.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Page } from '../../layout/page.tsx';
import { Lines } from './lines.tsx';
import { subjectOf } from './sentences.ts';
import { VerifyActivity } from './verify-activity.tsx';
import '../../components/search-box.css';
import './activity.css';

const PAGE_LINES = 50;

interface Filters {
  kind?: ActivityKind | undefined;
  by?: string | undefined;
}

const activityQuery = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: KEYS.activity(filters),
    queryFn: ({ pageParam, signal }) =>
      ledger.listActivity({ ...filters, order: 'newest', before_seq: pageParam, limit: PAGE_LINES }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => last.next_before_seq ?? undefined,
    staleTime: 0,
  });

export function ActivityPage() {
  const denied = deniedReason(useSession().role, 'audit');
  return (
    <Page
      title="Activity"
      lead="Who changed what about this organization: a chain of its own, as tamper-evident as the receipts."
      actions={
        denied === null && (
          <AwayLink icon="download" href="/activity/export" download="">
            Export
          </AwayLink>
        )
      }
    >
      {denied === null ? (
        <Activity />
      ) : (
        <div className="panel">
          <EmptyState icon="clock" title="Owners and auditors read this">
            <p>{denied}</p>
          </EmptyState>
        </div>
      )}
    </Page>
  );
}

function Activity() {
  const [params, setParams] = useSearchParams();
  const filters = filtersOf(params);
  const list = useInfiniteQuery({ ...activityQuery(filters), placeholderData: keepPreviousData });
  const everything = useInfiniteQuery(activityQuery({}));
  const change = (name: keyof Filters, value: string) =>
    setParams((before) => withParam(before, name, value), { replace: true });
  const lines = (of: typeof list) => of.data?.pages.flatMap(({ receipts }) => receipts) ?? [];
  return (
    <>
      <VerifyActivity />
      <search className="filters activity-filters">
        <SelectField
          label="What was done"
          labelHidden
          value={filters.kind ?? ''}
          onChange={(event) => change('kind', event.target.value)}
        >
          <option value="">Every act</option>
          {Object.entries(ACTIVITY_KINDS).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Who did it"
          labelHidden
          value={filters.by ?? ''}
          onChange={(event) => change('by', event.target.value)}
        >
          <option value="">Anybody</option>
          {actorsIn([...lines(everything), ...lines(list)], filters.by).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </search>
      <QueryBoundary query={list} skeleton={<SkeletonRows rows={10} />}>
        {() =>
          lines(list).length === 0 ? (
            <Nothing filtered={Object.values(filters).some(Boolean)} onClear={() => setParams('', { replace: true })} />
          ) : (
            <>
              <Lines lines={lines(list)} />
              <LoadNextPage query={list} />
            </>
          )
        }
      </QueryBoundary>
    </>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered)
    return (
      <EmptyState icon="clock" title="Nothing is recorded yet">
        <p>This record begins with the next act: a key, a member, a setting, an export.</p>
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title="Nothing like this was done">
      <Button onClick={onClear}>Show everything</Button>
    </EmptyState>
  );
}

/** What makes no sense to the ledger, perhaps typed into the address bar, counts as not asked for. */
function filtersOf(given: URLSearchParams): Filters {
  const kind = given.get('kind') ?? '';
  const by = given.get('by') ?? '';
  return {
    kind: Object.hasOwn(ACTIVITY_KINDS, kind) ? (kind as ActivityKind) : undefined,
    by: /^[\w-]{1,100}$/.test(by) ? by : undefined,
  };
}

function withParam(given: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(given);
  if (value) next.set(name, value);
  else next.delete(name);
  return next;
}

/** Everybody who acted in these lines, by the name they had last; and the one who is looked for. */
function actorsIn(lines: readonly ActivityReceipt[], wanted: string | undefined): [id: string, name: string][] {
  const names = new Map<string, string>(wanted === undefined ? [] : [[wanted, wanted]]);
  for (const { activity } of lines) {
    const known = names.get(activity.by.id);
    if (known === undefined || known === activity.by.id)
      names.set(activity.by.id, activity.by.name === activity.by.id ? activity.by.id : subjectOf(activity.by));
  }
  return [...names].sort(([, one], [, other]) => one.localeCompare(other));
}
