import { useSession } from '../../api/queries.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Command } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';

/** An organization that has not begun: the shortest way to a first Run, from a shell. */
export function FirstRun() {
  const { role } = useSession();
  return (
    <Empty icon="runs" title="No Runs yet">
      <p>
        A Run is one piece of work on its way to a receipt. Agents open theirs over the API, with a key of this
        organization:
      </p>
      <Command text={openingCommand(location.origin)} />
      <div className="button-row">
        {role === 'owner' && <ButtonLink href="/settings/keys">Make a key</ButtonLink>}
        <a href="/docs">All of the API</a>
      </div>
    </Empty>
  );
}

export function openingCommand(origin: string): string {
  return [
    `curl ${origin}/runs \\`,
    "  -H 'authorization: Bearer rk_…' -H 'content-type: application/json' \\",
    `  -d '{"lane": "generic", "title": "Roof survey", "inputs": {"task": "Summarize the visit notes"}}'`,
  ].join('\n');
}
