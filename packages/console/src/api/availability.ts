/** Whether the ledger answers. Asked when something broke off; then again until it does. */
import { useSyncExternalStore } from 'react';

const AGAIN_MS = 2_000;
const listeners = new Set<() => void>();
let away = false;
let polling: Promise<boolean> | null = null;

/** Resolves once the ledger answers: true when it did at once. A proxy that answers in its place does not count. */
export function untilLedgerAnswers(): Promise<boolean> {
  polling ??= pollUntilAnswer().finally(() => {
    polling = null;
  });
  return polling;
}

export function useLedgerAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => away,
  );
}

async function pollUntilAnswer(): Promise<boolean> {
  if (await isAnswering()) return true;
  setAway(true);
  do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  while (!(await isAnswering()));
  setAway(false);
  return false;
}

function isAnswering(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store', headers: { accept: 'application/json' } }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function setAway(now: boolean): void {
  away = now;
  for (const listener of listeners) listener();
}
