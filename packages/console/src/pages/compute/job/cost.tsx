/** What a job costs and why: the server's rate times the hours. */
import type { Job } from '@rcpt/contract/router/compute.ts';
import type { RouterReceipt } from '@rcpt/contract/router/receipts.ts';
import { amount, usd } from '../../../format/numbers.ts';
import { durationWords, hoursWords } from '../duration.ts';
import { isOver } from '../format.ts';
import { rateWords } from '../price.ts';

export function Cost({ job, receipts }: { job: Job; receipts: readonly RouterReceipt[] | undefined }) {
  const { hourly_rate_usd: rate, actual_hours, actual_cost_usd } = job;
  return (
    <div className="cost">
      <strong className="cost-sum">{actual_cost_usd === null ? null : usd(actual_cost_usd)}</strong>
      {actual_cost_usd === null && <p className="cost-sum">{waitingWords(job)}</p>}
      <dl>
        <Line word="Estimated" rate={rate} hours={job.estimated_hours} cost={job.estimated_cost_usd} />
        {actual_hours !== null && actual_cost_usd !== null && (
          <Line word="Metered" rate={rate} hours={actual_hours} cost={actual_cost_usd} />
        )}
      </dl>
      <Metering receipts={receipts ?? []} />
    </div>
  );
}

function waitingWords({ status, estimated_cost_usd }: Job) {
  if (!isOver(status)) return `≈ ${usd(estimated_cost_usd)}`;
  return 'Nothing was charged';
}

function Line({ word, rate, hours, cost }: { word: string; rate: number; hours: number; cost: number }) {
  return (
    <div className="cost-line">
      <dt>{word}</dt>
      <dd>
        <span>
          {rateWords(rate)} × {hoursWords(hours)} =
        </span>{' '}
        <strong>{usd(cost)}</strong>
      </dd>
    </div>
  );
}

/** How the billed seconds come about stands in the receipt of the completion. */
function Metering({ receipts }: { receipts: readonly RouterReceipt[] }) {
  const metadata = receipts.find(({ metadata }) => typeof metadata.billed_seconds === 'number')?.metadata;
  if (metadata === undefined) return null;
  const { reported_milliseconds: reported, metering } = metadata;
  const billed = amount(Number(metadata.billed_seconds));
  const measured = durationWords(Number(metadata.measured_milliseconds));
  return (
    <p className="muted">
      Billed: {billed} s, whole seconds and at least one. The router measured {measured}
      {typeof reported === 'number' && `, the worker reported ${durationWords(reported)}`}
      {typeof reported === 'number' && (metering === 'reported' ? '; the smaller counts.' : '; the router’s counts.')}
      {typeof reported !== 'number' && '.'}
    </p>
  );
}
