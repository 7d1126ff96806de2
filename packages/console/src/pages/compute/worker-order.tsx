/** Drain and resume: an owner's order to a worker, asked for once more before it is given. */
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { useQueryClient } from '@tanstack/react-query';
import { router } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { Confirm } from '../../components/dialog.tsx';
import { toast } from '../../layout/toasts.tsx';

/** What can be ordered now. */
export function orderFor({ desired }: Pick<Worker, 'desired'>) {
  return desired === 'drain'
    ? ({ order: 'resume', word: 'Resume' } as const)
    : ({ order: 'drain', word: 'Drain' } as const);
}

export function OrderDialog({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const store = useQueryClient();
  const { order, word } = orderFor(worker);
  const act = useIdempotentMutation(() => (order === 'drain' ? router.drainWorker : router.resumeWorker)(worker.id), {
    onSuccess() {
      void store.invalidateQueries({ queryKey: KEYS.compute() });
      toast(order === 'drain' ? `${worker.name} drains` : `${worker.name} takes jobs again`);
      onClose();
    },
  });
  return (
    <Confirm
      title={`${word} ${worker.name}?`}
      action={word}
      mutation={act}
      onConfirm={() => act.mutate(undefined)}
      onClose={onClose}
    >
      {order === 'drain' ? (
        <p>It finishes the jobs it holds and leases nothing new. It can be resumed at any time.</p>
      ) : (
        <p>It leases jobs again at once.</p>
      )}
    </Confirm>
  );
}
