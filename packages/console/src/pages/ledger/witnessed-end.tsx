/** How many witnesses have cosigned the last checkpoint, and when the last did. */
import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../components/button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { witnessesQuery } from '../settings/queries.ts';
import { type Cosigned, cosignedOf } from '../settings/witness-state.tsx';

export function WitnessedEnd() {
  const { data } = useQuery(witnessesQuery);
  if (data === undefined) return null;
  const cosigned = cosignedOf(data);
  return (
    <section className="witnessed-end panel" aria-label="Witnesses">
      <p>
        <Words cosigned={cosigned} />
      </p>
      <ButtonLink small href="/settings/witnesses">
        Witnesses
      </ButtonLink>
    </section>
  );
}

function Words({ cosigned: { count, of, last_at, contradicted } }: { cosigned: Cosigned }) {
  if (of === 0)
    return (
      <StatusBadge mark="ring" tone="neutral">
        No witness cosigns this chain
      </StatusBadge>
    );
  const [mark, tone] = contradicted
    ? (['cross', 'bad'] as const)
    : count === of
      ? (['tick', 'good'] as const)
      : (['half', 'caution'] as const);
  return (
    <>
      <StatusBadge mark={mark} tone={tone}>
        {contradicted ? 'A witness contradicts this chain' : `${count} of ${of} witnesses have cosigned the end`}
      </StatusBadge>
      {last_at !== null && (
        <>
          {' '}
          <span className="muted">
            last <Timestamp at={last_at} />
          </span>
        </>
      )}
    </>
  );
}
