/** What the command measured and reported, as it named it. */
import { Fact, Facts } from '../../../parts/facts.tsx';
import { sentence } from '../../../words/vocabulary.ts';

export function Metrics({ metrics }: { metrics: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <div className="sheet">
      <Facts>
        {metrics.map(([name, value]) => (
          <Fact key={name} label={sentence(name)}>
            {typeof value === 'number' || typeof value === 'boolean' ? (
              String(value)
            ) : typeof value === 'string' ? (
              value
            ) : (
              <code>{JSON.stringify(value)}</code>
            )}
          </Fact>
        ))}
      </Facts>
    </div>
  );
}
