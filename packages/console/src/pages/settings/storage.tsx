/** How much the organization stores, and how much it may. */
import { useQuery } from '@tanstack/react-query';
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { byteSize } from '../../format/numbers.ts';
import { storageQuery } from './queries.ts';

export function Storage() {
  const { data, error, refetch } = useQuery(storageQuery);
  if (data === undefined) return error ? <Problem error={error} retry={() => void refetch()} /> : null;
  const { used_bytes, limit_bytes } = data;
  const full = limit_bytes !== null && used_bytes >= limit_bytes;
  return (
    <>
      <DescriptionList>
        <Description label="Stored">
          {byteSize(used_bytes)}{' '}
          {full && (
            <StatusBadge mark="cross" tone="bad">
              full
            </StatusBadge>
          )}
        </Description>
        <Description label="At most">{limit_bytes === null ? 'without end' : byteSize(limit_bytes)}</Description>
      </DescriptionList>
      {limit_bytes !== null && (
        <Progress label="Storage" done={Math.min(used_bytes, limit_bytes)} of={limit_bytes} full={full} />
      )}
      <p className="muted">
        Evidence, what Runs were sent, and flight sheets. What does not fit is refused; checks, approvals and receipts
        go on. More is given by the operator.
      </p>
    </>
  );
}
