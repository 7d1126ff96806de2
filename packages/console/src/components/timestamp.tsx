/** An instant: how long ago; the exact time stands in the tooltip and for screen readers. */
import { exact, relative } from '../format/instant.ts';
import { useNow } from './clock.ts';

export function Timestamp({ at }: { at: string }) {
  const current = Math.max(useNow(), Date.now());
  return (
    <time dateTime={at} title={exact(at)} className="timestamp">
      {relative(at, current)}
    </time>
  );
}
