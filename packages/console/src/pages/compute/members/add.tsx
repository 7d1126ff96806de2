import type { Member } from '@rcpt/contract/router/members.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { errorAt } from '../../../api/problem.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { toast } from '../../../layout/toasts.tsx';

/** Adds a member, and asks whether to activate them next. */
export function AddMember({ onClose, onAdded }: { onClose: () => void; onAdded: (member: Member) => void }) {
  const store = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const add = useIdempotentMutation((body: { email: string; name: string }, key) => router.createMember(body, key), {
    onSuccess(member) {
      void store.invalidateQueries({ queryKey: KEYS.compute('members') });
      toast(`${member.name} added`);
      onClose();
      onAdded(member);
    },
  });
  return (
    <FormDialog
      title="Add a member"
      action="Add member"
      mutation={add}
      onSend={() => add.mutate({ email: email.trim(), name: name.trim() })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={500}
        error={errorAt(add.error, 'name')}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label="E-mail"
        type="email"
        required
        maxLength={254}
        error={errorAt(add.error, 'email')}
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
    </FormDialog>
  );
}
