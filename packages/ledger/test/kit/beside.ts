/** Receipts with things beside them, and what their links say. */
import type { Answer, RunningTest, Tenant } from './running.ts';
import { WORK } from './story.ts';

export interface Told {
  lane?: keyof typeof WORK;
  title?: string;
  inputs?: object;
  execution?: object;
  private?: string[];
  note?: string;
  evidence?: { label: string; content?: string; sha256?: string; content_type?: string; kind?: string }[];
}

export interface Minted {
  id: string;
  receipt_id: string;
  receipt: Answer['json'];
  /** The path of its link. */
  link: string;
}

/** A Run with evidence and private members, taken to its receipt. */
export async function mintedWith(tenant: Tenant, told: Told): Promise<Minted> {
  const lane = told.lane ?? 'generic';
  const [agent, approver] = [tenant.as('agent'), tenant.as('approver')];
  const inputs = { ...WORK[lane].inputs, ...told.inputs };
  const { id } = await agent('POST', '/runs', { lane, title: told.title ?? 'A title', inputs, private: told.private });
  for (const item of told.evidence ?? []) await agent('POST', `/runs/${id}/evidence`, { kind: 'file', ...item });
  await agent('POST', `/runs/${id}/execution`, { ...WORK[lane].execution, ...told.execution });
  await agent('POST', `/runs/${id}/checks`);
  await agent('POST', `/runs/${id}/verdict`);
  await approver('POST', `/runs/${id}/approval`, { decision: 'approved', note: told.note });
  const receipt = await approver('POST', `/runs/${id}/receipt`);
  return { id, receipt_id: receipt.receipt_id, receipt, link: new URL(receipt.share_url).pathname };
}

export const listed = async ({ call }: RunningTest, { link }: Minted) =>
  (await call('GET', `${link}/disclosures`)).json.disclosures as {
    path: string;
    state: string;
    [member: string]: unknown;
  }[];

export const statesOf = async (ledger: RunningTest, minted: Minted) =>
  Object.fromEntries((await listed(ledger, minted)).map(({ path, state }) => [path, state]));

export const disclosing = (tenant: Tenant, { receipt_id }: Minted, disclosed: string[]) =>
  tenant.ask('approver', 'PUT', `/receipts/${receipt_id}/disclosures`, { body: { disclosed } });

export const erasing = (tenant: Tenant, { receipt_id }: Minted, path: string, reason = 'The person asked for it.') =>
  tenant.ask('owner', 'POST', `/receipts/${receipt_id}/erasures`, { body: { path, reason } });
