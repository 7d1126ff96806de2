/** The signed ends of a period: of the tree before it, at its end, and of now. */

import { parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import type { Tree } from '@rcpt/proof/log/merkle.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Ledger } from '../ledger.ts';
import { loadSignedEnd, type SignedEnd } from '../store/logs.ts';
import type { Period } from './period.ts';
import type { Problems } from './problems.ts';

export interface Anchor extends Tree {
  checkpoint: string;
}

export interface Anchors {
  /** Of the receipts before the period; null: there are none, or it could not be signed. */
  before: Anchor | null;
  /** Of those and the period's. */
  end: Anchor | null;
  /** Of all that are signed. */
  newest: Anchor | null;
  signed: SignedEnd | null;
}

/** What cannot be signed is told as a problem; the last signed one is there as long as it is stored. */
export async function anchorsOf(
  { db, logs }: Pick<Ledger, 'db' | 'logs'>,
  organization_id: string,
  { from, before }: Period,
  problems: Problems,
): Promise<Anchors> {
  const told = <T>(what: string, made: Promise<T>) =>
    made.catch((error: unknown) => {
      problems.add(`${what}: ${reasonOf(error)}`);
      return null;
    });
  if (before > 0) await told('The newest checkpoint', logs.checkpoint(organization_id, 'receipts'));
  const signed = await loadSignedEnd(db, organization_id, 'receipts');
  const at = (what: string, size: number) =>
    size === 0 || signed === null || signed.size < size
      ? null
      : told(what, logs.checkpointAt(organization_id, 'receipts', size));
  return {
    before: anchorOf(await at('The checkpoint before the period', from)),
    end: anchorOf(await at('The checkpoint at the end of the period', before)),
    newest: anchorOf(signed?.checkpoint ?? null),
    signed,
  };
}

/** Throws what is no refusal: a database that is away ends the pack. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal && (error.code === 'log_inconsistent' || error.code === 'not_found'))
    return error.detail;
  throw error;
}

function anchorOf(checkpoint: string | null): Anchor | null {
  if (checkpoint === null) return null;
  const { size, root } = parseCheckpointText(parseNote(checkpoint).text);
  return { size, root, checkpoint };
}
