/** Is this file what the receipt seals? The same question, and the same rule, as on the shared page. */
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import { type DragEvent, useId, useMemo, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { Progress } from '../../components/progress.tsx';
import { StatusIcon } from '../../components/status-badge.tsx';
import { Section } from '../../layout/page.tsx';
import { Shown } from '../../shown/shown.ts';
import { type Found, useComparing } from './comparing.ts';
import './compare.css';

/** @param receipt its payload, whose hash was computed here just before */
export function Compare({ receipt }: { receipt: JsonObject }) {
  const sealed = useMemo(() => {
    const { output, evidence } = sealedFilesOf(receipt);
    return [...(output ? [output] : []), ...evidence];
  }, [receipt]);
  const { found, reading, lay } = useComparing(sealed);
  if (sealed.length === 0) return null;
  return (
    <Section title="Compare a file">
      <Zone onFiles={(files) => void lay(files)} />
      {reading && <Progress label={`Hashing ${reading.file}`} done={reading.read} of={reading.size} />}
      <div role="status">
        <ul className="compared">
          {found.map((each, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: answers only come at the end
            <Answer key={place} found={each} />
          ))}
        </ul>
      </div>
    </Section>
  );
}

function Zone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [over, setOver] = useState(false);
  const input = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the file chooser inside is the first
    <div
      className="compare-zone"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="file" />
      <p>
        Is it what was sealed? Drop a file here or{' '}
        <label htmlFor={input} className="compare-choose">
          choose one
        </label>
        <input
          id={input}
          type="file"
          multiple
          className="visually-hidden"
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            event.target.value = '';
            if (files.length > 0) onFiles(files);
          }}
        />
        . It is hashed here and sent nowhere.
      </p>
    </div>
  );
}

function Answer({ found: { file, sha256, is_sealed, sentences, labels } }: { found: Found }) {
  const tone = is_sealed ? 'good' : sha256 === null ? 'neutral' : 'bad';
  return (
    <li className={tone}>
      <StatusIcon name={is_sealed ? 'tick' : sha256 === null ? 'dash' : 'cross'} tone={tone} />
      <div>
        <strong>
          <Shown text={file} />
        </strong>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {labels.map((label, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the labels of one answer never change
          <p key={place} className="compared-label">
            <Shown text={label} />
          </p>
        ))}
        {sha256 && <code>{sha256}</code>}
      </div>
    </li>
  );
}
