/** A step of a Run: afterwards the Run is asked for again, and every list it stands in. */
import { useQueryClient } from '@tanstack/react-query';
import { useAct } from '../../api/act.ts';
import { KEYS } from '../../api/keys.ts';

export function useRunAct<Variables, Answer>(
  run_id: string,
  act: (variables: Variables, idempotency_key: string) => Promise<Answer>,
) {
  const store = useQueryClient();
  return useAct(act, {
    async onSettled() {
      void store.invalidateQueries({ queryKey: ['runs'] });
      void store.invalidateQueries({ queryKey: ['receipts'] });
      await store.invalidateQueries({ queryKey: KEYS.run(run_id) });
    },
  });
}
