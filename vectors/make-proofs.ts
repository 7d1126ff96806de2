/** The vectors of the signed log: notes, keys, proofs, tiles, and what a verifier answers to receipts and exports with them. */
import { fromHex, toBase64, toHex } from '../packages/proof/src/log/bytes.ts';
import { formatConsistency } from '../packages/proof/src/log/consistency-file.ts';
import { consistencyProof, inclusionProof, leafHash } from '../packages/proof/src/log/merkle.ts';
import { formatNote, parseNote } from '../packages/proof/src/log/signed-note.ts';
import { bundleOf, signedBytesOf, statementOf } from '../packages/proof/src/statement.ts';
import { tilePath, tileWidth } from '../packages/proof/src/log/tiles.ts';
import { GENESIS_HASH, seal } from '../packages/proof/src/index.ts';
import { logOf, type Signer, signerNamed } from '../test/kit/signed-log.ts';
import { witnessVectors } from './make-witness.ts';

/** What is held against what; all texts as they stand in files. */
export interface AnswersVector {
  story: string;
  receipt?: string;
  export?: string;
  proof?: string;
  checkpoint?: string;
  /** Verifier keys that the reader trusts, a line each. */
  keys?: string;
  /** Those that came with the files. */
  keys_beside?: string;
  policy?: string;
  consistency?: string;
  /** The last checkpoint of this log that the reader saw. */
  remembered?: string;
}

const ORIGIN = 'ledger.example/org/org_1';
/** A bit of a base64 text's bytes flipped, so that it stays canonical. */
const flip = (base64: string, at = 5) => toBase64(Uint8Array.from(atob(base64), (c, i) => c.charCodeAt(0) ^ (i === at ? 1 : 0)));

/** @param texts the chain of six */
export async function proofVectors(texts: string[]): Promise<Record<string, object>> {
  const vectors: Record<string, object> = {};
  const log = logOf(texts, ORIGIN);
  for (const [name, vector] of Object.entries({ ...(await ofReceipts(texts)), ...ofExports(texts) }))
    vectors[`answers--${name}`] = { story: name.replaceAll('-', ' '), ...vector };
  vectors['note--signed-and-refused'] = notes(log.signer, log.checkpoint());
  vectors['succession--of-keys'] = successions();
  vectors['tree--inclusion-and-consistency'] = await trees();
  vectors['tile--paths-and-bytes'] = tiles();
  vectors['statement--of-a-receipt'] = statements(log.signer, texts);
  return { ...vectors, ...(await witnessVectors(texts)) };
}

type Vectors = Record<string, Omit<AnswersVector, 'story'>>;

