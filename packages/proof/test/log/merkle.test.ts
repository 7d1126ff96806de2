import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toHex } from '../../src/log/bytes.ts';
import {
  consistencyProof,
  emptyRoot,
  extendsTree,
  includes,
  inclusionProof,
  leafHash,
  rootOf,
} from '../../src/log/merkle.ts';
import { flipped, numberedLeaves, subtreesOf, treeOf } from './tree.ts';

const LEAVES = numberedLeaves(300);
const subtree = subtreesOf(LEAVES);
const size = fc.integer({ min: 1, max: LEAVES.length });
/** Of 256. */
const bit = fc.nat(255);

describe('a tree of receipts', () => {
  test('has the root that RFC 6962 gives the empty tree and the tree of one empty leaf', async () => {
    assert.equal(toHex(emptyRoot()), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(
      toHex(leafHash(new Uint8Array(0))),
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    );
    assert.deepEqual(await rootOf(1, subtree), LEAVES[0]);
  });

  test('shows each of its leaves to be at its place, for every size up to 40', async () => {
    for (let n = 1; n <= 40; n++) {
      const { root } = await treeOf(LEAVES, n);
      for (let index = 0; index < n; index++) {
        const proof = await inclusionProof(index, n, subtree);
        assert.ok(includes({ index, size: n, leaf: LEAVES[index]!, root }, proof), `${index} of ${n}`);
      }
    }
  });

  test('shows each older tree to be its beginning, for every size up to 40', async () => {
    for (let n = 1; n <= 40; n++)
      for (let m = 1; m <= n; m++) {
        const proof = await consistencyProof(m, n, subtree);
        assert.ok(extendsTree(await treeOf(LEAVES, m), await treeOf(LEAVES, n), proof), `${m} to ${n}`);
      }
  });

  test('refuses a proof of inclusion with any one bit, place or size changed', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), fc.nat(), bit, async (n, at, of, one) => {
        const index = at % n;
        const { root } = await treeOf(LEAVES, n);
        const leaf = LEAVES[index]!;
        const proof = await inclusionProof(index, n, subtree);
        assert.ok(includes({ index, size: n, leaf, root }, proof));
        const changed = proof.map((hash, i) => (i === of % proof.length ? flipped(hash, one) : hash));
        if (proof.length > 0) assert.ok(!includes({ index, size: n, leaf, root }, changed));
        assert.ok(!includes({ index, size: n, leaf: flipped(leaf, one), root }, proof));
        assert.ok(!includes({ index, size: n, leaf, root: flipped(root, one) }, proof));
        for (const other of [index + 1, index - 1, n, n + index])
          assert.ok(!includes({ index: other, size: n, leaf, root }, proof));
        assert.ok(!includes({ index, size: n, leaf, root }, [...proof, root]));
        assert.ok(proof.length === 0 || !includes({ index, size: n, leaf, root }, proof.slice(1)));
      }),
    );
  });

  test('refuses a proof of consistency with any one bit or size changed', async () => {
    await fc.assert(
      fc.asyncProperty(size, size, fc.nat(), bit, async (one_size, other_size, of, one) => {
        const [m, n] = [Math.min(one_size, other_size), Math.max(one_size, other_size)];
        const [older, newer] = [await treeOf(LEAVES, m), await treeOf(LEAVES, n)];
        const proof = await consistencyProof(m, n, subtree);
        assert.ok(extendsTree(older, newer, proof));
        const changed = proof.map((hash, i) => (i === of % proof.length ? flipped(hash, one) : hash));
        if (proof.length > 0) assert.ok(!extendsTree(older, newer, changed));
        assert.ok(!extendsTree({ ...older, root: flipped(older.root, one) }, newer, proof));
        assert.ok(!extendsTree(older, { ...newer, root: flipped(newer.root, one) }, proof));
        assert.ok(!extendsTree(older, newer, [...proof, older.root]));
        assert.ok(m === n || !extendsTree({ ...newer }, { ...older }, proof));
      }),
    );
  });

  test('shows nothing of the empty tree, nor of sizes that are no whole numbers', async () => {
    const tree = await treeOf(LEAVES, 3);
    assert.ok(!extendsTree({ size: 0, root: emptyRoot() }, tree, []));
    assert.ok(!extendsTree({ ...tree, size: 1.5 }, tree, [tree.root]));
    assert.ok(!includes({ index: -1, size: 3, leaf: LEAVES[0]!, root: tree.root }, []));
    await assert.rejects(consistencyProof(0, 3, subtree), RangeError);
    await assert.rejects(inclusionProof(3, 3, subtree), RangeError);
  });

  test('is not limited to 32 bits', async () => {
    const vast = 2 ** 40 + 1;
    const complete = (level: number, index: number) => leafHash(new TextEncoder().encode(`${level} ${index}`));
    const root = await rootOf(vast, complete);
    const proof = await inclusionProof(2 ** 40, vast, complete);
    assert.equal(proof.length, 1);
    assert.ok(includes({ index: 2 ** 40, size: vast, leaf: complete(0, 2 ** 40), root }, proof));
  });
});
