/** The name behind an id of the ledger, as far as the role may read names. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ledger } from '../api/clients.ts';
import { KEYS } from '../api/keys.ts';
import { useSession } from '../api/queries.ts';
import { Shown } from '../shown/shown.ts';

/** Only owners may list people and keys; the other roles see a general word, with the id in the tooltip. */
const namesQuery = queryOptions({
  queryKey: KEYS.settings('names'),
  queryFn: async ({ signal }) => {
    const [{ members }, { keys }] = await Promise.all([ledger.listMembers(signal), ledger.listKeys(signal)]);
    return Object.fromEntries([
      ...members.map(({ id, email, public_name }) => [id, public_name ?? email] as const),
      ...keys.map(({ id, label, role }) => [id, label || `${role} key`] as const),
    ]);
  },
  staleTime: 5 * 60_000,
});

function useActorName(): (id: string) => string {
  const session = useSession();
  const { data } = useQuery({ ...namesQuery, enabled: session.role === 'owner' });
  return (id) => {
    if (id === session.id) return 'you';
    return data?.[id] ?? (id.startsWith('key_') ? 'a key' : 'a colleague');
  };
}

export function ActorName({ id }: { id: string }) {
  return (
    <span title={id}>
      <Shown text={useActorName()(id)} />
    </span>
  );
}