async function ofReceipts(texts: string[]): Promise<Vectors> {
  const log = logOf(texts, ORIGIN);
  const keys = `${log.signer.vkey}\n`;
  const receipt = texts[3]!;
  const proof = await log.proof(3);
  const witnesses = ['one', 'two', 'three'].map((name) => signerNamed(`${name}.witness.example`, 4));
  const cosigners = witnesses.map((signer, i) => ({ signer, time: 1_790_000_000 + 60 * i }));
  const policy = `${witnesses.map(({ vkey }, i) => `witness w${i + 1} ${vkey}\n`).join('')}group all-of-mine 2 w1 w2 w3\nquorum all-of-mine\n`;
  const wrong: Signer = { ...witnesses[0]!, sign: (message) => witnesses[0]!.sign(message).map((byte, i) => (i === 9 ? byte ^ 1 : byte)) };
  const hashes = proof.split('\n\n')[0]!.split('\n').slice(2);
  const signature = proof.trimEnd().split(' ').at(-1)!;
  const organization_2 = logOf(texts, 'ledger.example/org/org_2');
  const { receipt_sha256: _, ...payload } = JSON.parse(receipt);
  const other = logOf(texts.with(5, texts[1]!), ORIGIN);
  const base = { receipt, proof, keys };
  return {
    'a-receipt-with-proof-and-key': base,
    'a-receipt-alone': { receipt },
    'a-receipt-whose-key-came-along': { receipt, proof, keys_beside: keys },
    'a-receipt-without-a-key': { receipt, proof },
    'a-receipt-in-another-formatting': { ...base, receipt: `${JSON.stringify(JSON.parse(receipt), null, 2)}\n` },
    'the-first-receipt-of-a-tree-of-one': { ...base, receipt: texts[0]!, proof: await log.proof(0, 1) },
    'the-last-receipt': { ...base, receipt: texts[5]!, proof: await log.proof(5) },
    'a-receipt-that-two-of-three-witnesses-saw': { ...base, proof: await log.proof(3, 6, cosigners.slice(1)), policy },
    'a-receipt-that-two-of-three-witnesses-saw-whose-keys-came-along': {
      receipt,
      proof: await log.proof(3, 6, cosigners.slice(1)),
      keys_beside: keys + witnesses.map(({ vkey }) => `${vkey}\n`).join(''),
    },
    'a-receipt-whose-one-known-witness-signature-was-changed': {
      receipt,
      proof: await log.proof(3, 6, [{ ...cosigners[0]!, signer: wrong }]),
      keys_beside: `${keys}${witnesses[0]!.vkey}\n`,
    },
    'a-receipt-that-too-few-witnesses-saw': { ...base, proof: await log.proof(3, 6, cosigners.slice(2)), policy },
    'a-witness-signature-changed': { ...base, proof: await log.proof(3, 6, [{ ...cosigners[0]!, signer: wrong }, ...cosigners.slice(1)]), policy },
    'another-key-of-the-same-name': { ...base, keys: `${signerNamed(ORIGIN, 1, 'another').vkey}\n` },
    'the-key-of-another-log': { ...base, keys: `${organization_2.signer.vkey}\n` },
    'the-signature-changed': { ...base, proof: proof.replace(signature, flip(signature, 20)) },
    'the-id-of-the-key-changed': { ...base, proof: proof.replace(signature, flip(signature, 0)) },
    'the-size-changed': { ...base, proof: proof.replace(`${ORIGIN}\n6\n`, `${ORIGIN}\n7\n`) },
    'the-root-changed': { ...base, proof: proof.replace(toBase64(log.rootAt(6)), flip(toBase64(log.rootAt(6)))) },
    'the-proof-of-another-receipt': { ...base, receipt: texts[4]! },
    'the-index-changed': { ...base, proof: proof.replace('index 3', 'index 2') },
    'the-ledger-of-another-organization': { ...base, proof: await organization_2.proof(3), keys: `${organization_2.signer.vkey}\n` },
    'the-receipt-altered': { ...base, receipt: receipt.replace('"eval_after":0.734', '"eval_after":0.834') },
    'the-receipt-sealed-anew': { ...base, receipt: seal({ ...payload, created_at: '2026-05-30T00:00:00.000Z' }).canonical },
    'a-hash-of-the-proof-changed': { ...base, proof: proof.replace(hashes[1]!, flip(hashes[1]!)) },
    'a-hash-too-many': { ...base, proof: proof.replace(hashes[0]!, `${hashes[0]}\n${hashes[0]}`) },
    'a-hash-too-few': { ...base, proof: proof.replace(`${hashes[0]}\n`, '') },
    'a-proof-of-another-version': { ...base, proof: proof.replace('@v1', '@v2') },
    'a-proof-with-base64-in-another-form': { ...base, proof: proof.replace(/=\n/, '\n') },
    'an-index-with-a-leading-zero': { ...base, proof: proof.replace('index 3', 'index 03') },
    'a-proof-without-a-checkpoint': { ...base, proof: `${proof.split('\n\n')[0]}\n\n` },
    'an-extension-line-in-the-checkpoint': { ...base, proof: proof.replace(/(\n6\n[^\n]+\n)/, '$1extension\n') },
    'seen-before-and-extended': { ...base, remembered: log.checkpoint(4), consistency: formatConsistency(await log.consistency(4)) },
    'seen-before-and-not-shown-to-be-extended': { ...base, remembered: log.checkpoint(4) },
    'seen-before-and-the-same': { ...base, remembered: log.checkpoint(6) },
    'older-than-what-was-seen': { ...base, proof: await log.proof(3, 4), remembered: log.checkpoint(6), consistency: formatConsistency(await log.consistency(4)) },
    'another-tree-than-was-seen': { ...base, remembered: other.checkpoint(6) },
    'a-consistency-proof-of-another-history': { ...base, remembered: log.checkpoint(4), consistency: formatConsistency(await other.consistency(4)) },
    'an-empty-file': { ...base, receipt: '' },
  };
}

