/** The signer by itself, over entries that a test makes: sizes around full tiles of every level, and several signers at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { consistencyProof, extendsTree, includes, inclusionProof, leafHash, rootOf } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, countPeaks, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { parseNote, verifyNote } from '@rcpt/proof/log/signed-note.ts';
import { successorsOf } from '@rcpt/proof/log/succession.ts';
import { formatVerifierKey, parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { subtreesOf, treeOf } from '../../../proof/test/log/tree.ts';
import { decodeHashes, encodeHashes } from '../../src/log/encoding.ts';
import { checkMasterKey, openLogKeys } from '../../src/log/keys.ts';
import { createMasterKey } from '../../src/log/master-key.ts';
import { signEnd } from '../../src/log/signer.ts';
import type { LogSource } from '../../src/log/source.ts';
import { LogTree } from '../../src/log/tree.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { foundOrganization } from '../../src/people/organizations.ts';
import { activityOf } from '../kit/activity.ts';

const ENTRY = (i: number) => `entry ${i}`;
const leaves = Array.from({ length: 66_000 }, (_, i) => leafHash(Buffer.from(ENTRY(i))));
const subtrees = memoized(subtreesOf(leaves));
const MASTER = createMasterKey(Buffer.alloc(32, 1));

/** A log that holds so many entries, and can be changed. */
function logOf(size: number): LogSource & { size: number; entry: (i: number) => string; withPeaks: boolean } {
  return {
    log: 'receipts',
    size,
    entry: ENTRY,
    withPeaks: true,
    async end() {
      const peaks = this.withPeaks ? encodeHashes(peaksOf(this.size)) : null;
      return { size: this.size, peaks };
    },
    async entries(_db, _organization_id, from, limit) {
      return Array.from({ length: Math.max(0, Math.min(limit, this.size - from)) }, (_, i) => this.entry(from + i));
    },
    async takeIn() {},
  };
}

function peaksOf(size: number): Uint8Array[] {
  return leaves.slice(0, size).reduce<Uint8Array[]>((peaks, leaf, i) => appendLeaf(peaks, i, leaf), []);
}

function settingsOf(db: Db) {
  const now = () => '2026-11-22T12:00:00.000Z';
  return { db, keys: openLogKeys(db, MASTER, () => 'ledger.example', now), now };
}

