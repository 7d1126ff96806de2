/** The root over a whole export beside hashing the same lines; what a proof file weighs, and what checking one takes. Without a database. */
import { hash } from 'node:crypto';
import { answersOfReceipt } from '@rcpt/proof/answers/receipt.ts';
import { checkpointText } from '@rcpt/proof/log/checkpoint.ts';
import { inclusionProof, leafHash, nodeHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { formatProofFile } from '@rcpt/proof/log/proof-file.ts';
import { formatNote } from '@rcpt/proof/log/signed-note.ts';
import { seal } from '@rcpt/proof/receipt.ts';
import { signerNamed } from '../../kit/signed-log.ts';
import type { Report } from './report.ts';

export interface ProofSizes {
  rounds: number;
  leaves: number;
  checks: number;
}

const ORIGIN = 'ledger.example/org/org_1';

export async function measureProofs({ rounds, leaves, checks }: ProofSizes, report: Report): Promise<void> {
  const lines = Array.from({ length: 1_000 }, (_, i) => receiptAt(i));
  const line = (i: number) => lines[i % lines.length]!;
  const hashed: number[] = [];
  const rooted: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const hashing = seconds(() => {
      for (let i = 0; i < leaves; i++) hash('sha256', line(i), 'buffer');
    });
    const rooting = seconds(() => {
      let peaks: Uint8Array[] = [];
      for (let i = 0; i < leaves; i++) peaks = appendLeaf(peaks, i, leafHash(line(i)));
      rootOfPeaks(peaks);
    });
    // The first warms up.
    if (round > 0) {
      hashed.push(hashing);
      rooted.push(rooting);
    }
  }
  report.add({
    name: `root over ${leaves} receipts`,
    on: 'no database',
    unit: 's',
    rounds: rooted,
    against: { name: 'hashing them', rounds: hashed },
    aim: '≤ 3',
    also: { 'bytes each': line(0).length },
  });
  await measureFile(line(7), leaves, checks, report);
}

/** Of the last receipt but some in a tree of so many, the other leaves made up. */
async function measureFile(receipt: Uint8Array, leaves: number, checks: number, report: Report): Promise<void> {
  const index = 7;
  const subtrees = [leafHash(new Uint8Array())];
  for (let level = 1; level < 54; level++) subtrees.push(nodeHash(subtrees[level - 1]!, subtrees[level - 1]!));
  const own = [leafHash(receipt)];
  for (let level = 1; level < 54; level++) {
    const is_right = Math.floor(index / 2 ** (level - 1)) % 2 === 1;
    own.push(
      is_right ? nodeHash(subtrees[level - 1]!, own[level - 1]!) : nodeHash(own[level - 1]!, subtrees[level - 1]!),
    );
  }
  const size = 2 ** Math.ceil(Math.log2(leaves));
  const hashes = await inclusionProof(index, size, (level) => subtrees[level]!);
  const signer = signerNamed(ORIGIN);
  const text = checkpointText({ origin: ORIGIN, size, root: own[Math.log2(size)]! });
  const signature = { name: ORIGIN, id: signer.key.id, bytes: signer.sign(new TextEncoder().encode(text)) };
  const proof = formatProofFile({ index, hashes, checkpoint: formatNote({ text, signatures: [signature] }) });
  report.add({
    name: `proof file in a tree of ${size}`,
    on: 'no database',
    unit: 'kB',
    rounds: [proof.length / 1000],
    aim: '< 4',
  });
  const began = performance.now();
  for (let i = 0; i < checks; i++) {
    const { inclusion_and_completeness } = await answersOfReceipt(receipt, proof, { expected: [signer.key] });
    if (inclusion_and_completeness.state !== 'holds') throw new Error(inclusion_and_completeness.text);
  }
  report.add({
    name: 'four answers of a receipt with its proof',
    on: 'no database',
    unit: 'ms',
    rounds: [(performance.now() - began) / checks],
  });
}

function receiptAt(org_seq: number): Uint8Array {
  const { canonical } = seal({
    schema: 'service.receipt/v1',
    receipt_id: `RCPT-${String(org_seq).padStart(6, '0')}-00000000`,
    org_seq,
    parent_hash: '0'.repeat(64),
    created_at: '2026-05-29T20:14:33.123Z',
    organization: { id: 'org_1', name: 'Example Laboratories' },
    run: { id: `run_${org_seq}`, lane: 'generic', title: 'A title', inputs: { task: 'say hello '.repeat(90) } },
    share_url: 'https://ledger.example/share/token',
  });
  return new TextEncoder().encode(canonical);
}

function seconds(work: () => void): number {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1000;
}
