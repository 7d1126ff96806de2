/** Keys that do something: single ones (`/`) and two in a row (`g r`). They rest while one types or a dialog is open. */
import { useEffect, useRef, useSyncExternalStore } from 'react';

interface Shortcut {
  /** What the help says: `Go to Runs`. */
  does: string;
  run: () => void;
  /** Leaves the key to a focused link or button. */
  shy?: boolean;
}

const SEQUENCE_MS = 1_000;
const given = new Map<string, { current: Shortcut }[]>();
const listeners = new Set<() => void>();
let known: readonly (readonly [keys: string, does: string])[] = [];
let before = '';
let beforeAt = 0;

/** In force while the component is on the page; of two for the same keys, the later one. */
export function useShortcuts(shortcuts: Record<string, Shortcut>): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = Object.keys(shortcuts).join('\n');
  useEffect(() => {
    const mine = names.split('\n').map((keys) => {
      const entry = {
        get current() {
          return latest.current[keys]!;
        },
      };
      given.set(keys, [...(given.get(keys) ?? []), entry]);
      return [keys, entry] as const;
    });
    announce();
    return () => {
      for (const [keys, entry] of mine) {
        const left = (given.get(keys) ?? []).filter((other) => other !== entry);
        if (left.length > 0) given.set(keys, left);
        else given.delete(keys);
      }
      announce();
    };
  }, [names]);
}

/** All that are in force, for the help. */
export function useKnownShortcuts() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => known,
  );
}

/** Hears the keys until the answer is called. */
export function hearKeys(): () => void {
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const recent = event.timeStamp - beforeAt < SEQUENCE_MS;
  const found = (recent && given.get(`${before} ${event.key}`)?.at(-1)) || given.get(event.key)?.at(-1);
  before = event.key;
  beforeAt = event.timeStamp;
  if (!found || (found.current.shy && isPressable(event.target))) return;
  event.preventDefault();
  before = '';
  found.current.run();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, summary');
}

function announce(): void {
  known = [...given].map(([keys, entries]) => [keys, entries.at(-1)!.current.does] as const);
  for (const listener of listeners) listener();
}
