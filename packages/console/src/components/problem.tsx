/** What went wrong, in the service's own words, with what support asks for and a way on. */
import { problemOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { StatusIcon } from './status-badge.tsx';
import './problem.css';

/** In place of what could not be loaded, or above a form that was refused. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { title, detail, request_id, errors } = problemOf(error);
  return (
    <div className="problem bad" role="alert">
      <StatusIcon name="cross" tone="bad" />
      <div>
        <strong>{title}</strong>
        <p>{detail}</p>
        {errors && errors.length > 1 && (
          <ul>
            {errors.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <code>{path || 'body'}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {request_id && <p className="request-id">Request {request_id}</p>}
      </div>
      {retry && (
        <Button small icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}
