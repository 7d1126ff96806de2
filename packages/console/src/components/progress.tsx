/** How far something is. Without `done` it is under way, and how far is not known. `full`: there is no more room. */
import './progress.css';

interface Given {
  label: string;
  done?: number;
  of?: number;
  full?: boolean;
}

export function Progress({ label, done, of, full = false }: Given) {
  const known = done !== undefined && of !== undefined && of > 0;
  return known ? (
    <progress className={full ? 'progress full' : 'progress'} aria-label={label} value={done} max={of} />
  ) : (
    <progress className="progress" aria-label={label} />
  );
}
