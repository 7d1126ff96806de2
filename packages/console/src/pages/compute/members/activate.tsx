import { ANNUAL_MEMBERSHIP_USD, MEMBERSHIP_DAYS } from '@rcpt/contract/membership.ts';
import type { Member } from '@rcpt/contract/router/members.ts';
import { useQueryClient } from '@tanstack/react-query';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { Confirm } from '../../../components/dialog.tsx';
import { toast } from '../../../layout/toasts.tsx';

/** Asks before it charges. */
export function ActivateMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const store = useQueryClient();
  const act = useIdempotentMutation(() => router.activateMember(member.id), {
    onSuccess() {
      void store.invalidateQueries({ queryKey: KEYS.compute() });
      toast(`${member.name} is active`);
      onClose();
    },
  });
  return (
    <Confirm
      title={`Activate ${member.name}?`}
      action={`Charge ${ANNUAL_MEMBERSHIP_USD} USD`}
      mutation={act}
      onConfirm={() => act.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        This charges <strong>{ANNUAL_MEMBERSHIP_USD} USD</strong> and makes {member.name} active for{' '}
        <strong>{MEMBERSHIP_DAYS} days</strong> from now. The router writes a membership receipt. Somebody who is active
        already is not charged again.
      </p>
    </Confirm>
  );
}
