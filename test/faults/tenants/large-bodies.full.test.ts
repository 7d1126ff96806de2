/** Bodies of a megabyte that are dear to read: a record of 90,000 members, posted as inputs and as execution. */
import { type Attack, unharmedBy } from './victim.ts';

const MEMBERS = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i.toString(36), 1]));

export const attack: Attack = async ({ call, tenant, signal }) => {
  const post = async (path: string, body: object) =>
    (await call('POST', path, { token: tenant.keys.agent, body })).json as { id?: string };
  const work = async () => {
    while (!signal.aborted) {
      const { id } = await post('/runs', { lane: 'generic', title: 'Large', inputs: { task: 'Count', MEMBERS } });
      if (id !== undefined) await post(`/runs/${id}/execution`, { output: MEMBERS });
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
};

unharmedBy('large bodies that are dear to read', import.meta.url);
