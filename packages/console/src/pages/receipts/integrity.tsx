/** Whether the bytes that were just fetched have the hash they state: computed here, the service's opinion is not asked. */
import type { ReceiptVerdict } from '@rcpt/proof/receipt.ts';
import { Hash } from '../../components/copy.tsx';
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { StatusIcon } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { count } from '../../format/numbers.ts';

interface IntegrityProps {
  verdict: ReceiptVerdict;
  /** What was asked for. */
  id: string;
  at: number;
  bytes: number;
}

export function Integrity({ verdict, id, at, bytes }: IntegrityProps) {
  const when = <Timestamp at={new Date(at).toISOString()} />;
  const another = verdict.ok && verdict.receipt_id !== id;
  if (!verdict.ok || another)
    return (
      <section className="integrity bad" role="alert">
        <StatusIcon name="cross" tone="bad" />
        <div>
          <h2>{another ? 'This is another receipt' : 'This receipt no longer matches its hash'}</h2>
          <p>
            {another
              ? `The ledger answered with ${verdict.receipt_id} instead.`
              : 'What is stored was changed after it was sealed. Nothing below can be relied on until the operator explains it.'}
          </p>
          <Fault verdict={verdict} />
        </div>
      </section>
    );
  return (
    <section className="integrity good" aria-label="Integrity">
      <StatusIcon name="tick" tone="good" />
      <div>
        <h2>Unchanged since it was sealed</h2>
        <p>
          This browser hashed its {count(bytes, 'byte')} {when} and got the hash that the receipt states.
        </p>
        <Hash value={verdict.computed_sha256 ?? ''} />
      </div>
    </section>
  );
}

function Fault({ verdict: { fault, receipt_sha256, computed_sha256 } }: { verdict: ReceiptVerdict }) {
  return (
    <DescriptionList>
      {fault && <Description label="Finding">{fault.detail}</Description>}
      {receipt_sha256 && (
        <Description label="It states">
          <code>{receipt_sha256}</code>
        </Description>
      )}
      {computed_sha256 && computed_sha256 !== receipt_sha256 && (
        <Description label="Computed here">
          <code>{computed_sha256}</code>
        </Description>
      )}
    </DescriptionList>
  );
}
