/** What an owner decides about a person: to invite them, their role, that they leave. */
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { errorAt } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../layout/toasts.tsx';
import { membersQuery } from './queries.ts';
import { RoleChooser } from './role-chooser.tsx';
import { ROLE_WORD } from './roles.ts';

export function Invite({ onClose }: { onClose: () => void }) {
  const afterwards = useAfterwards(onClose);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('approver');
  const act = useIdempotentMutation(ledger.addMember, {
    onSuccess: (member) => afterwards(`${member.email} invited; a mail is on its way`),
  });
  return (
    <FormDialog
      title="Invite a person"
      action="Invite"
      mutation={act}
      onSend={() => act.mutate({ email: email.trim(), role })}
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        type="email"
        required
        autoComplete="off"
        value={email}
        placeholder="ada@example.org"
        hint="They are mailed where to sign in, and may do so from now on."
        error={errorAt(act.error, 'email')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RoleChooser role={role} onChange={setRole} />
    </FormDialog>
  );
}

export function ChangeRole({ member, onClose }: { member: TeamMember; onClose: () => void }) {
  const afterwards = useAfterwards(onClose);
  const { id: mine } = useSession();
  const [role, setRole] = useState(member.role);
  const act = useIdempotentMutation(ledger.changeRole, {
    onSuccess: (changed) => afterwards(`${changed.email} is ${ROLE_WORD[changed.role].toLowerCase()} now`),
  });
  return (
    <FormDialog
      title="Change role"
      action="Change role"
      mutation={act}
      onSend={() => {
        if (role === member.role) onClose();
        else act.mutate({ id: member.id, role });
      }}
      onClose={onClose}
    >
      <p className="muted">
        {member.email}. It counts everywhere within five seconds.
        {member.id === mine && role !== 'owner' && ' This is you: you could not change it back yourself.'}
      </p>
      <RoleChooser role={role} onChange={setRole} />
    </FormDialog>
  );
}

export function Remove({ member, onClose }: { member: TeamMember; onClose: () => void }) {
  const afterwards = useAfterwards(onClose);
  const { id: mine } = useSession();
  const act = useIdempotentMutation(ledger.removeMember, { onSuccess: ({ email }) => afterwards(`${email} removed`) });
  return (
    <Confirm
      title={member.id === mine ? 'Leave this organization?' : `Remove ${member.email}?`}
      action={member.id === mine ? 'Leave' : 'Remove'}
      kind="danger"
      mutation={act}
      onConfirm={() => act.mutate(member.id)}
      onClose={onClose}
    >
      <p>
        {member.id === mine ? 'You are' : 'They are'} refused here everywhere within five seconds. What was approved and
        minted stays as it is.
      </p>
      <p>Another owner can invite the same address again.</p>
    </Confirm>
  );
}

/** The list is asked for again, the words are said, the dialog closes. One's own role may have changed too. */
function useAfterwards(onClose: () => void): (words: string) => void {
  const cache = useQueryClient();
  return (words) => {
    void cache.invalidateQueries({ queryKey: membersQuery.queryKey });
    void cache.invalidateQueries({ queryKey: KEYS.session });
    toast(words);
    onClose();
  };
}
