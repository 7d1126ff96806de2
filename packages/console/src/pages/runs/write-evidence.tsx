/** Evidence that is no file: a note, an address, an output, or the hash of bytes kept elsewhere. */
import type { NewEvidence } from '@rcpt/contract/ledger/runs.ts';
import type { EvidenceKind } from '@rcpt/contract/vocabulary.ts';
import { EVIDENCE_KINDS } from '@rcpt/contract/words.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { errorAt } from '../../api/problem.ts';
import { hashOf } from '../../api/upload.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextAreaField, TextField } from '../../components/field.tsx';
import { SegmentedControl } from '../../components/segmented-control.tsx';
import { sentence } from '../../format/vocabulary.ts';
import { toast } from '../../layout/toasts.tsx';

const FORMS = [
  { value: 'text', label: 'Text' },
  { value: 'url', label: 'Link' },
  { value: 'hash', label: 'Hash only' },
] as const;
type Form = (typeof FORMS)[number]['value'];

const TEXT_KINDS: readonly EvidenceKind[] = ['note', 'observation', 'tool_output', 'model_output', 'log'];

export function WriteEvidence({ run_id, onClose }: { run_id: string; onClose: () => void }) {
  const [form, setForm] = useState<Form>('text');
  const [kind, setKind] = useState<EvidenceKind>('note');
  const [label, setLabel] = useState('');
  const [content, setContent] = useState('');
  const store = useQueryClient();
  const sha256 = useHashOf(form === 'hash' ? '' : content);
  const attach = useIdempotentMutation((body: NewEvidence, key) => ledger.attachEvidence(run_id, body, key), {
    onSuccess(item) {
      void store.invalidateQueries({ queryKey: KEYS.run(run_id) });
      toast(`${item.label} attached`);
      onClose();
    },
  });
  const change = (to: Form) => {
    setForm(to);
    setContent('');
    setKind(to === 'hash' ? 'file' : 'note');
  };
  const kinds = form === 'hash' ? EVIDENCE_KINDS : TEXT_KINDS;
  const body: NewEvidence =
    form === 'hash' ? { kind, label, sha256: content.trim() } : { kind: form === 'url' ? 'url' : kind, label, content };
  return (
    <FormDialog
      title="Attach evidence"
      action="Attach"
      mutation={attach}
      onSend={() => attach.mutate(body)}
      onClose={onClose}
    >
      <SegmentedControl label="What is attached" options={FORMS} value={form} onChange={change} />
      <TextField
        label="Label"
        required
        maxLength={500}
        value={label}
        error={errorAt(attach.error, 'label')}
        onChange={(event) => setLabel(event.target.value)}
      />
      {form !== 'url' && (
        <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value as EvidenceKind)}>
          {kinds.map((each) => (
            <option key={each} value={each}>
              {sentence(each)}
            </option>
          ))}
        </SelectField>
      )}
      {form === 'text' && (
        <TextAreaField
          label="Text"
          required
          rows={6}
          value={content}
          hint={sha256 && <HashHint sha256={sha256} />}
          onChange={(event) => setContent(event.target.value)}
        />
      )}
      {form === 'url' && (
        <TextField
          label="Address"
          type="url"
          required
          value={content}
          placeholder="https://"
          hint="The address is sealed, not what stands there."
          onChange={(event) => setContent(event.target.value)}
        />
      )}
      {form === 'hash' && (
        <TextField
          label="SHA-256"
          mono
          required
          pattern="[0-9a-f]{64}"
          value={content}
          hint="64 hexadecimal characters, in lower case. The bytes stay where they are."
          error={errorAt(attach.error, 'sha256')}
          onChange={(event) => setContent(event.target.value)}
        />
      )}
    </FormDialog>
  );
}

function HashHint({ sha256 }: { sha256: string }) {
  return (
    <>
      Will be sealed as <code>{sha256.slice(0, 16)}…</code>
    </>
  );
}

/** SHA-256 of the text's UTF-8 bytes as one types; null for nothing. */
function useHashOf(text: string): string | null {
  const [hash, setHash] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    setHash(null);
    if (text !== '') void hashOf(new TextEncoder().encode(text)).then((found) => current && setHash(found));
    return () => {
      current = false;
    };
  }, [text]);
  return hash;
}
