/** Is this file what the receipt seals? The same question, and the same rule, as on the shared page. */
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import { useMemo } from 'react';
import { FileDrop } from '../../components/file-drop.tsx';
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
      <FileDrop
        className="compare-zone"
        icon="file"
        before="Is it what was sealed? Drop a file here or"
        choose="choose one"
        after=". It is hashed here and sent nowhere."
        onFiles={(files) => void lay(files)}
      />
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
