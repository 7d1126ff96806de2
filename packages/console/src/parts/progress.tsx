/** How far something is. Without `done` it is under way and nobody knows how far. */
import './progress.css';

export function Progress({ label, done, of }: { label: string; done?: number; of?: number }) {
  const known = done !== undefined && of !== undefined && of > 0;
  return known ? (
    <progress className="progress" aria-label={label} value={done} max={of} />
  ) : (
    <progress className="progress" aria-label={label} />
  );
}
