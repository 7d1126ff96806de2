/** A mutation that a person asks for. The same variables sent again after a lost answer carry the same idempotency key. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { newKey } from './clients.ts';
import { statusOf } from './problem.ts';

/** `act(variables, idempotency_key)`; the other options are TanStack Query's. */
export function useIdempotentMutation<Variables, Answer, Context = unknown>(
  act: (variables: Variables, idempotency_key: string) => Promise<Answer>,
  options: Omit<UseMutationOptions<Answer, Error, Variables, Context>, 'mutationFn'> = {},
) {
  const last = useRef<{ variables: string; key: string } | null>(null);
  return useMutation<Answer, Error, Variables, Context>({
    ...options,
    mutationFn: async (variables) => {
      const text = JSON.stringify(variables) ?? '';
      if (last.current?.variables !== text) last.current = { variables: text, key: newKey() };
      try {
        const answer = await act(variables, last.current.key);
        last.current = null;
        return answer;
      } catch (error) {
        if (isAnswer(error)) last.current = null;
        throw error;
      }
    },
  });
}

/** The service decided: the next call is another one. */
function isAnswer(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return status >= 400 && status < 500;
}
