/** The numbers one looks for first; each leads to what it counts. */

import type { Summary } from '@rcpt/contract/router/admin.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useNow } from '../../../components/clock.ts';
import { Skeleton } from '../../../components/skeleton.tsx';
import { amount, usd } from '../../../format/numbers.ts';
import { sumOf, today } from '../history.ts';
import { historyQuery } from '../queries.ts';

export function Counts({ summary }: { summary: Summary }) {
  const { data } = useQuery(historyQuery(1));
  const now = useNow();
  const sums = data && sumOf(today(data.buckets, now));
  return (
    <ul className="counts" aria-label="Jobs now">
      <Count label="Queued" value={summary.queued_jobs} status="queued" />
      <Count label="Leased" value={summary.leased_jobs} status="leased" />
      <Count label="Running" value={summary.running_jobs} status="running" />
      <Count label="Failed today" value={sums?.failed} status="failed" bad />
      <li className="count">
        <span>Spent today</span>
        <strong>{sums ? usd(sums.spend_usd) : <Skeleton width="4rem" height="1.2rem" />}</strong>
      </li>
      {summary.ledger_refused > 0 && (
        <li className="count bad">
          <Link href="/compute/jobs?ledger=refused">Refused by the ledger</Link>
          <strong>{amount(summary.ledger_refused)}</strong>
        </li>
      )}
    </ul>
  );
}

interface CountProps {
  label: string;
  value: number | undefined;
  status: string;
  bad?: boolean;
}

function Count({ label, value, status, bad = false }: CountProps) {
  return (
    <li className={bad && value ? 'count bad' : 'count'}>
      <Link href={`/compute/jobs?status=${status}`}>{label}</Link>
      <strong>{value === undefined ? <Skeleton width="2rem" height="1.2rem" /> : amount(value)}</strong>
    </li>
  );
}
