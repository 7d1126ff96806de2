/** An instant: how long ago, and exactly when for whoever points at it or has it read aloud. */
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
