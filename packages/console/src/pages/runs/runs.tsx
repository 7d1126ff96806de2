/** All Runs, newest first. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { LANE_NAMES, OUTCOMES, STAGES } from '@rcpt/contract/words.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { runsQuery, useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField } from '../../components/field.tsx';
import { LoadNextPage } from '../../components/load-more.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { useRowCursor } from '../../components/row-cursor.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { LANE_LABEL, OUTCOME_WORD } from '../../format/vocabulary.ts';
import { Page } from '../../layout/page.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { isFiltered, useRunFilters } from './filters.ts';
import { FirstRun } from './first-run.tsx';
import { NewRun } from './new-run.tsx';
import { RunTable } from './run-table.tsx';

export function Runs() {
  const [filters, change] = useRunFilters();
  const runs = useInfiniteQuery(runsQuery(filters));
  const { role } = useSession();
  const [params, setParams] = useSearchParams();
  const [opening, setOpening] = useState(params.has('new'));
  const disabledReason = deniedReason(role, 'work');
  useShortcuts({ c: { does: 'New Run', run: () => disabledReason === null && setOpening(true) } });
  const clear = () => setParams({}, { replace: true });

  return (
    <Page
      title="Runs"
      actions={
        <Button kind="primary" icon="plus" disabledReason={disabledReason} onClick={() => setOpening(true)}>
          New Run
        </Button>
      }
    >
      <search className="filters">
        <SearchBox label="Search titles" value={filters.search ?? ''} onSearch={(search) => change({ search })} />
        <Filter
          label="Lane"
          value={filters.lane}
          options={LANE_NAMES.map((lane) => [lane, LANE_LABEL[lane]])}
          onChange={(lane) => change({ lane })}
        />
        <Filter
          label="Stage"
          value={filters.stage}
          options={STAGES.map((stage) => [stage, stage])}
          onChange={(stage) => change({ stage })}
        />
        <Filter
          label="Verdict"
          value={filters.outcome}
          options={OUTCOMES.map((outcome) => [outcome, OUTCOME_WORD[outcome]])}
          onChange={(outcome) => change({ outcome })}
        />
      </search>
      <QueryBoundary query={runs} skeleton={<SkeletonRows rows={10} />}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.runs);
          if (found.length > 0 || runs.hasNextPage)
            return (
              <>
                <List runs={found} />
                <LoadNextPage query={runs} />
              </>
            );
          return isFiltered(filters) ? <NothingFound onClear={clear} /> : <FirstRun />;
        }}
      </QueryBoundary>
      {opening && <NewRun onClose={() => setOpening(false)} />}
    </Page>
  );
}

function List({ runs }: { runs: readonly Run[] }) {
  const [, navigate] = useLocation();
  const { at } = useRowCursor(runs.length, (row) => navigate(`/runs/${runs[row]!.id}`));
  return <RunTable label="Runs" runs={runs} at={at} />;
}

interface FilterProps {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

function Filter({ label, value, options, onChange }: FilterProps) {
  return (
    <SelectField label={label} labelHidden value={value ?? ''} onChange={(event) => onChange(event.target.value)}>
      <option value="">Any {label.toLowerCase()}</option>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </SelectField>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState icon="search" title="No Run is like that">
      <p>A title has to contain the words as they are written.</p>
      <Button onClick={onClear}>Show all Runs</Button>
    </EmptyState>
  );
}
