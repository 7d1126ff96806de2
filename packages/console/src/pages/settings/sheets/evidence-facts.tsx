/** The evidence of a submission that is tried: its facts alone, as a rule sees them. A file is hashed here and goes nowhere. */

import type { EvidenceKind } from '@rcpt/contract/vocabulary.ts';
import { EVIDENCE_KINDS } from '@rcpt/contract/words.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { byteSize } from '../../../format/numbers.ts';
import { sentence } from '../../../format/vocabulary.ts';
import { type Fact, NO_BYTES, type Submission } from './submission.ts';

type Item = Submission['evidence'][number];

let made = 0;
const keyed = (fact: Fact): Item => ({ ...fact, key: `evidence ${++made}` });

export function EvidenceFacts({ evidence, onChange }: { evidence: readonly Item[]; onChange: (all: Item[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const add = (...items: Item[]) => onChange([...evidence, ...items]);
  const change = (item: Item, to: Partial<Item>) =>
    onChange(evidence.map((each) => (each === item ? { ...item, ...to } : each)));
  return (
    <fieldset className="evidence-facts">
      <legend>
        Evidence <span className="optional">optional</span>
      </legend>
      {evidence.map((item) => (
        <OneFact
          key={item.key}
          item={item}
          onChange={(to) => change(item, to)}
          onRemove={() => onChange(evidence.filter((each) => each !== item))}
        />
      ))}
      <div className="button-row">
        <Button small icon="plus" onClick={() => add(keyed(NOTE))}>
          Add evidence
        </Button>
        <Button small icon="file" onClick={() => picker.current?.click()}>
          From a file
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          multiple
          aria-label="Files as evidence"
          onChange={async ({ target }) => {
            const files = [...(target.files ?? [])];
            target.value = '';
            add(...(await Promise.all(files.map(ofFile))));
          }}
        />
      </div>
    </fieldset>
  );
}

function OneFact({
  item,
  onChange,
  onRemove,
}: {
  item: Item;
  onChange: (to: Partial<Item>) => void;
  onRemove: () => void;
}) {
  const [fresh] = useState(item.label === '');
  return (
    <details className="one-fact" open={fresh}>
      <summary>
        <span className="one-fact-label">{item.label || 'Unnamed'}</span>
        <small className="one-fact-kind">
          {sentence(item.kind)}, {byteSize(item.byte_size)}
        </small>
      </summary>
      <div className="one-fact-fields">
        <SelectField
          label="Kind"
          value={item.kind}
          onChange={(event) => onChange({ kind: event.target.value as EvidenceKind })}
        >
          {EVIDENCE_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {sentence(kind)}
            </option>
          ))}
        </SelectField>
        <TextField label="Label" value={item.label} onChange={(event) => onChange({ label: event.target.value })} />
        <TextField
          label="Bytes"
          inputMode="numeric"
          value={String(item.byte_size)}
          onChange={(event) => onChange({ byte_size: Number(event.target.value.replace(/\D/g, '').slice(0, 15)) })}
        />
        <TextField
          label="Media type"
          value={item.content_type}
          onChange={(event) => onChange({ content_type: event.target.value })}
        />
        <TextField
          label="SHA-256"
          mono
          value={item.sha256}
          onChange={(event) => onChange({ sha256: event.target.value.trim().toLowerCase() })}
        />
        <Button small icon="trash" onClick={onRemove}>
          Remove
        </Button>
      </div>
    </details>
  );
}

const NOTE: Fact = { kind: 'note', label: '', content_type: 'text/plain', byte_size: 0, sha256: NO_BYTES };

async function ofFile(file: File): Promise<Item> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return keyed({
    kind: 'file',
    label: file.name,
    content_type: file.type || 'application/octet-stream',
    byte_size: bytes.length,
    sha256: sha256Hex(bytes),
  });
}