function ofExports(texts: string[]): Vectors {
  const log = logOf(texts, ORIGIN);
  const keys = `${log.signer.vkey}\n`;
  const lines = (receipts: string[]) => receipts.map((text) => `${text}\n`).join('');
  const anew = chainedAnew(texts);
  const forged = logOf(anew, ORIGIN);
  const whole = { export: lines(texts), checkpoint: log.checkpoint(), keys };
  const organization_2 = logOf(texts, 'ledger.example/org/org_2');
  const checkpoint = log.checkpoint();
  return {
    'an-export-with-checkpoint': whole,
    'an-export-alone': { export: lines(texts) },
    'an-export-whose-key-came-along': { export: whole.export, checkpoint, keys_beside: keys },
    'an-export-beyond-its-checkpoint': { ...whole, checkpoint: log.checkpoint(4) },
    'the-tail-cut-off': { ...whole, export: lines(texts.slice(0, 4)) },
    'the-tail-cut-off-and-a-checkpoint-signed-for-the-rest': { ...whole, export: lines(texts.slice(0, 4)), checkpoint: log.checkpoint(4), remembered: log.checkpoint(6) },
    'all-chained-anew': { ...whole, export: lines(anew) },
    'all-chained-anew-and-signed-again': { ...whole, export: lines(anew), checkpoint: forged.checkpoint(), remembered: log.checkpoint(4) },
    'all-signed-again-at-the-size-that-was-seen': { ...whole, export: lines(anew), checkpoint: forged.checkpoint(), remembered: log.checkpoint(6) },
    'an-export-that-extends-what-was-seen': { ...whole, remembered: log.checkpoint(4) },
    'an-export-with-an-altered-receipt': { ...whole, export: lines(texts.with(3, texts[3]!.replace('"eval_after":0.734', '"eval_after":0.834'))) },
    'an-export-with-the-checkpoint-of-another-organization': { ...whole, checkpoint: organization_2.checkpoint(), keys: `${organization_2.signer.vkey}\n` },
    'an-export-with-another-key': { ...whole, keys: `${signerNamed(ORIGIN, 1, 'another').vkey}\n` },
    'an-export-with-a-checkpoint-that-is-none': { ...whole, checkpoint: checkpoint.replace('\n6\n', '\n06\n') },
    'an-empty-export': { ...whole, export: '' },
  };
}

/** Another history that hangs together as well: the third receipt says something else, all after it follow. */
function chainedAnew(texts: string[]): string[] {
  let parent_hash = GENESIS_HASH;
  return texts.map((text, i) => {
    const { receipt_sha256: _, ...payload } = JSON.parse(text);
    const changed = i === 2 ? { created_at: '2026-05-29T20:12:30.000Z' } : {};
    const { canonical, receipt_sha256 } = seal({ ...payload, ...changed, parent_hash });
    parent_hash = receipt_sha256;
    return canonical;
  });
}

