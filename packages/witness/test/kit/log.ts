/** A log with a key of its own, and forks of it, that submits to witnesses. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { toBase64 } from '@rcpt/proof/log/bytes.ts';
import { checkpointText } from '@rcpt/proof/log/checkpoint.ts';
import { consistencyProof, leafHash, nodeHash, rootOf, type Subtree } from '@rcpt/proof/log/merkle.ts';
import { formatNote } from '@rcpt/proof/log/signed-note.ts';
import { formatVerifierKey, type VerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';

export interface TestLog {
  key: VerifierKey;
  vkey: string;
  checkpoint(size: number, extension?: string): Promise<string>;
  proof(old_size: number, size: number): Promise<Uint8Array[]>;
  /** The body of add-checkpoint. */
  submission(old_size: number, size: number): Promise<string>;
  /** The same key over other receipts from `at` on. */
  fork(at: number): TestLog;
}

export function createLog(origin: string): TestLog {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const key = verifierKey(origin, 1, new Uint8Array(raw));
  const signed = (text: string) => new Uint8Array(sign(null, Buffer.from(text), privateKey));
  return over((index) => leafHash(new TextEncoder().encode(`receipt ${index}`)));

  function over(leaf: (index: number) => Uint8Array): TestLog {
    const kept = new Map<string, Uint8Array>();
    const subtree: Subtree = (level, index) => {
      const known = kept.get(`${level} ${index}`);
      if (known !== undefined) return known;
      const hash =
        level === 0
          ? leaf(index)
          : nodeHash(subtree(level - 1, 2 * index) as Uint8Array, subtree(level - 1, 2 * index + 1) as Uint8Array);
      kept.set(`${level} ${index}`, hash);
      return hash;
    };
    async function checkpoint(size: number, extension = ''): Promise<string> {
      const text = checkpointText({ origin, size, root: await rootOf(size, subtree) }) + extension;
      return formatNote({ text, signatures: [{ name: origin, id: key.id, bytes: signed(text) }] });
    }
    const proof = async (old_size: number, size: number) =>
      old_size === 0 || old_size > size ? [] : await consistencyProof(old_size, size, subtree);
    return {
      key,
      vkey: formatVerifierKey(key),
      checkpoint,
      proof,
      submission: async (old_size, size) => submissionOf(old_size, await proof(old_size, size), await checkpoint(size)),
      fork: (at) => over((index) => (index < at ? leaf(index) : leafHash(new TextEncoder().encode(`other ${index}`)))),
    };
  }
}

export function submissionOf(old_size: number, proof: readonly Uint8Array[], checkpoint: string): string {
  return `${[`old ${old_size}`, ...proof.map(toBase64)].join('\n')}\n\n${checkpoint}`;
}
