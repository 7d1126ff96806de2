/** The four answers of a whole export: its chain walked and its tree built in one pass, in constant memory. */
import { ProofError } from '../error.ts';
import { equal } from '../log/bytes.ts';
import { type Checkpoint, parseCheckpointText } from '../log/checkpoint.ts';
import { leafHash } from '../log/merkle.ts';
import { appendLeaf, type Peaks, rootOfPeaks } from '../log/peaks.ts';
import { parseNote } from '../log/signed-note.ts';
import { oneLine } from '../one-line.ts';
import { verifyReceipt } from '../receipt.ts';
import { type Answer, type Answers, fails, holds, nothingToVerify, notShown } from './answer.ts';
import { type Growth, growthSince } from './growth.ts';
import { isOfLog, logOf, refusedGrowth, TAKE_ANEW, unsignedOf } from './inclusion.ts';
import { NOBODY_SIGNED, signerOf, type Trust } from './signer.ts';
import { STATED, timeOf } from './time.ts';

/** The tree over the receipts of an export, in their order; the leaf is the line without its line feed. */
export class ExportTree {
  #peaks: Peaks = [];
  #size = 0;
  #log: string | null = null;
  readonly #asked: Set<number>;
  readonly #roots = new Map<number, Uint8Array>();

  /** @param checkpoint the text of the checkpoint that it will be held against; null: none */
  constructor(checkpoint: string | null, { remembered }: Trust) {
    const sizes = [checkpoint === null ? null : checkpointIn(checkpoint)?.size, remembered?.size];
    this.#asked = new Set(sizes.filter((size) => size !== null && size !== undefined));
    if (this.#asked.has(0)) this.#roots.set(0, rootOfPeaks([]));
  }

  push(receipt: Uint8Array): void {
    if (this.#size === 0) this.#log = logOf(verifyReceipt(receipt).payload);
    this.#peaks = appendLeaf(this.#peaks, this.#size, leafHash(receipt));
    this.#size++;
    if (this.#asked.has(this.#size)) this.#roots.set(this.#size, rootOfPeaks(this.#peaks));
  }

  get size(): number {
    return this.#size;
  }

  /** Of its first receipt, as `logOf`. */
  get log(): string | null {
    return this.#log;
  }

  /** Of the sizes that were asked for; null where the export has fewer receipts. */
  rootAt(size: number): Uint8Array | null {
    return this.#roots.get(size) ?? null;
  }
}

/** What a walk of the chain found (`ChainReport`, or the report of a file). */
export interface Walked {
  ok: boolean;
  receipts_checked: number;
  violation: { kind: string; detail: string; org_seq?: number | null; receipt_id: string | null } | null;
}

/** @param chain what the walk of the same receipts found. @param tree of the same receipts; not looked at without a checkpoint */
export async function answersOfExport(
  chain: Walked,
  tree: ExportTree,
  checkpoint: string | null,
  trust: Trust = {},
): Promise<Answers> {
  if (chain.receipts_checked === 0) return nothingToVerify();
  const about = 'export' as const;
  const integrity = integrityOf(chain);
  if (checkpoint === null) {
    const inclusion_and_completeness = notShown(
      'no_checkpoint',
      'An export alone does not show that nothing was cut off at its end.',
      'Take a checkpoint of the ledger, and its key.',
    );
    return { about, integrity, inclusion_and_completeness, time: STATED, identity: NOBODY_SIGNED };
  }
  const signed = await signerOf(checkpoint, trust);
  const inclusion_and_completeness =
    signed.checkpoint === null
      ? fails('not_a_checkpoint', 'What was given as the checkpoint is none.', TAKE_ANEW)
      : (refusalOf(signed.checkpoint, tree) ??
        unsignedOf(signed, trust) ??
        completeness(signed.checkpoint, tree, trust));
  return {
    about,
    integrity,
    inclusion_and_completeness,
    time: timeOf(signed, trust.policy),
    identity: signed.identity,
  };
}

function integrityOf({ ok, receipts_checked, violation }: Walked): Answer {
  const last = receipts_checked - 1;
  if (ok)
    return holds(
      'chain_holds',
      `Each of the receipts 0 to ${last} is what was sealed, and stands on the one before it.`,
    );
  const { kind, detail, org_seq, receipt_id } = violation!;
  const where = receipt_id === null ? `receipt ${org_seq ?? 'without a place'}` : oneLine(receipt_id);
  const text = `The chain does not hold: ${kind} at ${where}: ${oneLine(detail)}.`;
  return fails(
    'chain_broken',
    text,
    'Ask the organization for a new export. If it fails again, the ledger was tampered with.',
  );
}

/** Where export and checkpoint are not of one tree. */
function refusalOf(checkpoint: Checkpoint, tree: ExportTree): Answer | null {
  const { size, root, origin } = checkpoint;
  if (!isOfLog(checkpoint, tree.log)) {
    const text = `The checkpoint is of ${oneLine(origin)}, which is the ledger of another organization.`;
    return fails('another_organization', text, 'Take export and checkpoint of one organization.');
  }
  if (tree.size < size)
    return fails(
      'tail_missing',
      `The tail is missing: the checkpoint counts ${size} receipts, this export ends after ${tree.size}.`,
      'Take an export that is newer than the checkpoint. If it ends there too, its end was cut off.',
    );
  if (equal(tree.rootAt(size)!, root)) return null;
  return fails(
    'another_history',
    `The first ${size} receipts are not those of the checkpoint: one or more were changed, or all of them chained anew.`,
    'Keep export and checkpoint. If the checkpoint is signed, they show that what is told now is not what was signed.',
  );
}

function completeness(checkpoint: Checkpoint, tree: ExportTree, { remembered, consistency }: Trust): Answer {
  const { size } = checkpoint;
  if (remembered && remembered.size > size && remembered.size > tree.size)
    return fails(
      'tail_cut_off',
      `The tail was cut off: you have seen a checkpoint of ${remembered.size} receipts, this one counts ${size}.`,
      'Take a new export and checkpoint. If they are no longer, receipts were taken away: keep both checkpoints, they prove it.',
    );
  const growth = growthSince(remembered, checkpoint, consistency, remembered ? tree.rootAt(remembered.size) : null);
  const refused = refusedGrowth(growth, checkpoint, remembered);
  if (refused !== null) return refused;
  const first = `The first ${size} receipts are those of the signed checkpoint of ${oneLine(checkpoint.origin)}`;
  if (tree.size > size)
    return notShown(
      'beyond_checkpoint',
      `${first}; the ${tree.size - size} after them are in no checkpoint that you gave.`,
      'Take a checkpoint that is no older than the export.',
    );
  const text = `The ${size} receipts are exactly those of the signed checkpoint of ${oneLine(checkpoint.origin)}: none is left out, none cut off`;
  return holds('complete', `${text}${grown(growth, remembered)}.`);
}

function grown(growth: Growth, seen: Checkpoint | null | undefined): string {
  if (growth === 'same') return '; it is the checkpoint that you saw last';
  return growth === 'shown' ? `; it extends the one of ${seen!.size} that you saw last` : '';
}

/** Not looked at who signed it. Null where it is none. */
export function checkpointIn(note: string): Checkpoint | null {
  try {
    return parseCheckpointText(parseNote(note).text);
  } catch (error) {
    if (error instanceof ProofError) return null;
    throw error;
  }
}