/** A note, and the keys it is held against: who of them signed it, or the code with which it is refused. */
function notes(signer: Signer, checkpoint: string): object {
  const published = {
    key: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    note: 'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
  };
  const stranger = signerNamed('stranger.example');
  const parsed = parseNote(checkpoint);
  const line = { name: stranger.key.name, id: stranger.key.id, bytes: stranger.sign(new TextEncoder().encode(parsed.text)) };
  const both = formatNote({ ...parsed, signatures: [line, ...parsed.signatures] });
  const keys = [signer.vkey];
  const cases: [story: string, note: string, keys: string[], answer: object][] = [
    ['the published example', published.note, [published.key], { signed_by: ['example.com/foo'] }],
    ['a checkpoint', checkpoint, keys, { signed_by: [ORIGIN] }],
    ['a signature of a stranger is passed over', both, keys, { signed_by: [ORIGIN] }],
    ['two keys that are known', both, [...keys, stranger.vkey], { signed_by: ['stranger.example', ORIGIN] }],
    ['no key that is known', checkpoint, [stranger.vkey], { refused: 'bad_signature' }],
    ['another text', checkpoint.replace('\n6\n', '\n5\n'), keys, { refused: 'bad_signature' }],
    ['a key of the same name and another id', checkpoint, [signerNamed(ORIGIN, 1, 'another').vkey], { refused: 'bad_signature' }],
    ['a key whose id is not its own', checkpoint, [signer.vkey.replace(/\+[0-9a-f]{8}\+/, '+00000000+')], { refused: 'invalid_key' }],
    ['a key of an unknown type', checkpoint, [signer.vkey.replace(/\+A/, '+B')], { refused: 'invalid_key' }],
    ['a note without signatures', checkpoint.split('\n\n')[0]!, keys, { refused: 'not_a_note' }],
    ['a note without a final line feed', checkpoint.slice(0, -1), keys, { refused: 'not_a_note' }],
    ['a carriage return', checkpoint.replace('\n6\n', '\r\n6\n'), keys, { refused: 'not_a_note' }],
    ['a hyphen for the dash', checkpoint.replace('\u2014', '-'), keys, { refused: 'not_a_note' }],
    ['a signature in base64 of another form', checkpoint.replace(/=\n$/, '\n'), keys, { refused: 'not_a_note' }],
    ['a thousand signatures', checkpoint + checkpoint.split('\n\n')[1]!.repeat(1_000), keys, { refused: 'not_a_note' }],
  ];
  return cases.map(([story, note, of, answer]) => ({ story, note, keys: of, ...answer }));
}

/** `successor`: the key that is trusted in the end, by who trusts `keys` and holds `notes` in this order. */
function successions(): object {
  const [one, two, three] = ['one', 'two', 'three'].map((seed) => signerNamed(ORIGIN, 1, seed)) as [Signer, Signer, Signer];
  const other = signerNamed('ledger.example/org/org_2', 1, 'two');
  const witness = signerNamed(ORIGIN, 4, 'two');
  const time = '2026-05-29T20:14:33.123Z';
  const said = (from: Signer, to: Signer, origin = ORIGIN) =>
    `rcpt-key-succession/v1\n${origin}\nfrom ${from.vkey}\nto ${to.vkey}\ntime ${time}\n`;
  const signed = (text: string, ...signers: Signer[]) => {
    const signatures = signers.map(({ key, sign }) => ({ name: key.name, id: key.id, bytes: sign(new TextEncoder().encode(text)) }));
    return formatNote({ text, signatures });
  };
  const first = signed(said(one, two), two, one);
  const second = signed(said(two, three), three, two);
  const activity = signerNamed(`${ORIGIN}/activity`, 1, 'one');
  const cases: [story: string, keys: Signer[], notes: string[], answer: object][] = [
    ['one succession', [one], [first], { successor: two.vkey }],
    ['two, in order', [one], [first, second], { successor: three.vkey }],
    ['the activity log of the same keys', [activity], [first], { successor: signerNamed(`${ORIGIN}/activity`, 1, 'two').vkey }],
    ['two, in the wrong order', [one], [second, first], { refused: 'wrong_succession' }],
    ['from a key that nobody trusts', [three], [first], { refused: 'wrong_succession' }],
    ['signed by the new key alone', [one], [signed(said(one, two), two)], { refused: 'bad_signature' }],
    ['signed by the old key alone', [one], [signed(said(one, two), one)], { refused: 'bad_signature' }],
    ['the old key twice', [one], [signed(said(one, two), one, one)], { refused: 'bad_signature' }],
    ['a key exchanged after it was signed', [one], [first.replace(two.vkey, three.vkey)], { refused: 'bad_signature' }],
    ['the time changed', [one], [first.replace('20:14', '20:15')], { refused: 'bad_signature' }],
    ['another origin than that of the keys', [one], [signed(said(one, two, 'ledger.example/org/org_2'), two, one)], { refused: 'not_a_succession' }],
    ['to the key of another log', [one], [signed(said(one, other), other, one)], { refused: 'not_a_succession' }],
    ['to the key of a witness', [one], [signed(said(one, witness), witness, one)], { refused: 'not_a_succession' }],
    ['to itself', [one], [signed(said(one, one), one)], { refused: 'not_a_succession' }],
    ['a line more', [one], [signed(`${said(one, two)}more\n`, two, one)], { refused: 'not_a_succession' }],
    ['of another version', [one], [signed(said(one, two).replace('/v1', '/v2'), two, one)], { refused: 'not_a_succession' }],
    ['a key whose id is not its own', [one], [signed(said(one, two).replace(/\nto (.*)\+[0-9a-f]{8}\+/, '\nto $1+00000000+'), two, one)], { refused: 'invalid_key' }],
    ['no note', [one], [said(one, two)], { refused: 'not_a_note' }],
  ];
  return cases.map(([story, keys, notes, answer]) => ({ story, keys: keys.map(({ vkey }) => vkey), notes, ...answer }));
}

