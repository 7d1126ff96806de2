/**
 * What a pack shows, from its own bytes: every receipt is what was sealed and stands at its place in the tree of the checkpoint at its end, none is
 * left out between the two checkpoints, and they are signed and continue each other.
 */
import { equal } from '@rcpt/proof/log/bytes.ts';
import { type Checkpoint, openCheckpoint, parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { parseConsistency } from '@rcpt/proof/log/consistency-file.ts';
import { extendsTree, includes, leafHash } from '@rcpt/proof/log/merkle.ts';
import { parseProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import { parseVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { type PackEntry, readPack } from './read-pack.ts';

export interface PackReport {
  entries: number;
  receipts: number;
  /** Of the checkpoints at its end and signed last; null: there is none. */
  end: Checkpoint | null;
  newest: Checkpoint | null;
  before: Checkpoint | null;
  /** What does not hold, in words: the first hundred. */
  faults: string[];
  /** Lines of PROBLEMS.txt: what the ledger itself found. */
  problems: number;
}

const MOST_FAULTS = 100;
const CHECKPOINTS = ['before', 'end', 'newest'] as const;

/** @param trusted empty: the keys in the pack. Throws `BrokenPack` */
export async function checkPack(file: string, trusted: readonly VerifierKey[]): Promise<PackReport> {
  const check = new PackCheck();
  for await (const entry of readPack(file)) check.push(entry);
  return check.finish(trusted);
}

class PackCheck {
  readonly #faults: string[] = [];
  readonly #texts = new Map<string, string>();
  readonly #checkpoints = new Map<string, Checkpoint>();
  #entries = 0;
  #receipts = 0;
  #listed: number | null = null;
  #last: { id: string; bytes: Buffer; org_seq: number | null; is_proven: boolean } | null = null;

  push(entry: PackEntry): void {
    this.#entries++;
    const { path, bytes, line_feeds } = entry;
    if (path === 'receipts.csv') this.#listed = line_feeds - 1;
    const [folder, name = ''] = path.split('/', 2) as [string, string?];
    if (bytes === null) return;
    if (folder === 'receipts') this.#receipt(name.replace(/\.json$/, ''), bytes);
    else if (folder === 'proofs') this.#proof(name.replace(/\.tlog-proof$/, ''), bytes.toString('utf8'));
    else if (folder === 'checkpoints' || path === 'keys/receipts.txt' || path === 'PROBLEMS.txt')
      this.#text(path, bytes.toString('utf8'));
  }

  #text(path: string, text: string): void {
    this.#texts.set(path, text);
    const name = CHECKPOINTS.find((each) => path === `checkpoints/${each}.txt`);
    if (name === undefined) return;
    this.#told(path, () => this.#checkpoints.set(name, parseCheckpointText(parseNote(text).text)));
  }

  #receipt(id: string, bytes: Buffer): void {
    this.#unproven();
    const { ok, org_seq, receipt_id, fault } = verifyReceipt(bytes);
    if (!ok) this.#fault(`${id} is not what was sealed: ${fault!.detail}`);
    else if (receipt_id !== id) this.#fault(`receipts/${id}.json is the receipt ${receipt_id}`);
    this.#receipts++;
    this.#last = { id, bytes, org_seq, is_proven: false };
  }

  /** It follows its receipt. */
  #proof(id: string, text: string): void {
    const receipt = this.#last;
    if (receipt?.id !== id) {
      this.#fault(`proofs/${id}.tlog-proof does not follow its receipt`);
      return;
    }
    receipt.is_proven = true;
    this.#told(`proofs/${id}.tlog-proof`, () => {
      const { index, hashes, checkpoint } = parseProofFile(text);
      const name = CHECKPOINTS.find((each) => this.#texts.get(`checkpoints/${each}.txt`) === checkpoint);
      const tree = this.#checkpoints.get(name ?? '');
      if (tree === undefined) throw new Error('it is against another checkpoint than those of the pack');
      const { size, root } = tree;
      if (index !== receipt.org_seq || !includes({ index, size, leaf: leafHash(receipt.bytes), root }, hashes))
        this.#fault(`${id} does not stand at ${receipt.org_seq} in the signed tree`);
    });
  }

  #unproven(): void {
    if (this.#last?.is_proven === false) this.#fault(`${this.#last.id} has no proof`);
  }

  async finish(trusted: readonly VerifierKey[]): Promise<PackReport> {
    this.#unproven();
    const [before, end, newest] = CHECKPOINTS.map((name) => this.#checkpoints.get(name) ?? null);
    if (this.#listed === null) this.#fault('receipts.csv is not in it');
    this.#count(before ?? null, end ?? null);
    this.#continues('before', 'end');
    this.#continues('end', 'newest');
    await this.#signed(trusted);
    const problems = this.#texts.get('PROBLEMS.txt')?.trimEnd().split('\n').length ?? 0;
    const [entries, receipts, faults] = [this.#entries, this.#receipts, this.#faults];
    return { entries, receipts, before: before ?? null, end: end ?? null, newest: newest ?? null, faults, problems };
  }

  #count(before: Checkpoint | null, end: Checkpoint | null): void {
    const counted = end === null ? this.#listed : end.size - (before?.size ?? 0);
    if (counted !== this.#listed)
      this.#fault(`the checkpoints count ${counted} receipts, receipts.csv ${this.#listed}`);
    if (counted !== this.#receipts) this.#fault(`the pack lists ${counted} receipts and has ${this.#receipts}`);
  }

  #continues(older: string, newer: string): void {
    const [from, to] = [this.#checkpoints.get(older), this.#checkpoints.get(newer)];
    if (from === undefined || to === undefined) return;
    const path = `checkpoints/${older}-to-${newer}.txt`;
    const text = this.#texts.get(path);
    this.#told(path, () => {
      if (text === undefined) throw new Error('it is not in the pack');
      if (from.origin !== to.origin || !extendsTree(from, to, parseConsistency(text)))
        this.#fault(`the checkpoint ${newer} (${to.size}) does not continue the one ${older} (${from.size})`);
    });
  }

  async #signed(trusted: readonly VerifierKey[]): Promise<void> {
    const keys = [...trusted];
    if (keys.length === 0)
      for (const line of (this.#texts.get('keys/receipts.txt') ?? '').split('\n').filter(Boolean))
        this.#told('keys/receipts.txt', () => keys.push(parseVerifierKey(line)));
    for (const name of this.#checkpoints.keys()) {
      const note = this.#texts.get(`checkpoints/${name}.txt`)!;
      const opened = await Promise.allSettled(keys.map((key) => openCheckpoint(note, key)));
      if (opened.some(({ status }) => status === 'fulfilled')) continue;
      this.#fault(
        `checkpoints/${name}.txt is signed by none of the keys ${trusted.length > 0 ? 'given' : 'in the pack'}`,
      );
    }
  }

  #told(path: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fault(`${path}: ${(error as Error).message}`);
    }
  }

  #fault(text: string): void {
    if (this.#faults.length < MOST_FAULTS) this.#faults.push(text);
  }
}

/** Whether two signed trees are the same one. */
export function sameTree(one: Checkpoint, other: Checkpoint): boolean {
  return one.size === other.size && equal(one.root, other.root);
}
