/** What the command measured and reported, as it named it. */
import { inJson } from '@rcpt/contract/members.ts';
import type { Json } from '@rcpt/contract/wire.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { sentence } from '../../../format/vocabulary.ts';

export function Metrics({ metrics }: { metrics: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <div className="sheet">
      <Facts>
        {metrics.map(([name, value]) => (
          <Fact key={name} label={sentence(name)}>
            {inJson(value as Json)}
          </Fact>
        ))}
      </Facts>
    </div>
  );
}
