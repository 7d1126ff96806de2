/** Stored bytes of evidence: the ledger compares them with what was recorded whenever they are read. */
import { answerOf } from './call.ts';
import { unreachable } from './problem.ts';

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

/** Rejects with a `ProblemError`, also for bytes that are not those that were attached. */
export async function saveEvidence(run_id: string, id: string): Promise<void> {
  const answer = await fetch(evidencePath(run_id, id)).catch(() => {
    throw unreachable();
  });
  if (!answer.ok) answerOf(answer.status, await answer.text(), answer.headers.get('x-request-id') ?? '');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = id;
  link.click();
  URL.revokeObjectURL(link.href);
}
