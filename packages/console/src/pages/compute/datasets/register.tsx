import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { errorAt } from '../../../api/problem.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { Switch, TextAreaField, TextField } from '../../../components/field.tsx';
import { toast } from '../../../layout/toasts.tsx';

type NewDataset = Parameters<typeof router.createDataset>[0];

/** All of it at once: a dataset is not changed later. */
export function RegisterDataset({ onClose }: { onClose: () => void }) {
  const store = useQueryClient();
  const [forMembers, setForMembers] = useState(true);
  const act = useIdempotentMutation((body: NewDataset, key) => router.createDataset(body, key), {
    onSuccess(dataset) {
      void store.invalidateQueries({ queryKey: KEYS.compute('datasets') });
      toast(`${dataset.title} registered`);
      onClose();
    },
  });
  const at = (name: string) => ({ name, error: errorAt(act.error, name) });
  return (
    <FormDialog
      title="Register a dataset"
      wide
      action="Register dataset"
      mutation={act}
      onSend={(form) => act.mutate(datasetOf(new FormData(form), forMembers))}
      onClose={onClose}
    >
      <div className="form-row">
        <TextField label="Title" required autoFocus maxLength={500} {...at('title')} />
        <TextField label="Id" optional mono hint="Letters, digits, . _ or -; made for you when empty." {...at('id')} />
      </div>
      <TextAreaField label="Description" rows={2} maxLength={20_000} {...at('description')} />
      <div className="form-row">
        <TextField label="Domain" required placeholder="support" {...at('domain')} />
        <TextField label="Quality tier" required placeholder="gold" {...at('quality_tier')} />
        <TextField label="License" required placeholder="CC-BY-4.0" {...at('license_type')} />
      </div>
      <TextField label="Address" required mono placeholder="s3://datasets/…" {...at('object_uri')} />
      <TextField
        label="SHA-256"
        required
        mono
        hint="64 lower-case hexadecimal characters: of the bytes at that address."
        pattern="[0-9a-f]{64}"
        title="64 lower-case hexadecimal characters"
        {...at('checksum_sha256')}
      />
      <div className="form-row">
        <TextField label="Size in bytes" type="number" min={0} step={1} required {...at('size_bytes')} />
        <TextField label="Rows" type="number" min={0} step={1} required {...at('row_count')} />
      </div>
      <Switch
        label="Members may be given access"
        hint="Otherwise it is registered for its owner alone."
        on={forMembers}
        onChange={setForMembers}
      />
    </FormDialog>
  );
}

function datasetOf(form: FormData, is_member_access: boolean): NewDataset {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const id = text('id');
  return {
    ...(id === '' ? {} : { id }),
    title: text('title'),
    domain: text('domain'),
    description: text('description'),
    object_uri: text('object_uri'),
    license_type: text('license_type'),
    quality_tier: text('quality_tier'),
    checksum_sha256: text('checksum_sha256'),
    size_bytes: Number(text('size_bytes')),
    row_count: Number(text('row_count')),
    is_member_access,
  };
}
