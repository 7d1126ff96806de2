/** Runs of a megabyte of members, read one after the other and listed, again and again. */
import { type Attack, type Prepare, unharmedBy } from './victim.ts';

const MEMBERS = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i.toString(36), 1]));

export const prepare: Prepare = async ({ tenant }) => {
  const agent = tenant.as('agent');
  const runs = [];
  for (let i = 0; i < 4; i++) {
    const { id } = await agent('POST', '/runs', { lane: 'generic', title: 'Large', inputs: { task: 'Count' } });
    await agent('POST', `/runs/${id}/execution`, { output: MEMBERS });
    runs.push(id);
  }
  return runs;
};

export const attack: Attack = async ({ call, tenant, signal, prepared }) => {
  const read = async (path: string) => {
    while (!signal.aborted) await call('GET', path, { token: tenant.keys.auditor });
  };
  await Promise.all([...prepared.map((id: string) => read(`/runs/${id}`)), read('/runs')]);
};

unharmedBy('large Runs that are read again and again', import.meta.url);
