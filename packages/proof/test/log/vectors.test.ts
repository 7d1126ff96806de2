/** The vectors of notes, trees and tiles (docs/spec.md §10). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ProofError } from '../../src/error.ts';
import { fromBase64, fromHex, toBase64, toHex } from '../../src/log/bytes.ts';
import { verifyCosignatures } from '../../src/log/checkpoint.ts';
import { extendsTree, includes, leafHash } from '../../src/log/merkle.ts';
import { openByPolicy } from '../../src/log/open-by-policy.ts';
import { parsePolicy } from '../../src/log/policy.ts';
import { parseNote, verifyNote } from '../../src/log/signed-note.ts';
import { successorsOf } from '../../src/log/succession.ts';
import { parseTilePath, tilePath } from '../../src/log/tiles.ts';
import { formatVerifierKey, parseVerifierKey } from '../../src/log/verifier-key.ts';
import { verifyStatement } from '../../src/statement.ts';

const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/proofs/${name}.json`, import.meta.url), 'utf8'));

test('each note is signed by whom its vector says, or refused with the code it says', async () => {
  const cases = vector('note--signed-and-refused');
  assert.ok(cases.length > 10);
  for (const { story, note, keys, signed_by, refused } of cases) {
    const open = async () => {
      const verified = await verifyNote(parseNote(note), keys.map(parseVerifierKey));
      return verified.map(({ key }) => key.name);
    };
    if (refused === undefined) assert.deepEqual(await open(), signed_by, story);
    else await assert.rejects(open(), (error) => error instanceof ProofError && error.code === refused, story);
  }
});

test('each succession leads to the key that its vector says, or is refused with the code it says', async () => {
  const cases = vector('succession--of-keys');
  assert.ok(cases.length > 10);
  for (const { story, keys, notes, successor, refused } of cases) {
    const open = async () => formatVerifierKey((await successorsOf(keys.map(parseVerifierKey), notes)).at(-1)!);
    if (refused === undefined) assert.equal(await open(), successor, story);
    else await assert.rejects(open(), (error) => error instanceof ProofError && error.code === refused, story);
  }
});

test('each cosigned checkpoint meets its policy or does not, or is refused with the code its vector says', async () => {
  const cases = vector('policy--met-and-not');
  assert.ok(cases.length > 10);
  for (const { story, policy, note, cosigned, quorum_met, refused } of cases) {
    const open = () => openByPolicy(note, parsePolicy(policy));
    if (refused === undefined) {
      const opened = await open();
      assert.deepEqual(
        [opened.cosigned.map(({ witness }) => witness.name), opened.quorum_met],
        [cosigned, quorum_met],
        story,
      );
    } else await assert.rejects(open(), (error) => error instanceof ProofError && error.code === refused, story);
  }
});

test('each raw cosignature says the time that its vector says, or is refused with the code it says', async () => {
  const cases = vector('cosignature--raw-bytes');
  assert.ok(cases.length > 5);
  for (const { story, key, checkpoint, bytes, time, refused } of cases) {
    const witness = parseVerifierKey(key);
    const line = `\u2014 ${witness.name} ${toBase64(fromHex(bytes)!)}\n`;
    const open = () => verifyCosignatures(parseNote(checkpoint + line), [witness]);
    if (refused === undefined)
      assert.deepEqual([bytes.length / 2, (await open()).map((one) => one.time)], [76, [time]], story);
    else await assert.rejects(open(), (error) => error instanceof ProofError && error.code === refused, story);
  }
});

test('each policy that is none is refused at the line its vector says', () => {
  const cases = vector('policy--refused');
  assert.ok(cases.length > 10);
  for (const { story, line, policy } of cases)
    assert.throws(
      () => parsePolicy(policy),
      (error) =>
        error instanceof ProofError && error.message.includes(line === 0 ? 'no quorum line' : `: line ${line}: `),
      story,
    );
});

test('each statement is of the receipt that its vector says, or refused with the code it says', async () => {
  const cases = vector('statement--of-a-receipt');
  assert.ok(cases.length > 10);
  for (const { story, bundle, receipt, keys, receipt_id, receipt_sha256, refused } of cases) {
    const known = keys.map((text: string) => parseVerifierKey(text).key);
    const verify = () => verifyStatement(bundle, new TextEncoder().encode(receipt), known);
    if (refused === undefined) {
      const statement = await verify();
      assert.deepEqual([statement.receipt_id, statement.receipt_sha256], [receipt_id, receipt_sha256], story);
    } else await assert.rejects(verify(), (error) => error instanceof ProofError && error.code === refused, story);
  }
});

test('each proof of a tree holds or does not, as its vector says', () => {
  const { inclusion, consistency } = vector('tree--inclusion-and-consistency');
  const hashes = (texts: string[]) => texts.map(fromHex);
  for (const [i, { index, size, leaf, root, proof, holds }] of inclusion.entries())
    assert.equal(includes({ index, size, leaf: fromHex(leaf), root: fromHex(root) }, hashes(proof)), holds, `${i}`);
  for (const [i, { from, to, from_root, to_root, proof, holds }] of consistency.entries()) {
    const [older, newer] = [
      { size: from, root: fromHex(from_root) },
      { size: to, root: fromHex(to_root) },
    ];
    assert.equal(extendsTree(older, newer, hashes(proof)), holds, `${i}`);
  }
  assert.ok(inclusion.length > 100 && consistency.length > 50);
});

test('each tile holds the hashes and entries that its path says', () => {
  const { tiles, paths, refused } = vector('tile--paths-and-bytes');
  assert.equal(Object.keys(tiles).length, 7);
  const entries = Object.entries<string>(tiles).flatMap(([path, base64]) => {
    const tile = parseTilePath(path.slice('tile/'.length))!;
    assert.equal(tilePath(tile), path);
    const bytes = fromBase64(base64)!;
    if (tile.level !== null) assert.equal(bytes.length, 32 * tile.width, path);
    return tile.level === null ? entriesOf(bytes) : [];
  });
  assert.deepEqual(
    entries,
    Array.from({ length: 600 }, (_, i) => `${i}`),
  );
  const first = entries.slice(0, 256).map((entry) => leafHash(new TextEncoder().encode(entry)));
  assert.equal(tiles['tile/0/000'], toBase64(fromHex(first.map(toHex).join(''))));
  for (const [path, tile] of Object.entries(paths)) assert.deepEqual(parseTilePath(path.slice('tile/'.length)), tile);
  for (const path of refused) assert.equal(parseTilePath(path.slice('tile/'.length)), null, path);
});

function entriesOf(bundle: Uint8Array): string[] {
  const entries: string[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = bundle[at]! * 256 + bundle[at + 1]!;
    entries.push(new TextDecoder().decode(bundle.subarray(at + 2, at + 2 + length)));
    at += 2 + length;
  }
  return entries;
}
