/** What Go's tools are asked about a made log: everything once as it is, and altered in each of its parts. */
import { toBase64 } from '@rcpt/proof/log/bytes.ts';
import { consistencyProof, inclusionProof } from '@rcpt/proof/log/merkle.ts';
import { formatProofFile } from '@rcpt/proof/log/proof-file.ts';
import { formatVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { policyOf as proposedPolicy } from '../../packages/ledger/src/witnesses/witnesses.ts';
import type { GoCase } from './go.ts';
import { type MadeLog, signer } from './made.ts';

const PLACES = [0, 1, 255, 256, 4_095, 65_535, 65_536, 69_998];
const SIZES = [1, 2, 3, 255, 256, 257, 65_536, 65_537, 69_999];

/** For `golang.org/x/mod/sumdb`: note, tlog. @param tiles the folder with the tiles */
export async function sumdbCases(made: MadeLog, tiles: string): Promise<GoCase[]> {
  const size = made.records.length;
  const note = await made.checkpointOf(size, true);
  const key = formatVerifierKey(made.log.key);
  const tree = { size, root: toBase64((await made.treeOf(size)).root) };
  const records = made.records.map(toBase64);
  const index = size - 2;
  const hashes = (await inclusionProof(index, size, made.subtree)).map(toBase64);
  return [
    { name: 'a checkpoint as a signed note', holds: true, kind: 'note', note, key },
    { name: 'its size changed', holds: false, kind: 'note', note: note.replace(`\n${size}\n`, `\n${size - 1}\n`), key },
    {
      name: 'its key another',
      holds: false,
      kind: 'note',
      note,
      key: formatVerifierKey(signer(made.log.key.name, 1).key),
    },
    { name: 'the root, of the records alone', holds: true, kind: 'root', ...tree, records },
    { name: 'the root, a record less', holds: false, kind: 'root', ...tree, records: records.slice(1) },
    { name: 'all tiles, and a proof made of them', holds: true, kind: 'tiles', ...tree, tiles, index, hashes },
    {
      name: 'all tiles, under another root',
      holds: false,
      kind: 'tiles',
      ...tree,
      root: toBase64(new Uint8Array(32)),
      tiles,
      index,
      hashes,
    },
    ...(await inclusions(made)),
    ...(await consistencies(made)),
  ];
}

async function inclusions(made: MadeLog): Promise<GoCase[]> {
  const size = made.records.length;
  const root = toBase64((await made.treeOf(size)).root);
  const cases: GoCase[] = [];
  for (const index of PLACES) {
    const hashes = (await inclusionProof(index, size, made.subtree)).map(toBase64);
    const record = toBase64(made.records[index]!);
    const asked = { kind: 'inclusion', index, size, root, hashes, record } as const;
    cases.push(
      { name: `inclusion of ${index}`, holds: true, ...asked },
      { name: `inclusion of ${index}, at the next place`, holds: false, ...asked, index: index + 1 },
      {
        name: `inclusion of ${index}, of another record`,
        holds: false,
        ...asked,
        record: toBase64(made.records[index + 1]!),
      },
      { name: `inclusion of ${index}, a hash less`, holds: false, ...asked, hashes: hashes.slice(1) },
    );
  }
  return cases;
}

async function consistencies(made: MadeLog): Promise<GoCase[]> {
  const size = made.records.length;
  const root = toBase64((await made.treeOf(size)).root);
  const cases: GoCase[] = [];
  for (const older_size of SIZES) {
    const hashes = (await consistencyProof(older_size, size, made.subtree)).map(toBase64);
    const older_root = toBase64((await made.treeOf(older_size)).root);
    const asked = { kind: 'consistency', size, root, older_size, older_root, hashes } as const;
    cases.push(
      { name: `consistency from ${older_size}`, holds: true, ...asked },
      {
        name: `consistency from ${older_size}, of another tree`,
        holds: false,
        ...asked,
        older_root: toBase64(new Uint8Array(32)),
      },
      { name: `consistency from ${older_size}, a hash more`, holds: false, ...asked, hashes: [...hashes, root] },
    );
  }
  return cases;
}

/** For `filippo.io/torchwood`: proof files, cosignatures, entries. */
export async function torchwoodCases(made: MadeLog, tiles: string): Promise<GoCase[]> {
  const size = made.records.length;
  const note = await made.checkpointOf(size, true);
  const alone = await made.checkpointOf(size);
  const policy = policyOf(formatVerifierKey(made.log.key), formatVerifierKey(made.witness.key));
  const stranger = policyOf(formatVerifierKey(made.log.key), formatVerifierKey(signer('witness.example', 4).key));
  const proposed = (key: VerifierKey) => {
    const witness = { name: key.name, key: formatVerifierKey(key), url: 'https://witness.example' };
    return proposedPolicy('An organization', [formatVerifierKey(made.log.key)], [witness]);
  };
  const index = 4_711;
  const hashes = await inclusionProof(index, size, made.subtree);
  const proof = formatProofFile({ index, hashes, checkpoint: note });
  const record = toBase64(made.records[index]!);
  const records = made.records.map(toBase64);
  return [
    { name: 'a checkpoint with its cosignature', holds: true, kind: 'checkpoint', note, policy },
    { name: 'a checkpoint that the witness has not signed', holds: false, kind: 'checkpoint', note: alone, policy },
    { name: 'a checkpoint that another witness has signed', holds: false, kind: 'checkpoint', note, policy: stranger },
    {
      name: 'a checkpoint under the policy that a ledger proposes',
      holds: true,
      kind: 'checkpoint',
      note,
      policy: proposed(made.witness.key),
    },
    {
      name: 'a checkpoint that another witness has signed, under such a policy',
      holds: false,
      kind: 'checkpoint',
      note,
      policy: proposed(signer('witness.example', 4).key),
    },
    { name: 'a proof file', holds: true, kind: 'proof', proof, policy, record },
    { name: 'a proof file of another record', holds: false, kind: 'proof', proof, policy, record: records[index + 1]! },
    {
      name: 'a proof file without its witness',
      holds: false,
      kind: 'proof',
      proof: formatProofFile({ index, hashes, checkpoint: alone }),
      policy,
      record,
    },
    {
      name: 'a proof file of another place',
      holds: false,
      kind: 'proof',
      proof: proof.replace('index 4711', 'index 4710'),
      policy,
      record,
    },
    { name: 'all entries', holds: true, kind: 'entries', note, policy, tiles, records },
    {
      name: 'all entries, one of them another',
      holds: false,
      kind: 'entries',
      note,
      policy,
      tiles,
      records: records.with(300, record),
    },
  ];
}

/** Without a witness, the log's signature is enough. */
export function policyOf(log: string, witness?: string): string {
  if (witness === undefined) return `log ${log}\nquorum none\n`;
  return `log ${log}\nwitness one ${witness}\ngroup all-of-them all one\nquorum all-of-them\n`;
}
