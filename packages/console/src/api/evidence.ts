/** Stored bytes of evidence: the ledger compares them with what was recorded whenever they are read. */
import { ask } from '@rcpt/contract/client/call.ts';
import { OWN } from './clients.ts';

/** `altered`, `gone`: not what was attached; `unknown`: the ledger could not say. */
export type Found = 'whole' | 'altered' | 'gone' | 'unknown';

export function evidencePath(run_id: string, id: string): string {
  return `/runs/${encodeURIComponent(run_id)}/evidence/${encodeURIComponent(id)}`;
}

/** The ledger reads and compares them; nothing is sent here. */
export async function compareStored(run_id: string, id: string): Promise<Found> {
  const answer = await fetch(evidencePath(run_id, id), { method: 'HEAD' }).catch(() => null);
  return foundBy(answer?.status);
}

export function foundBy(status: number | undefined): Found {
  if (status === 200) return 'whole';
  return status === 409 ? 'altered' : status === 404 ? 'gone' : 'unknown';
}

/** Throws what `ask` throws, also for bytes that are not those that were attached. */
export async function saveEvidence(run_id: string, id: string): Promise<void> {
  const answer = await ask(OWN, evidencePath(run_id, id), { accept: '*/*' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = id;
  link.click();
  URL.revokeObjectURL(link.href);
}
