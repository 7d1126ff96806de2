/** The compute router in three figures, where one is connected; otherwise nothing. */
import { useQuery } from '@tanstack/react-query';
import { router } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { ButtonLink } from '../../components/button.tsx';
import { amount } from '../../format/numbers.ts';

export function ComputeCard() {
  const { data } = useQuery({
    queryKey: KEYS.compute('summary'),
    queryFn: ({ signal }) => router.summary(signal),
    retry: false,
  });
  if (data === undefined) return null;
  const figures = [
    ['Workers online', data.workers_online],
    ['Jobs running', data.running_jobs],
    ['Jobs queued', data.queued_jobs],
  ] as const;
  return (
    <section className="panel card" aria-label="Compute">
      <h2>Compute</h2>
      <dl className="card-figures">
        {figures.map(([label, figure]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{amount(figure)}</dd>
          </div>
        ))}
      </dl>
      <ButtonLink small icon="compute" href="/compute">
        Look at it
      </ButtonLink>
    </section>
  );
}
