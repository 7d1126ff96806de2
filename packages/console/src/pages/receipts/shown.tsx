/** A sealed text as people see it. What draws nothing or turns the direction of a line stands there by its code. */
import { Fragment } from 'react';

const UNSEEN = /([\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}])/u;
const SEEN_BREAKS = new Set(['\n', '\t', '\r']);
/** Of one text: pages get slow beyond. */
const LONGEST = 20_000;

export function Shown({ text }: { text: string }) {
  const kept = text.slice(0, LONGEST);
  const pieces = kept.split(UNSEEN);
  return (
    <>
      {pieces.map((piece, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that never changes
        <Fragment key={place}>
          {place % 2 === 0 || SEEN_BREAKS.has(piece) ? piece : <code className="unseen-code">{codeOf(piece)}</code>}
        </Fragment>
      ))}
      {kept.length < text.length && (
        <em> […] {(text.length - LONGEST).toLocaleString('en')} more characters stand in the stored bytes.</em>
      )}
    </>
  );
}

/** `U+202E`. */
function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
