/** Erasing one thing beside a receipt: what will be gone is said first, and its path is typed. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { errorAt } from '../../api/problem.ts';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../layout/toasts.tsx';

export function Erase({ receipt_id, path, onClose }: { receipt_id: string; path: string; onClose: () => void }) {
  const store = useQueryClient();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const erase = useIdempotentMutation(
    (said: string, key?: string) => ledger.erase(receipt_id, { path, reason: said }, key),
    {
      onSuccess() {
        void store.invalidateQueries({ queryKey: KEYS.disclosures(receipt_id) });
        void store.invalidateQueries({ queryKey: ['run'] });
        toast(`${path} is erased`);
        onClose();
      },
    },
  );
  return (
    <Confirm
      title={`Erase ${path} for good?`}
      action="Erase for good"
      kind="danger"
      disabledReason={typed === path ? null : `Type ${path} to say that you mean it.`}
      mutation={erase}
      onConfirm={() => erase.mutate(reason)}
      onClose={onClose}
    >
      <p>
        It is deleted here, with what is needed to check it, and nobody can bring it back. The receipt, its hash and the
        chain stay as they are and keep verifying.
      </p>
      <p>
        Whoever was shown it before may have a copy. Backups keep it until they are replaced. That it was erased, when
        and why is public under the link and recorded in your organization’s activity.
      </p>
      <TextField
        label="Reason"
        hint="Public. Do not repeat what is erased."
        required
        maxLength={500}
        value={reason}
        error={errorAt(erase.error, 'reason')}
        onChange={(event) => setReason(event.target.value)}
      />
      <TextField
        label={`Type ${path}`}
        mono
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Confirm>
  );
}
