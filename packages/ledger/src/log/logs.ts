/** The logs of the organizations, as the rest of the ledger sees them: checkpoints, proofs, tiles, keys. */
import { checkpointText, parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { consistencyProof, emptyRoot, includes, inclusionProof } from '@rcpt/proof/log/merkle.ts';
import { formatProofFile } from '@rcpt/proof/log/proof-file.ts';
import { formatNote, parseNote } from '@rcpt/proof/log/signed-note.ts';
import { TILE_WIDTH, type Tile, tileWidth } from '@rcpt/proof/log/tiles.ts';
import { formatVerifierKey, isOfKey } from '@rcpt/proof/log/verifier-key.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { type LogName, loadSignedEnd, type SignedEnd } from '../store/logs.ts';
import { cosignatureLines } from '../store/witnesses.ts';
import { witnessed } from '../witnesses/witnessed.ts';
import { notAsSigned } from './as-signed.ts';
import { bundleOf } from './bundle.ts';
import { earlierCheckpoint } from './earlier.ts';
import { signNote, verifierOf } from './keys.ts';
import { type SignSettings, signEnd } from './signer.ts';
import { ACTIVITY, type LogSource, RECEIPTS } from './source.ts';
import { LogTree } from './tree.ts';

const SOURCES: Record<LogName, LogSource> = { receipts: RECEIPTS, activity: ACTIVITY };

/** Between two checkpoints that nobody has asked for. */
const SIGN_EVERY_MS = 1_000;

export interface Logs {
  /** All entries that there are, signed, also where there are none. Throws `log_inconsistent`. */
  checkpoint(organization_id: string, log: LogName): Promise<SignedEnd>;
  /**
   * Of the first `size` entries, with its cosignatures if it was sent to witnesses. Throws `not_found` where there are fewer, or 0 are asked
   * for; `log_inconsistent`.
   */
  checkpointAt(organization_id: string, log: LogName, size: number): Promise<string>;
  /** Of one entry (C2SP tlog-proof), against the checkpoint that most witnesses have cosigned, of these the last. Throws as `checkpoint`. */
  proofFile(organization_id: string, log: LogName, index: number): Promise<string>;
  /** Throws `not_found` where a size is larger than the last checkpoint's, or 0. */
  consistency(organization_id: string, log: LogName, from: number, to: number): Promise<Uint8Array[]>;
  /** As C2SP says. Throws `not_found` where the last checkpoint's tree has no such tile, `entry_too_large`. */
  tile(organization_id: string, log: LogName, tile: Tile): Promise<Buffer>;
  /** The newest first, in their text form. */
  verifierKeys(organization_id: string, log: LogName): Promise<string[]>;
  /** By the newest key. */
  sign(organization_id: string, bytes: Uint8Array): Promise<{ signature: Uint8Array; verifier_key: string }>;
  /** These have grown: they are signed within seconds. */
  grown(organization_ids: Iterable<string>, log: LogName): void;
  /** Called with each checkpoint that was signed here; must not throw. Returns how to stop. */
  onSigned(listener: (organization_id: string, log: LogName, end: SignedEnd) => void): () => void;
  close(): Promise<void>;
}

export function openLogs(settings: SignSettings, logger: Logger): Logs {
  const { db, keys } = settings;
  const listeners = new Set<Parameters<Logs['onSigned']>[0]>();
  const signing = new Map<string, Promise<SignedEnd | null>>();
  let due = new Map<string, [organization_id: string, log: LogName]>();
  let busy: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  /** One at a time per log; who asks meanwhile is answered by the one after it. */
  function signed(organization_id: string, log: LogName): Promise<SignedEnd | null> {
    const name = `${log} ${organization_id}`;
    const before = signing.get(name);
    const after = (before ?? Promise.resolve()).catch(() => null).then(() => signNow(organization_id, log));
    signing.set(name, after);
    const forget = () => {
      if (signing.get(name) === after) signing.delete(name);
    };
    after.then(forget, forget);
    return after;
  }

  async function signNow(organization_id: string, log: LogName): Promise<SignedEnd | null> {
    const result = await signEnd(settings, organization_id, SOURCES[log]);
    if (result?.fresh) for (const listener of listeners) listener(organization_id, log, result.end);
    return result?.end ?? null;
  }

  /** One log after the other, so that mints go between them. */
  async function signDue(): Promise<void> {
    const now_due = due;
    due = new Map();
    for (const [organization_id, log] of now_due.values()) {
      if (closed) return;
      await signed(organization_id, log).catch((error: unknown) =>
        logger.error({ err: error, organization_id, log }, 'no checkpoint was signed'),
      );
    }
  }

  function soon(): void {
    if (timer !== null || closed) return;
    timer = setTimeout(() => {
      busy = signDue().finally(() => {
        timer = null;
        if (due.size > 0) soon();
      });
    }, SIGN_EVERY_MS);
    timer.unref();
  }

  /** The last one, if it holds this many entries, else a new one. */
  async function holding(organization_id: string, log: LogName, size: number): Promise<SignedEnd> {
    const last = await loadSignedEnd(db, organization_id, log);
    const end = last !== null && last.size >= size ? last : await signed(organization_id, log);
    if (end === null || end.size < size)
      throw new Refusal('not_found', `The log does not hold ${Math.max(size, 1)} entries.`);
    return end;
  }

  return {
    async checkpoint(organization_id, log) {
      const end = (await signed(organization_id, log)) ?? (await emptyEnd(organization_id, log));
      const lines = await cosignatureLines(db, organization_id, log, end);
      return { ...end, checkpoint: await byNewestKey(organization_id, log, end.checkpoint + lines.join('')) };
    },

    async checkpointAt(organization_id, log, size) {
      const end = await holding(organization_id, log, Math.max(size, 1));
      if (size < 1) throw new Refusal('not_found', 'Of no entries there is no checkpoint.');
      const checkpoint = await earlierCheckpoint(settings, organization_id, log, end, size);
      const lines = await cosignatureLines(db, organization_id, log, { size, checkpoint });
      return byNewestKey(organization_id, log, checkpoint + lines.join(''));
    },

    async proofFile(organization_id, log, index) {
      const end = await holding(organization_id, log, index + 1);
      const { size, checkpoint } = await witnessed(db, organization_id, log, index, end);
      const { subtree } = new LogTree(db, organization_id, log, end);
      const hashes = await inclusionProof(index, size, subtree);
      const { root } = parseCheckpointText(parseNote(checkpoint).text);
      if (!includes({ index, size, leaf: await subtree(0, index), root }, hashes)) throw notAsSigned(index);
      return formatProofFile({ index, hashes, checkpoint: await byNewestKey(organization_id, log, checkpoint) });
    },

    async consistency(organization_id, log, from, to) {
      const end = await holding(organization_id, log, Math.max(from, to));
      return consistencyProof(from, to, new LogTree(db, organization_id, log, end).subtree);
    },

    async tile(organization_id, log, { level, index, width }) {
      let end = await holding(organization_id, log, 1);
      if (width > tileWidth(end.size, level, index)) end = (await signed(organization_id, log)) ?? end;
      if (width > tileWidth(end.size, level, index)) throw new Refusal('not_found', 'The log has no such tile.');
      if (level === null) return bundleOf(db, organization_id, SOURCES[log], index * TILE_WIDTH, width);
      const hashes = await new LogTree(db, organization_id, log, end).hashes(level, index);
      return Buffer.concat(hashes.slice(0, width));
    },

    async verifierKeys(organization_id, log) {
      return (await keys.all(organization_id)).map((row) => formatVerifierKey(verifierOf(row, log)));
    },

    async sign(organization_id, bytes) {
      const [newest] = await keys.signing(organization_id, 'receipts');
      return { signature: newest!.sign(bytes), verifier_key: formatVerifierKey(newest!.verifier) };
    },

    grown(organization_ids, log) {
      for (const organization_id of organization_ids) due.set(`${log} ${organization_id}`, [organization_id, log]);
      soon();
    },

    onSigned(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await busy;
      await Promise.allSettled(signing.values());
    },
  };

  /** Of no entries there is nothing that another checkpoint could contradict: it is signed when it is asked for, and not kept. */
  async function emptyEnd(organization_id: string, log: LogName): Promise<SignedEnd> {
    const signing = await keys.signing(organization_id, log);
    const origin = signing[0]!.verifier.name;
    const checkpoint = signNote(checkpointText({ origin, size: 0, root: emptyRoot() }), signing);
    return { size: 0, peaks: '', edge: '', checkpoint, signed_at: settings.now() };
  }

  /** What was signed before the last rotation is signed by the keys of today, too: the same text, so nothing is contradicted. */
  async function byNewestKey(organization_id: string, log: LogName, checkpoint: string): Promise<string> {
    const own = (await keys.all(organization_id)).map((row) => verifierOf(row, log));
    const { text, signatures } = parseNote(checkpoint);
    if (signatures.some((signature) => isOfKey(signature, own[0]!))) return checkpoint;
    const cosignatures = signatures.filter((signature) => !own.some((key) => isOfKey(signature, key)));
    const again = parseNote(signNote(text, await keys.signing(organization_id, log)));
    return formatNote({ text, signatures: [...again.signatures, ...cosignatures] });
  }
}
