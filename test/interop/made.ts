/** A log of 70,000 entries with its key, its notes, proofs and tiles, made by `packages/proof` in the process that asks. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { concat } from '@rcpt/proof/log/bytes.ts';
import { checkpointText, cosignatureBytes, cosignedMessage } from '@rcpt/proof/log/checkpoint.ts';
import { leafHash, nodeHash, rootOf, type Subtree, type Tree } from '@rcpt/proof/log/merkle.ts';
import { formatNote } from '@rcpt/proof/log/signed-note.ts';
import { TILE_WIDTH, tilePath, tileWidth } from '@rcpt/proof/log/tiles.ts';
import { type KeyType, type VerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';

export interface Signer {
  key: VerifierKey;
  sign(message: Uint8Array): Uint8Array;
}

export interface MadeLog {
  records: Uint8Array[];
  subtree: Subtree;
  log: Signer;
  witness: Signer;
  treeOf(size: number): Promise<Tree>;
  /** Signed by the log, and by the witness where it is asked for. */
  checkpointOf(size: number, cosigned?: boolean): Promise<string>;
}

export function signer(name: string, type: KeyType): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
  return { key: verifierKey(name, type, raw), sign: (message) => new Uint8Array(sign(null, message, privateKey)) };
}

export function makeLog(size: number): MadeLog {
  const log = signer('ledger.example/org/org_1', 1);
  const witness = signer('witness.example', 4);
  const records = Array.from({ length: size }, (_, i) => new TextEncoder().encode(`{"org_seq":${i}}`));
  const subtree = subtreesOf(records);
  const treeOf = async (of: number) => ({ size: of, root: await rootOf(of, subtree) });
  return {
    records,
    subtree,
    log,
    witness,
    treeOf,
    async checkpointOf(of, cosigned = false) {
      const text = checkpointText({ origin: log.key.name, ...(await treeOf(of)) });
      const own = { name: log.key.name, id: log.key.id, bytes: log.sign(new TextEncoder().encode(text)) };
      const time = Math.floor(Date.now() / 1000);
      const bytes = cosignatureBytes(time, witness.sign(cosignedMessage(time, text)));
      const other = { name: witness.key.name, id: witness.key.id, bytes };
      return formatNote({ text, signatures: cosigned ? [own, other] : [own] });
    },
  };
}

/** Every tile of the tree of all records, and its entry bundles. */
export async function writeTiles({ records, subtree }: MadeLog, folder: string): Promise<void> {
  for (const level of [null, 0, 1, 2]) {
    for (let index = 0; ; index++) {
      const width = tileWidth(records.length, level, index);
      if (width === 0) break;
      const numbers = Array.from({ length: width }, (_, i) => index * TILE_WIDTH + i);
      const parts = numbers.map((n) => (level === null ? entry(records[n]!) : subtree(8 * level, n)));
      const file = join(folder, tilePath({ level, index, width }));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, concat(...(await Promise.all(parts))));
    }
  }
}

function entry(record: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(record.length >> 8, record.length & 255), record);
}

function subtreesOf(records: readonly Uint8Array[]): Subtree {
  const levels = [records.map(leafHash)];
  for (let below = levels[0]!; below.length > 1; below = levels.at(-1)!)
    levels.push(Array.from({ length: below.length >> 1 }, (_, i) => nodeHash(below[2 * i]!, below[2 * i + 1]!)));
  return (level, index) => levels[level]![index]!;
}
