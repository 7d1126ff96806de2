/** A step of a Run: afterwards the Run is asked for again, and every list it stands in. */
import { useQueryClient } from '@tanstack/react-query';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';

export function useRunMutation<Variables, Answer>(
  run_id: string,
  act: (variables: Variables, idempotency_key: string) => Promise<Answer>,
) {
  const store = useQueryClient();
  return useIdempotentMutation(act, {
    async onSettled() {
      void store.invalidateQueries({ queryKey: ['runs'] });
      void store.invalidateQueries({ queryKey: ['receipts'] });
      await store.invalidateQueries({ queryKey: KEYS.run(run_id) });
    },
  });
}