eachEngine('the signer', MIGRATIONS, (fresh, engine) => {
  test('signs at every size the root of the entries, and proves each of them and each size before', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    const settings = settingsOf(db);
    const log = logOf(0);
    const few = [1, 2, 255, 256, 257, 300, 511, 512, 1_000];
    const sizes = engine === 'sqlite' ? [...few, 65_535, 65_536, 66_000] : few;
    let before = 0;
    for (const size of sizes) {
      log.size = size;
      const { end } = (await signEnd(settings, org, log))!;
      const [key] = await settings.keys.signing(org, 'receipts');
      assert.equal(key!.verifier.name, `ledger.example/org/${org}`);
      const { root } = await openCheckpoint(end.checkpoint, key!.verifier);
      assert.equal(end.size, size);
      assert.deepEqual(hex(root), hex(await rootOf(size, subtrees)));
      assert.equal(decodeHashes(end.peaks).length, countPeaks(size));
      const tree = new LogTree(db, org, 'receipts', end);
      for (const index of new Set([0, 1, size >> 1, before, size - 1].filter((i) => i < size))) {
        const proof = await inclusionProof(index, size, tree.subtree);
        assert.ok(includes({ index, size, leaf: leaves[index]!, root }, proof), `${index} of ${size}`);
      }
      for (const older of sizes.filter((one) => one <= size)) {
        const proof = await consistencyProof(older, size, new LogTree(db, org, 'receipts', end).subtree);
        const old_root = rootOfPeaks(peaksOf(older));
        assert.ok(extendsTree({ size: older, root: old_root }, { size, root }, proof), `${older} to ${size}`);
      }
      before = size;
    }
    const full = await db.all<{ level: number; tiles: number }>(
      'select level, count(*) as tiles from log_tiles group by level order by level',
    );
    assert.deepEqual(
      full.map(({ level, tiles }) => [level, Number(tiles)]),
      engine === 'sqlite'
        ? [
            [0, 257],
            [1, 1],
          ]
        : [[0, 3]],
    );
  });

  test('signs once what several sign at the same time, whatever each of them sees', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    const sizes = [5, 9, 9, 300, 12, 513, 513, 2];
    const signed = await Promise.allSettled(sizes.map((size) => signEnd(settingsOf(db), org, logOf(size))));
    // Who sees fewer entries than are signed already signs nothing.
    for (const [i, result] of signed.entries())
      if (result.status === 'rejected') assert.equal(result.reason.code, 'log_inconsistent', `${sizes[i]}`);
    const ends = signed.flatMap((result) => (result.status === 'fulfilled' ? [result.value!.end] : []));
    const { end } = (await signEnd(settingsOf(db), org, logOf(513)))!;
    assert.equal(end.size, 513);
    const [key] = await settingsOf(db).keys.signing(org, 'receipts');
    for (const { checkpoint, size } of ends) {
      const { root } = await openCheckpoint(checkpoint, key!.verifier);
      assert.equal(hex(root), hex((await treeOf(leaves, size)).root));
    }
    assert.equal((await settingsOf(db).keys.all(org)).length, 1, 'one key, however many wanted to make it');
  });

  test('signs nothing that does not continue what was signed', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    const settings = settingsOf(db);
    const log = logOf(300);
    const { end } = (await signEnd(settings, org, log))!;

    log.size = 299;
    await assert.rejects(signEnd(settings, org, log), { code: 'log_inconsistent' }, 'cut off');
    log.size = 600;
    log.entry = (i) => (i === 400 ? 'another' : ENTRY(i));
    await assert.rejects(signEnd(settings, org, log), { code: 'log_inconsistent' }, 'an altered entry');
    log.withPeaks = false;
    log.entry = ENTRY;
    log.entries = async () => [];
    await assert.rejects(signEnd(settings, org, log), { code: 'log_inconsistent' }, 'entries that are missing');
    const kept = await db.get('select checkpoint from log_ends where organization_id = $1', [org]);
    assert.equal(kept!.checkpoint, end.checkpoint);
  });

  test('takes in a chain that is older than its tree', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    const log = logOf(700);
    log.withPeaks = false;
    const taken: [number, string][] = [];
    log.takeIn = async (_tx, _id, size, peaks) => void taken.push([size, peaks]);
    const { end } = (await signEnd(settingsOf(db), org, log))!;
    assert.deepEqual(taken, [[700, encodeHashes(peaksOf(700))]]);
    assert.equal(end.size, 700);
  });

  test('signs with the next key and the one before it, each of which has signed the succession', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    const settings = settingsOf(db);
    await signEnd(settings, org, logOf(1));
    const [old] = await settings.keys.signing(org, 'receipts');
    const { from, to, succession } = await settings.keys.rotate(org, { id: 'operator', name: 'the operator' });
    const { end } = (await signEnd(settings, org, logOf(2)))!;
    for (const key of [from, to].map(parseVerifierKey)) {
      assert.equal((await openCheckpoint(end.checkpoint, key)).size, 2);
      assert.equal((await verifyNote(parseNote(succession), [key])).length, 1);
    }
    assert.equal(from, formatVerifierKey(old!.verifier));
    await settings.keys.rotate(org, { id: 'operator', name: 'the operator' });
    const third = (await signEnd(settings, org, logOf(3)))!.end.checkpoint;
    await assert.rejects(openCheckpoint(third, parseVerifierKey(from)), { code: 'bad_signature' });
    assert.equal((await openCheckpoint(third, parseVerifierKey(to))).size, 3);
    const acts = (await activityOf(db, org)).map(({ activity }) => activity.kind);
    assert.deepEqual(acts.slice(-3), ['log_key_created', 'log_key_rotated', 'log_key_rotated']);
    const recorded = (await activityOf(db, org)).flatMap(({ activity }) =>
      activity.kind === 'log_key_rotated' ? [activity.details.succession!] : [],
    );
    assert.equal(recorded[0], succession);
    const [second] = await successorsOf([parseVerifierKey(from)], recorded.slice(0, 1));
    assert.equal(formatVerifierKey(second!), to);
    const last = (await successorsOf([old!.verifier], recorded)).at(-1)!;
    assert.equal((await openCheckpoint(third, last)).size, 3);
  });

  test('does not start with another master key than the one that sealed the keys', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    await checkMasterKey(db, MASTER);
    await settingsOf(db).keys.all(org);
    await checkMasterKey(db, MASTER);
    await assert.rejects(checkMasterKey(db, createMasterKey(Buffer.alloc(32, 2))), /^Error: LEDGER_MASTER_KEY: /);
    const [row] = await settingsOf(db).keys.all(org);
    assert.throws(() => MASTER.open(row!.sealed_private_key, 'log key 0 of another'));
  });

  test('keeps the last checkpoint of each day', async () => {
    const { db } = await fresh();
    const org = await founded(db);
    const at = (now: string) => ({ ...settingsOf(db), now: () => now });
    await signEnd(at('2026-11-22T10:00:00.000Z'), org, logOf(1));
    await signEnd(at('2026-11-22T23:00:00.000Z'), org, logOf(2));
    await signEnd(at('2026-11-23T01:00:00.000Z'), org, logOf(3));
    const days = await db.all('select day, size from log_checkpoints order by day');
    assert.deepEqual(
      days.map(({ day, size }) => [day, Number(size)]),
      [
        ['2026-11-22', 2],
        ['2026-11-23', 3],
      ],
    );
  });
});

async function founded(db: Db): Promise<string> {
  const at = '2026-11-22T12:00:00.000Z';
  const { organization_id } = await db.transaction((tx) => foundOrganization(tx, { name: 'Any' }, at));
  return organization_id;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function memoized(subtree: ReturnType<typeof subtreesOf>): typeof subtree {
  const known = new Map<string, Uint8Array>();
  return (level, index) => {
    const name = `${level}/${index}`;
    const hash = known.get(name) ?? (subtree(level, index) as Uint8Array);
    known.set(name, hash);
    return hash;
  };
}
