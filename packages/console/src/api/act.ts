/** A change that a person asks for. The same wish sent again after a lost answer carries the same idempotency key. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { newKey } from './clients.ts';
import { statusOf } from './problem.ts';

/** `act(wish, idempotency_key)`; the other options are TanStack Query's. */
export function useAct<Wish, Answer, Context = unknown>(
  act: (wish: Wish, idempotency_key: string) => Promise<Answer>,
  options: Omit<UseMutationOptions<Answer, Error, Wish, Context>, 'mutationFn'> = {},
) {
  const last = useRef<{ wish: string; key: string } | null>(null);
  return useMutation<Answer, Error, Wish, Context>({
    ...options,
    mutationFn: async (wish) => {
      const text = JSON.stringify(wish) ?? '';
      if (last.current?.wish !== text) last.current = { wish: text, key: newKey() };
      try {
        const answer = await act(wish, last.current.key);
        last.current = null;
        return answer;
      } catch (error) {
        if (isAnswer(error)) last.current = null;
        throw error;
      }
    },
  });
}

/** The service decided: what comes next is another wish. */
function isAnswer(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return status >= 400 && status < 500;
}
