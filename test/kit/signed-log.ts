/** A log over receipts: signs checkpoints with keys made of a name, so that the same log is the same bytes every time. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { checkpointText, cosignatureBytes, cosignedMessage } from '@rcpt/proof/log/checkpoint.ts';
import { consistencyProof, inclusionProof, leafHash, nodeHash, type Subtree } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { formatProofFile } from '@rcpt/proof/log/proof-file.ts';
import { formatNote, type NoteSignature } from '@rcpt/proof/log/signed-note.ts';
import { formatVerifierKey, type KeyType, type VerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';

export interface Signer {
  key: VerifierKey;
  vkey: string;
  sign(message: Uint8Array): Uint8Array;
}

/** @param seed any text; by default the name */
export function signerNamed(name: string, type: KeyType = 1, seed = name): Signer {
  const key = privateKeyOf(createHash('sha256').update(seed).digest());
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32);
  const verifier = verifierKey(name, type, new Uint8Array(raw));
  return {
    key: verifier,
    vkey: formatVerifierKey(verifier),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}

function privateKeyOf(seed: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

export interface Cosigner {
  signer: Signer;
  /** Whole seconds since 1970. */
  time: number;
}

/** The log of these receipts under this origin. Sizes default to all of them. */
export function logOf(receipts: readonly (string | Uint8Array)[], origin: string, signer = signerNamed(origin)) {
  const leaves = receipts.map((receipt) => leafHash(Buffer.from(receipt as string)));
  const subtree: Subtree = (level, index) =>
    level === 0
      ? leaves[index]!
      : nodeHash(subtree(level - 1, 2 * index) as Uint8Array, subtree(level - 1, 2 * index + 1) as Uint8Array);
  const rootAt = (size: number) =>
    rootOfPeaks(leaves.slice(0, size).reduce<Uint8Array[]>((peaks, leaf, i) => appendLeaf(peaks, i, leaf), []));

  function checkpoint(size = leaves.length, cosigners: readonly Cosigner[] = []): string {
    const text = checkpointText({ origin, size, root: rootAt(size) });
    const line = { name: signer.key.name, id: signer.key.id, bytes: signer.sign(new TextEncoder().encode(text)) };
    return formatNote({ text, signatures: [line, ...cosigners.map((cosigner) => cosigned(text, cosigner))] });
  }

  return {
    signer,
    rootAt,
    subtree,
    checkpoint,
    /** What a reader remembers. */
    tree: (size = leaves.length) => ({ origin, size, root: rootAt(size) }),
    async proof(index: number, size = leaves.length, cosigners: readonly Cosigner[] = []): Promise<string> {
      const hashes = await inclusionProof(index, size, subtree);
      return formatProofFile({ index, hashes, checkpoint: checkpoint(size, cosigners) });
    },
    consistency: (from: number, to = leaves.length) => consistencyProof(from, to, subtree),
  };
}

function cosigned(text: string, { signer, time }: Cosigner): NoteSignature {
  const { name, id } = signer.key;
  return { name, id, bytes: cosignatureBytes(time, signer.sign(cosignedMessage(time, text))) };
}
