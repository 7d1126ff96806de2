/** A new key: its name and role, and then its secret, once. */
import type { Key } from '@rcpt/contract/ledger/tenancy.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { errorAt } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { CopyOnce } from '../../components/copy.tsx';
import { Dialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { keysQuery } from './queries.ts';
import { RoleChooser } from './role-chooser.tsx';
import { ROLE_WORD } from './roles.ts';
import { useLeavingWarning } from './unsaved-changes.ts';

export function NewKey({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const [label, setLabel] = useState('');
  const [role, setRole] = useState<Role>('agent');
  const act = useIdempotentMutation(ledger.createKey, {
    onSuccess: () => cache.invalidateQueries({ queryKey: keysQuery.queryKey }),
    // The secret stays in no cache once this dialog is gone.
    gcTime: 0,
  });
  if (act.data) return <Created created={act.data} onClose={onClose} />;
  return (
    <FormDialog
      title="New API key"
      action="Create key"
      mutation={act}
      onSend={() => act.mutate({ role, ...(label.trim() === '' ? {} : { label: label.trim() }) })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        optional
        value={label}
        maxLength={500}
        placeholder="nightly-evaluations"
        hint="What uses it. What the key approves is sealed with this name, in public."
        error={errorAt(act.error, 'label')}
        onChange={(event) => setLabel(event.target.value)}
      />
      <RoleChooser role={role} onChange={setRole} />
    </FormDialog>
  );
}

function Created({ created, onClose }: { created: Key & { api_key: string }; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const [leaving, setLeaving] = useState(false);
  useLeavingWarning(!copied);
  const what = created.label || `${ROLE_WORD[created.role]} key`;
  if (leaving) return <Leaving what={what} onBack={() => setLeaving(false)} onLeave={onClose} />;
  return (
    <Dialog title={`${what} is ready`} onClose={() => (copied ? onClose() : setLeaving(true))}>
      <div onCopy={() => setCopied(true)}>
        <CopyOnce secret={created.api_key} what="Key" onCopied={() => setCopied(true)} onKept={onClose} />
      </div>
    </Dialog>
  );
}

function Leaving({ what, onBack, onLeave }: { what: string; onBack: () => void; onLeave: () => void }) {
  return (
    <Dialog title="Close without copying?" onClose={onBack}>
      <div className="warned">
        <p>
          The secret of {what} was not copied. Once this is closed nobody can show it again: you would revoke the key
          and make another.
        </p>
        <div className="form-end">
          <Button kind="danger" onClick={onLeave}>
            Close without it
          </Button>
          <Button kind="primary" onClick={onBack}>
            Back to the key
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
