/** The receipts that the router wrote about a job, oldest first. */
import type { RouterReceipt } from '@rcpt/contract/router/receipts.ts';
import { Hash } from '../../../components/copy.tsx';
import { Timestamp } from '../../../components/timestamp.tsx';
import { sentence } from '../../../format/vocabulary.ts';

export function JobReceipts({ receipts }: { receipts: readonly RouterReceipt[] }) {
  if (receipts.length === 0) return <p className="muted">The router’s ledger holds none for this job.</p>;
  const inOrder = receipts.toSorted((a, b) => (a.receipt_id < b.receipt_id ? -1 : 1));
  return (
    <ul className="job-receipts">
      {inOrder.map(({ receipt_id, receipt_type, amount_usd, created_at, checksum_sha256, metadata }) => (
        <li key={receipt_id} className="job-receipt">
          <div>
            <span>{typeWords(receipt_type, metadata.phase)}</span>
            <span className="amount">{amount_usd} USD</span>
          </div>
          <div className="muted">
            <Timestamp at={created_at} />
            <Hash value={checksum_sha256} what="SHA-256" short />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** `compute_job` in the phase `completed` → `Compute job completed`. */
function typeWords(receipt_type: string, phase: unknown): string {
  return typeof phase === 'string' ? `${sentence(receipt_type)} ${phase}` : sentence(receipt_type);
}