function statements(signer: Signer, texts: string[]): object {
  const receipt = texts[3]!;
  const other = texts[2]!;
  const bytes = statementOf(receipt, ORIGIN);
  const signed = (statement: Uint8Array, by = signer) =>
    bundleOf(statement, signer.key.key, by.sign(signedBytesOf(statement)));
  const payload = JSON.parse(new TextDecoder().decode(bytes));
  const changed = (change: object) => signed(new TextEncoder().encode(JSON.stringify({ ...payload, ...change })));
  const bundle = signed(bytes);
  const within = (change: (envelope: { payload: string; payloadType: string; signatures: { sig: string }[] }) => void) => {
    const whole = JSON.parse(bundle);
    change(whole.dsseEnvelope);
    return JSON.stringify(whole);
  };
  const { receipt_id, receipt_sha256 } = JSON.parse(receipt);
  const stranger = signerNamed('stranger.example');
  const keys = [signer.vkey];
  const bad = { refused: 'bad_signature' };
  const none = { refused: 'not_a_statement' };
  const cases: [story: string, bundle: string, receipt: string, keys: string[], answer: object][] = [
    ['as it is served', bundle, receipt, keys, { receipt_id, receipt_sha256 }],
    ['one of several keys', bundle, receipt, [stranger.vkey, ...keys], { receipt_id, receipt_sha256 }],
    ['a key that has not signed it', bundle, receipt, [stranger.vkey], bad],
    ['signed by another, under the hint of the key', signed(bytes, stranger), receipt, keys, bad],
    ['a bit of the payload', within((envelope) => (envelope.payload = flip(envelope.payload, 100))), receipt, keys, bad],
    ['a bit of the signature', within(({ signatures }) => (signatures[0]!.sig = flip(signatures[0]!.sig, 30))), receipt, keys, bad],
    ['about another receipt', bundle, other, keys, none],
    ['about a receipt that does not verify', bundle, receipt.replace('"title":"', '"title":"Not '), keys, none],
    ['another predicate', changed({ predicateType: 'https://slsa.dev/provenance/v1' }), receipt, keys, none],
    ['another statement type', changed({ _type: 'https://in-toto.io/Statement/v0.1' }), receipt, keys, none],
    ['two subjects', changed({ subject: [...payload.subject, ...payload.subject] }), receipt, keys, none],
    ['the file of another', changed({ predicate: { ...payload.predicate, file_sha256: receipt_sha256 } }), receipt, keys, none],
    ['another payload type', within((envelope) => (envelope.payloadType = 'application/json')), receipt, keys, none],
    ['two signatures', within(({ signatures }) => signatures.push(signatures[0]!)), receipt, keys, none],
    ['no signature', within(({ signatures }) => signatures.pop()), receipt, keys, none],
    ['cut off', bundle.slice(0, -1), receipt, keys, none],
  ];
  return cases.map(([story, text, about, of, answer]) => ({ story, bundle: text, receipt: about, keys: of, ...answer }));
}

