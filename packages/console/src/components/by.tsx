/** Who did something: ledger ids in words, as far as the one who looks may know them. */
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Key } from '@rcpt/contract/ledger/tenancy.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { KEYS } from '../api/keys.ts';
import { useSession } from '../api/queries.ts';
import { Shown } from '../shown/shown.ts';

/** Only owners may list people and keys; everybody else finds the id behind a word. */
const namesQuery = queryOptions({
  queryKey: KEYS.settings('names'),
  queryFn: async ({ signal }) => {
    const [{ members }, { keys }] = await Promise.all([
      call<{ members: TeamMember[] }>('/members', { signal }),
      call<{ keys: Key[] }>('/keys', { signal }),
    ]);
    return Object.fromEntries([
      ...members.map(({ id, email, public_name }) => [id, public_name ?? email] as const),
      ...keys.map(({ id, label, role }) => [id, label || `${role} key`] as const),
    ]);
  },
  staleTime: 5 * 60_000,
});

export function useNameOf(): (id: string) => string {
  const session = useSession();
  const { data } = useQuery({ ...namesQuery, enabled: session.role === 'owner' });
  return (id) => {
    if (id === session.id) return 'you';
    return data?.[id] ?? (id.startsWith('key_') ? 'a key' : 'a colleague');
  };
}

export function By({ id }: { id: string }) {
  return (
    <span title={id}>
      <Shown text={useNameOf()(id)} />
    </span>
  );
}
