/** What happened, in order: told by the router, and by the worker while it ran. */
import type { JobEvent } from '@rcpt/contract/router/compute.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Timestamp } from '../../../components/timestamp.tsx';
import { count } from '../../../format/numbers.ts';
import { sentence } from '../../../format/vocabulary.ts';

const SHOWN = 60;

/** `ofJob`: also says which job each event belongs to. */
export function Events({
  events,
  ofJob,
}: {
  events: readonly JobEvent[];
  ofJob?: (event: JobEvent) => React.ReactNode;
}) {
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, events.length - SHOWN);
  return (
    <>
      {hidden > 0 && (
        <Button small kind="quiet" onClick={() => setAll(true)}>
          Show {count(hidden, 'earlier event')}
        </Button>
      )}
      <ol className="events">
        {events.slice(hidden).map((event) => (
          <li key={event.id} className="event">
            <div>
              <strong>{sentence(event.event_type)}</strong> {ofJob?.(event)}
              {event.message !== '' && <p>{worded(event)}</p>}
            </div>
            <Timestamp at={event.created_at} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Ids in a message lead to what they name. */
function worded({ message, worker_id, payload }: JobEvent): React.ReactNode {
  const run_id = payload.run_id;
  if (typeof run_id === 'string' && message.includes(run_id))
    return withLink(message, run_id, `/runs/${encodeURIComponent(run_id)}`);
  if (worker_id !== null && message.includes(worker_id))
    return withLink(message, worker_id, `/compute/workers/${encodeURIComponent(worker_id)}`);
  return message;
}

function withLink(message: string, id: string, href: string): React.ReactNode {
  const [before = '', after = ''] = message.split(id, 2);
  return (
    <>
      {before}
      <Link href={href}>
        <code>{id}</code>
      </Link>
      {after}
    </>
  );
}
