/** One checkpoint to one witness: with the proof from what it knows, once more when it knows another size; and what that means. */
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { type DueSubmission, lastSigned } from '../store/witnesses.ts';
import { type Reply, submitToWitness } from './exchange.ts';

/** Of the ledger's logs (log/logs.ts). */
export interface Proofs {
  consistency(organization_id: string, log: DueSubmission['log'], from: number, to: number): Promise<Uint8Array[]>;
}

export type Submitted =
  | { kind: 'cosigned'; size: number; checkpoint: string; line: string; cosigned_at: string }
  | { kind: 'unreachable' | 'refused' | 'contradicted'; reason: string; known_size: number | null };

/** It may be told its size, and the log may grow meanwhile. */
const ATTEMPTS = 3;

export async function submitCheckpoint(
  { db, logs, only_public }: { db: Db; logs: Proofs; only_public: boolean },
  due: DueSubmission,
  signal: AbortSignal,
): Promise<Submitted> {
  const { organization_id, log, url } = due;
  const key = parseVerifierKey(due.key);
  let known = due.known_size;
  let end = { size: due.size, checkpoint: due.checkpoint };
  for (let attempt = 1; ; attempt++) {
    if (known > end.size) end = (await lastSigned(db, due)) ?? end;
    if (known > end.size) return { kind: 'contradicted', reason: aheadOf(end.size, known), known_size: known };
    let proof: Uint8Array[];
    try {
      proof = known === 0 ? [] : await logs.consistency(organization_id, log, known, end.size);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { kind: 'contradicted', reason: `No proof can be made for it. ${error.detail}`, known_size: known };
    }
    const submission = { url, key, old_size: known, proof, checkpoint: end.checkpoint };
    const reply = await submitToWitness(submission, { only_public, signal });
    if (reply.kind === 'knows' && reply.size !== known && attempt < ATTEMPTS) known = reply.size;
    else return submitted(reply, known, end, log);
  }
}

/** 404: it does not know the log. */
function whatToSend(status: number | undefined, log: DueSubmission['log']): string {
  if (status !== 404) return '';
  return ` Send its operator the line of GET ${log === 'receipts' ? '/ledger' : '/activity'}/key.`;
}

function submitted(
  reply: Reply,
  known: number,
  end: { size: number; checkpoint: string },
  log: DueSubmission['log'],
): Submitted {
  switch (reply.kind) {
    case 'cosigned':
      return { kind: 'cosigned', ...end, line: reply.line, cosigned_at: new Date(reply.time * 1000).toISOString() };
    case 'contradicted':
      return { kind: 'contradicted', reason: anotherThan(known, reply.said), known_size: known };
    case 'knows':
      return { kind: 'refused', reason: `It knows ${reply.size} entries each time it is asked.`, known_size: null };
    default:
      return { kind: reply.kind, reason: sentence(reply.said) + whatToSend(reply.status, log), known_size: null };
  }
}

function aheadOf(size: number, known: number): string {
  return `It has cosigned ${known} entries of this log, and only ${size} are signed here: the end was cut off, or an older backup was restored. Restore the newest copy before anything more is minted; nothing new is cosigned until then.`;
}

function anotherThan(known: number, said: string): string {
  return `The ${known} entries that it has cosigned are not the beginning of this log any more: entries were rewritten, or a second ledger signs under the same key. Compare with an export from before, and do not remove the witness. It said: ${said}`;
}

function sentence(said: string): string {
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
