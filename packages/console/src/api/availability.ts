/** Whether the ledger answers. Asked when something broke off; then again until it does. */
import { useSyncExternalStore } from 'react';

const AGAIN_MS = 2_000;
const listeners = new Set<() => void>();
let away = false;
let search: Promise<boolean> | null = null;

/** Resolves once the ledger answers: true when it did at once. A proxy that answers in its place does not count. */
export function untilLedgerAnswers(): Promise<boolean> {
  search ??= seek().finally(() => {
    search = null;
  });
  return search;
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

async function seek(): Promise<boolean> {
  if (await answers()) return true;
  tell(true);
  do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  while (!(await answers()));
  tell(false);
  return false;
}

function answers(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store', headers: { accept: 'application/json' } }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function tell(now: boolean): void {
  away = now;
  for (const listener of listeners) listener();
}
