/** An organization that has not begun: the way to a first Run, from a shell or by hand. */
import { Link } from 'wouter';
import { useSession } from '../../api/queries.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Command } from '../../components/copy.tsx';
import { deniedReason } from '../../format/permissions.ts';
import './first-run.css';

export function FirstRun() {
  const { role } = useSession();
  if (deniedReason(role, 'work') !== null)
    return <p className="muted">No Runs yet. They appear here as soon as somebody opens one.</p>;
  return (
    <section className="first-run" aria-label="How to begin">
      <h2>Take a first piece of work to a receipt</h2>
      <ol>
        <li>
          <h3>Have a key for the program that works</h3>
          <p>
            {role === 'owner' ? (
              <>
                <Link href="/settings/keys">Make one</Link> in the role of an agent. It is shown once.
              </>
            ) : (
              'An owner of this organization makes it, in the role of an agent.'
            )}
          </p>
        </li>
        <li>
          <h3>Let it open a Run</h3>
          <Command text={openingCommand(location.origin)} />
        </li>
        <li>
          <h3>Follow it here</h3>
          <p>
            Evidence, execution and checks arrive as they are posted; then a person approves, and the receipt is minted.{' '}
            <a href="/docs">All calls of the API</a>
          </p>
        </li>
      </ol>
      <p>
        Or look at it without a program:{' '}
        <ButtonLink small href="/runs?new=1">
          Open a Run by hand
        </ButtonLink>
      </p>
    </section>
  );
}

function openingCommand(origin: string): string {
  return [
    `curl ${origin}/runs \\`,
    '  -H "authorization: Bearer $KEY" -H "content-type: application/json" \\',
    `  -d '{"lane": "generic", "title": "Roof survey",`,
    `       "inputs": {"task": "Summarize the visit notes"}}'`,
  ].join('\n');
}
