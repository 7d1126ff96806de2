/** A bundle of a log's entries ends at the first one that is too large. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queries } from '@rcpt/service/db/db.ts';
import { bundleOf } from '../../src/log/bundle.ts';

const WIDTH = 256;
const db = {} as Queries;
const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

/** A log that remembers which entries were read. */
function logOf(entries: string[]) {
  const read: number[] = [];
  const source = {
    entries: async (_: Queries, _organization_id: string, from: number, limit: number) => {
      const some = entries.slice(from, from + limit);
      read.push(...some.keys().map((i) => from + i));
      return some;
    },
  };
  return { source, read };
}

test('what stands behind the first entry that is too large is not read', async () => {
  const { source, read } = logOf(Array.from({ length: 2 * WIDTH }, (_, i) => 'x'.repeat(i === 300 ? 65_536 : 3)));
  await assert.rejects(bundleOf(db, 'org', source, WIDTH, WIDTH), code('entry_too_large'));
  assert.deepEqual([read[0], read.includes(300)], [WIDTH, true]);
  assert.ok(read.at(-1)! < 320, `read up to ${read.at(-1)}`);
});

test('all entries are in it, in order, each behind its length', async () => {
  const entries = Array.from({ length: WIDTH }, (_, i) => (i === 7 ? 'é'.repeat(32_767) : `entry ${i}`));
  const { source, read } = logOf(entries);
  const bundle = await bundleOf(db, 'org', source, 0, WIDTH);
  const found: string[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = bundle.readUInt16BE(at);
    found.push(bundle.toString('utf8', at + 2, at + 2 + length));
    at += 2 + length;
  }
  assert.deepEqual(found, entries);
  assert.deepEqual(read, [...entries.keys()]);
  await assert.rejects(bundleOf(db, 'org', source, WIDTH - 1, 2), code('log_inconsistent'));
});
