/** Revoking a worker: an owner ends its token for good, asked for once more before it is done. */
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { useQueryClient } from '@tanstack/react-query';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { Confirm } from '../../../components/dialog.tsx';
import { toast } from '../../../layout/toasts.tsx';

export function RevokeDialog({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const store = useQueryClient();
  const act = useIdempotentMutation(() => router.revokeWorker(worker.id), {
    onSuccess() {
      void store.invalidateQueries({ queryKey: KEYS.compute() });
      toast(`${worker.name} revoked`);
      onClose();
    },
  });
  return (
    <Confirm
      title={`Revoke ${worker.name}?`}
      action="Revoke worker"
      kind="danger"
      mutation={act}
      onConfirm={() => act.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Its token is refused everywhere within five seconds. The jobs it holds go back to the queue at once; those whose
        attempts are used up have failed. What it did stays on record.
      </p>
      <p>
        This cannot be undone. Who may register workers can register it anew, as another worker: to keep a machine out,
        change the router’s enrollment token too.
      </p>
    </Confirm>
  );
}
