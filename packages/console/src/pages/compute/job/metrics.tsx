/** What the command measured and reported, as it named it. */
import { inJson } from '@rcpt/contract/members.ts';
import type { Json } from '@rcpt/contract/wire.ts';
import { Description, DescriptionList } from '../../../components/description-list.tsx';
import { sentence } from '../../../format/vocabulary.ts';

export function Metrics({ metrics }: { metrics: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <div className="panel">
      <DescriptionList>
        {metrics.map(([name, value]) => (
          <Description key={name} label={sentence(name)}>
            {inJson(value as Json)}
          </Description>
        ))}
      </DescriptionList>
    </div>
  );
}
