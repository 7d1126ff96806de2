/** Proofs made one after the other over several tiles: each leads to the root of the tree of its size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { includes, leafHash, nodeHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { encodeHashes } from '../../src/log/encoding.ts';
import { fullTile } from '../../src/log/tree.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { PackTree } from '../../src/pack/tree.ts';
import { keepTiles } from '../../src/store/logs.ts';

const SIZE = 1_300;
const leaves = Array.from({ length: SIZE }, (_, i) => leafHash(Buffer.from(`entry ${i}`)));
const peaksOf = (size: number) =>
  leaves.slice(0, size).reduce<Uint8Array[]>((peaks, leaf, i) => appendLeaf(peaks, i, leaf), []);

eachEngine('the tree of a pack', MIGRATIONS, (fresh) => {
  test('proves every entry in trees of any size, from tiles alone', async () => {
    const { db } = await fresh();
    const full = Math.floor(SIZE / 256);
    const tiles = Array.from({ length: full }, (_, i) => fullTile(0, i, leaves.slice(i * 256, (i + 1) * 256)));
    await db.transaction((tx) => keepTiles(tx, 'org_1', 'receipts', tiles));
    const edge = encodeHashes(leaves.slice(full * 256));
    const end = { size: SIZE, peaks: encodeHashes(peaksOf(SIZE)), edge, checkpoint: '', signed_at: '' };
    const tree = new PackTree(db, 'org_1', end);
    for (const size of [1, 2, 255, 256, 257, 511, 512, 700, 1024, 1025, 1280, 1281, SIZE]) {
      const root = rootOfPeaks(peaksOf(size));
      for (let index = 0; index < size; index += size > 600 ? 7 : 1) {
        assert.deepEqual(Buffer.from(await tree.leaf(index)), Buffer.from(leaves[index]!));
        assert.ok(
          includes({ index, size, leaf: leaves[index]!, root }, await tree.proof(index, size)),
          `${index}/${size}`,
        );
      }
    }
  });

  test('refuses what is not stored any more', async () => {
    const { db } = await fresh();
    const end = { size: 300, peaks: '', edge: encodeHashes(leaves.slice(256, 300)), checkpoint: '', signed_at: '' };
    const tree = new PackTree(db, 'org_1', end);
    await assert.rejects(tree.proof(3, 300), { code: 'log_inconsistent' });
    await assert.rejects(tree.leaf(300), { code: 'log_inconsistent' });
    assert.deepEqual(nodeHash(await tree.leaf(256), await tree.leaf(257)), nodeHash(leaves[256]!, leaves[257]!));
  });
});
