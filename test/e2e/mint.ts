/** A generic receipt, minted as a program mints one. */
import type { House } from './house.ts';

export interface Work {
  title: string;
  output: unknown;
  evidence: readonly (readonly [label: string, content: string])[];
}

export async function mintGeneric(
  { ledger_url, demo }: House,
  { title, output, evidence }: Work,
): Promise<{ receipt_id: string; share_url: string }> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${ledger_url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.owner_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string; receipt_id: string; share_url: string };
  };
  const inputs = { task: 'Summarize the visit notes', kind: 'agent' };
  const { id } = await post('/runs', { lane: 'generic', title, inputs });
  for (const [label, content] of evidence) await post(`/runs/${id}/evidence`, { kind: 'file', label, content });
  await post(`/runs/${id}/execution`, { agent_name: 'scribe', model_name: 'small-1', output });
  await post(`/runs/${id}/checks`, {});
  await post(`/runs/${id}/verdict`, {});
  await post(`/runs/${id}/approval`, { decision: 'approved', note: 'Compared with the notes.' });
  return post(`/runs/${id}/receipt`, {});
}
