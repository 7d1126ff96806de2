/** Short words about what just happened. They leave by themselves and are read aloud. */
import { useSyncExternalStore } from 'react';
import { StatusIcon, type Tone } from '../components/status-badge.tsx';
import './toasts.css';

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const SHOWN_MS = 5_000;
let shown: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** From anywhere: `toast('Key revoked')`. A failure that needs an answer is a `Problem` in place, no toast. */
export function toast(text: string, tone: Tone = 'good'): void {
  const id = ++last;
  show([...shown.slice(-2), { id, text, tone }]);
  setTimeout(() => show(shown.filter((other) => other.id !== id)), SHOWN_MS);
}

function show(toasts: readonly Toast[]): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone }) => (
        <div key={id} className="toast">
          <StatusIcon name={tone === 'bad' ? 'cross' : 'tick'} tone={tone} />
          {text}
        </div>
      ))}
    </div>
  );
}
