import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open.ts';

test('a new database and its logs can be read by their owner only', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'files-'));
  const folder = join(parent, 'data');
  const db = openDatabase(`sqlite:${folder}/a.db`);
  try {
    await db.script('create table t (a text not null)');
    assert.equal(statSync(folder).mode & 0o077, 0);
    const files = readdirSync(folder);
    assert.ok(files.includes('a.db-wal'));
    for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file);
  } finally {
    await db.close();
    rmSync(parent, { recursive: true });
  }
});
