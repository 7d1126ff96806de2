/** The bytes of a receipt, as they are stored, hashed and served. */
import { Fragment, useMemo } from 'react';
import { Button } from '../../components/button.tsx';
import { Command, copy } from '../../components/copy.tsx';
import { count } from '../../format/numbers.ts';
import { Section } from '../../layout/page.tsx';
import { stretchesOf, textOf } from './bytes.ts';

/** Characters that are shown; the file has them all. */
const LONGEST = 100_000;

export function StoredBytes({ bytes, id }: { bytes: Uint8Array<ArrayBuffer>; id: string }) {
  const text = useMemo(() => textOf(bytes), [bytes]);
  const stretches = useMemo(() => stretchesOf(text.slice(0, LONGEST)), [text]);
  const file = `${id.replace(/[^A-Za-z0-9-]/g, '_')}.json`;
  return (
    <Section
      title="Stored bytes"
      beside={
        <Button kind="quiet" small icon="copy" onClick={() => void copy(text, 'Receipt')}>
          Copy {count(bytes.length, 'byte')}
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="stored-bytes" tabIndex={0}>
        {stretches.map(({ text: piece, is }, place) =>
          is === 'plain' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that never changes
            <Fragment key={place}>{piece}</Fragment>
          ) : (
            <mark key={is} className={`${is}-member`}>
              {piece}
            </mark>
          ),
        )}
        {text.length > LONGEST && ` […] ${count(text.length - LONGEST, 'more character')} stand in the file`}
      </pre>
      {stretches.length > 1 && (
        <p className="bytes-legend">
          <mark className="seal-member">Marked</mark>: left out when the hash is computed.{' '}
          <span className="parent-member">Underlined</span>: the receipt before.
        </p>
      )}
      <details className="by-hand">
        <summary>Check it by hand</summary>
        <p>
          Canonical JSON (RFC 8785). The hash is the SHA-256 of these bytes without the member{' '}
          <code>receipt_sha256</code>. Save the JSON, and in its folder run one of these:
        </p>
        <Command text={`./rcpt verify ${file}`} />
        <Command text={`perl -pe 's/"receipt_sha256":"[0-9a-f]{64}",//' ${file} | shasum -a 256`} />
      </details>
    </Section>
  );
}
