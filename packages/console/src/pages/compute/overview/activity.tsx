/** What the router did over time: jobs that ended, what they cost, how long the queue was. The charts share one cursor. */
import type { History } from '@rcpt/contract/router/admin.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { QueryBoundary } from '../../../components/query-boundary.tsx';
import { SegmentedControl } from '../../../components/segmented-control.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx';
import { amount, usd } from '../../../format/numbers.ts';
import { Section } from '../../../layout/page.tsx';
import { Chart, type ChartProps } from '../chart/chart.tsx';
import { labelled, labelledHours } from '../chart/geometry.ts';
import { type Bucket, labelWords, sumOf, whenWords } from '../history.ts';
import { historyQuery } from '../queries.ts';

const SPANS = [
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const;
type Days = (typeof SPANS)[number]['value'];

export function Activity() {
  const [search, setSearch] = useSearchParams();
  const days: Days = SPANS.find(({ value }) => value === search.get('days'))?.value ?? '1';
  const history = useQuery(historyQuery(Number(days)));
  const [asTable, setAsTable] = useState(false);
  const change = (value: Days) => setSearch(value === '1' ? {} : { days: value }, { replace: true });
  return (
    <Section
      title="Activity, UTC"
      beside={
        <div className="button-row">
          <Button small kind="quiet" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Show as charts' : 'Show as table'}
          </Button>
          <SegmentedControl small label="Time span" options={SPANS} value={days} onChange={change} />
        </div>
      }
    >
      <QueryBoundary query={history} skeleton={<Skeleton height="14.6rem" />}>
        {(data) => (asTable ? <BucketTable history={data} /> : <Charts history={data} />)}
      </QueryBoundary>
    </Section>
  );
}

function Charts({ history: { buckets, bucket_seconds } }: { history: History }) {
  const [at, onAt] = useState<number | null>(null);
  const when = buckets.map((bucket) => whenWords(bucket, bucket_seconds));
  const selected = at === null || at >= buckets.length ? null : at;
  const shared = { when, at: selected, onAt, labels: labelsOf(buckets, bucket_seconds) };
  return (
    <div className="charts">
      <JobsChart buckets={buckets} {...shared} />
      <SpendChart buckets={buckets} {...shared} />
      <QueueChart buckets={buckets} {...shared} />
    </div>
  );
}

type Shared = Pick<ChartProps, 'when' | 'at' | 'onAt' | 'labels'> & { buckets: readonly Bucket[] };

function JobsChart({ buckets, ...shared }: Shared) {
  const sums = sumOf(buckets);
  return (
    <Chart
      {...shared}
      title="Jobs ended"
      description={`${sums.completed} completed, ${sums.failed} failed, ${sums.canceled} canceled.`}
      form="bars"
      whole
      format={amount}
      axis={amount}
      series={[
        { name: 'completed', look: 'accent', values: buckets.map(({ completed }) => completed) },
        { name: 'canceled', look: 'rest', values: buckets.map(({ canceled }) => canceled) },
        { name: 'failed', look: 'bad', values: buckets.map(({ failed }) => failed) },
      ]}
      reading={(at) => {
        const { completed, canceled, failed } = at === null ? sums : buckets[at]!;
        return (
          <>
            <Key look="accent" value={completed} word="completed" />
            <Key look="rest" value={canceled} word="canceled" />
            <Key look="bad" value={failed} word="failed" />
          </>
        );
      }}
    />
  );
}

function Key({ look, value, word }: { look: string; value: number; word: string }) {
  return (
    <span className={`chart-key ${look}`}>
      <span>
        <strong>{amount(value)}</strong> {word}
      </span>
    </span>
  );
}

function SpendChart({ buckets, ...shared }: Shared) {
  const sum = sumOf(buckets).spend_usd;
  return (
    <Chart
      {...shared}
      title="Spend"
      description={`${usd(sum)} for completed jobs.`}
      form="bars"
      whole={false}
      format={usd}
      axis={(value) => (value < 1 && value > 0 ? value.toFixed(2) : amount(value))}
      series={[{ name: 'spent', look: 'accent', values: buckets.map(({ spend_usd }) => spend_usd) }]}
      reading={(at) => (
        <span>
          <strong>{usd(at === null ? sum : buckets[at]!.spend_usd)}</strong> for completed jobs
        </span>
      )}
    />
  );
}

function QueueChart({ buckets, ...shared }: Shared) {
  const most = Math.max(0, ...buckets.map(({ queued }) => queued));
  const now = buckets.at(-1)?.queued ?? 0;
  return (
    <Chart
      {...shared}
      title="Queue"
      description={`${now} queued now, ${most} at most.`}
      form="steps"
      whole
      format={amount}
      axis={amount}
      series={[{ name: 'queued', look: 'accent', values: buckets.map(({ queued }) => queued) }]}
      reading={(at) =>
        at === null ? (
          <span>
            <strong>{amount(now)}</strong> queued now, <strong>{amount(most)}</strong> at most
          </span>
        ) : (
          <span>
            <strong>{amount(buckets[at]!.queued)}</strong> queued at its end
          </span>
        )
      }
    />
  );
}

const LABELS = 5;

function labelsOf(buckets: readonly Bucket[], bucket_seconds: number) {
  const instants = buckets.map(({ at }) => at);
  const chosen = bucket_seconds < 86_400 ? labelledHours(instants, LABELS) : labelled(buckets.length, LABELS);
  return chosen.map((bucket) => ({ bucket, text: labelWords(buckets[bucket]!, bucket_seconds) }));
}

function BucketTable({ history: { buckets, bucket_seconds } }: { history: History }) {
  return (
    <Table
      label="Activity, newest first"
      columns={[
        { label: 'When' },
        { label: 'Created', kind: 'number' },
        { label: 'Completed', kind: 'number' },
        { label: 'Failed', kind: 'number' },
        { label: 'Canceled', kind: 'number' },
        { label: 'Spend', kind: 'number' },
        { label: 'Queued', kind: 'number' },
      ]}
    >
      {buckets.toReversed().map((bucket) => (
        <Row key={bucket.at}>
          <HeadCell>{whenWords(bucket, bucket_seconds)}</HeadCell>
          {(['created', 'completed', 'failed', 'canceled'] as const).map((name) => (
            <Cell key={name} kind="number">
              {amount(bucket[name])}
            </Cell>
          ))}
          <Cell kind="number">{usd(bucket.spend_usd)}</Cell>
          <Cell kind="number">{amount(bucket.queued)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