/** Leaves are the hashes of `0`, `1`, …; `holds` says whether the proof is one. */
async function trees(): Promise<object> {
  const entries = Array.from({ length: 11 }, (_, i) => `${i}`);
  const log = logOf(entries, ORIGIN);
  const hex = (hashes: Uint8Array[]) => hashes.map(toHex);
  const inclusion: object[] = [];
  const consistency: object[] = [];
  for (const size of [1, 2, 3, 7, 8, 11])
    for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
      const leaf = toHex(leafHash(new TextEncoder().encode(`${index}`)));
      const proof = hex(await inclusionProof(index, size, log.subtree));
      const right = { index, size, leaf, root: toHex(log.rootAt(size)), proof };
      inclusion.push({ ...right, holds: true });
      if (size === 1) continue;
      for (const wrong of [
        { index: index === 0 ? 1 : index - 1 },
        { index: size },
        { size: size * 2 },
        { leaf: right.root },
        { root: leaf },
        { proof: proof.slice(1) },
        { proof: [...proof, leaf] },
        { proof: proof.toReversed().with(0, leaf) },
        { proof: proof.with(0, proof[0]!.slice(2)) },
      ])
        inclusion.push({ ...right, ...wrong, holds: false });
    }
  for (const [from, to] of [[1, 1], [1, 2], [2, 3], [3, 7], [4, 8], [6, 8], [7, 11], [8, 11], [11, 11]] as const) {
    const proof = hex(await consistencyProof(from, to, log.subtree));
    const right = { from, to, from_root: toHex(log.rootAt(from)), to_root: toHex(log.rootAt(to)), proof };
    consistency.push({ ...right, holds: true });
    for (const wrong of [
      { from: 0 },
      { from: to + 1 },
      { from_root: toHex(leafHash(new Uint8Array())) },
      { to_root: toHex(leafHash(new Uint8Array())) },
      { proof: [...proof, right.to_root] },
      ...(proof.length > 0 ? [{ proof: proof.slice(1) }, { proof: proof.with(-1, right.from_root) }] : []),
    ])
      consistency.push({ ...right, ...wrong, holds: false });
  }
  return { inclusion, consistency };
}

/** Of a tree of 600 entries `0`, `1`, …: every tile that it has, by its path, in base64; and paths that are none. */
function tiles(): object {
  const size = 600;
  const leaves = Array.from({ length: size }, (_, i) => new TextEncoder().encode(`${i}`));
  const log = logOf(leaves, ORIGIN);
  const found: Record<string, string> = {};
  for (const level of [0, 1])
    for (let index = 0; tileWidth(size, level, index) > 0; index++) {
      const width = tileWidth(size, level, index);
      const hashes = Array.from({ length: width }, (_, j) => log.subtree(8 * level, 256 * index + j) as Uint8Array);
      found[tilePath({ level, index, width })] = toBase64(fromHex(hashes.map(toHex).join('')));
    }
  for (let index = 0; tileWidth(size, null, index) > 0; index++) {
    const width = tileWidth(size, null, index);
    const bundle = leaves.slice(256 * index, 256 * index + width).flatMap((entry) => [entry.length >> 8, entry.length & 255, ...entry]);
    found[tilePath({ level: null, index, width })] = toBase64(Uint8Array.from(bundle));
  }
  const refused = ['tile/0/5', 'tile/0/x000/005', 'tile/0/000.p/0', 'tile/0/000.p/256', 'tile/64/000', 'tile/00/000', 'tile/0/000/', 'tile/entries/1234', 'tile/0/x1234/067'];
  const paths = { 'tile/0/x001/x234/067': { level: 0, index: 1_234_067, width: 256 }, 'tile/entries/273.p/112': { level: null, index: 273, width: 112 } };
  return { size, root: toHex(log.rootAt(size)), tiles: found, paths, refused };
}
