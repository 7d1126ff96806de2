/** A folder takes files as it takes bytes: whole, below its root, over no link. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openStorage } from '../src/open.ts';
import { type Bounds, KeyRefused } from '../src/storage.ts';

const BOUNDS: Bounds = { refuse_links: true, s3: { connect_ms: 1_000, request_ms: 1_000, attempts: 1 } };
const base = mkdtempSync(join(tmpdir(), 'storage-'));
after(() => rmSync(base, { recursive: true, force: true }));

function fileOf(name: string, text: string) {
  const path = join(base, name);
  writeFileSync(path, text);
  return { path, byte_size: text.length, sha256: 'a'.repeat(64) };
}

describe('a folder', () => {
  const root = join(base, 'root');
  const storage = openStorage(`file:${root}`, BOUNDS);
  const { signal } = new AbortController();

  test('copies a file under its key, also a read-only one, and leaves nothing unfinished', async () => {
    const file = fileOf('model.bin', 'weights');
    chmodSync(file.path, 0o444);
    await storage.putFile('job_1/1/out/model ä.bin', file, signal);
    assert.equal((await storage.get('job_1/1/out/model ä.bin'))?.toString(), 'weights');
    assert.equal(
      storage.addressOf('job_1/1/out/model ä.bin'),
      pathToFileURL(join(root, 'job_1/1/out/model ä.bin')).href,
    );
    await storage.putFile('job_1/1/out/model ä.bin', fileOf('second', 'others'), signal);
    assert.equal((await storage.get('job_1/1/out/model ä.bin'))?.toString(), 'others');
    assert.deepEqual(readdirSync(join(root, '.unfinished')), []);
  });

  test('follows no link below its root, neither to an object nor to its unfinished files', async () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(root, 'job_2'));
    await assert.rejects(storage.putFile('job_2/a', fileOf('a', 'x'), signal), KeyRefused);
    rmSync(join(root, '.unfinished'), { recursive: true });
    symlinkSync(outside, join(root, '.unfinished'));
    await assert.rejects(storage.put('job_3/a', Buffer.from('x'), 'text/plain'), KeyRefused);
    assert.deepEqual(readdirSync(outside), []);
    rmSync(join(root, '.unfinished'));
  });

  test('replaces a link that stands where an object goes, and not what it leads to', async () => {
    const secret = fileOf('secret', 'secret');
    mkdirSync(join(root, 'job_4'));
    symlinkSync(secret.path, join(root, 'job_4/a'));
    await storage.putFile('job_4/a', fileOf('b', 'x'), signal);
    assert.equal(readFileSync(secret.path, 'utf8'), 'secret');
  });

  test('takes no key that leads out of it', async () => {
    for (const key of ['../x', 'a/../../x', '/x', 'a//x', 'a/.', '..', '', 'a\0/x'])
      for (const use of [
        () => storage.putFile(key, fileOf('c', 'x'), signal),
        () => storage.get(key),
        () => storage.delete(key),
      ])
        await assert.rejects(async () => use(), KeyRefused, JSON.stringify(key));
  });
});
