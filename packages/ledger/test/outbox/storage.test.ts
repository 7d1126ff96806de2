import assert from 'node:assert/strict';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { createProbe } from '@rcpt/service/process/health.ts';
import { STORAGE_URL } from '@rcpt/storage/open.ts';
import type { Storage } from '@rcpt/storage/storage.ts';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { evidenceKey, openStorage, receiptKey } from '../../src/outbox/storage.ts';
import { closedAfterwards, s3Server, s3Url, silentServer, temporaryFolder, until } from '../kit/copies.ts';

const SHA256 = 'e3b0c442'.repeat(8);

describe('object keys', () => {
  test('of receipts and evidence stay in their organization', () => {
    assert.equal(receiptKey('org_1', 'RCPT-000001-0a1b2c3d', 'pdf'), 'org_1/receipts/RCPT-000001-0a1b2c3d.pdf');
    assert.equal(evidenceKey('org_1', 'run_2', SHA256), `org_1/evidence/run_2/${SHA256}`);
    for (const id of [
      '',
      '..',
      '.',
      '../org_2',
      'a/b',
      'a\\b',
      '/etc',
      'a\0b',
      'a\nb',
      '.hidden',
      'ä',
      'x'.repeat(300),
      'org_..',
      'org_1/../org_2',
      'run_1\n',
    ])
      for (const made of [
        () => receiptKey(id, 'RCPT-000001-0a1b2c3d', 'json'),
        () => receiptKey('org_1', id, 'json'),
        () => receiptKey('org_1', `RCPT-000001-0a1b2c3d/../${id}`, 'json'),
        () => evidenceKey(id, 'run_2', SHA256),
        () => evidenceKey('org_1', id, SHA256),
        () => evidenceKey('org_1', 'run_2', id),
      ])
        assert.throws(made, /cannot be part of an object key/, JSON.stringify(id));
    assert.throws(() => evidenceKey('run_2', 'org_1', SHA256), /cannot be part/, 'each in its place');
  });

  test('that lead anywhere else are no keys', async () => {
    const storage = openStorage('file:nowhere');
    for (const key of ['', '/', 'a/', '/a', 'a//b', 'a/../b', 'a/./b', 'a/.b', 'a\\b', 'C:/x', 'a b', 'a%2e'])
      await assert.rejects(async () => storage.get(key), /not an object key/, key);
  });
});

describe('a storage URL', () => {
  const good = [
    'file:data/objects',
    'file:/var/lib/objects',
    's3://my-bucket',
    's3://my.bucket/a/prefix/',
    's3://bucket/p?region=eu-central-1',
    's3://bucket/p?endpoint=http://127.0.0.1:9000&region=us-east-1',
    's3://bucket?endpoint=https%3A%2F%2Fminio.example',
  ];
  const bad = [
    '',
    'file:',
    'data/objects',
    's3://',
    's3://b',
    's3:///p',
    's3://bucket/../p?x=1',
    's3://bucket?endpoint=minio',
    'gs://bucket',
  ];
  for (const url of good) test(`${url} is taken`, () => assert.match(url, STORAGE_URL));
  for (const url of bad)
    test(`${url || 'nothing'} is refused`, () => {
      assert.doesNotMatch(url, STORAGE_URL);
      assert.throws(() => openStorage(url), /object storage is/);
    });
});

function keepsWhatItIsGiven(open: () => Promise<Storage>): void {
  let storage: Storage;
  beforeEach(async () => {
    storage = closedAfterwards(await open());
  });

  test('gives back the bytes, replaces them, and forgets them', async () => {
    const key = 'org_1/receipts/RCPT-000000-00000000.json';
    assert.equal(await storage.get(key), null);
    await storage.put(key, Buffer.from('{"a":"ü"}'), 'application/json');
    assert.equal((await storage.get(key))?.toString(), '{"a":"ü"}');
    await storage.put(key, Buffer.from('second'), 'application/json');
    assert.equal((await storage.get(key))?.toString(), 'second');
    await storage.delete(key);
    await storage.delete(key);
    assert.equal(await storage.get(key), null);
  });

  test('keeps empty and large objects', async () => {
    const large = Buffer.alloc(3_000_000, 'receipt ');
    await storage.put('empty', Buffer.alloc(0), 'text/plain');
    await storage.put('large', large, 'application/octet-stream');
    assert.equal((await storage.get('empty'))?.length, 0);
    assert.ok((await storage.get('large'))?.equals(large));
    assert.ok((await storage.get('large', undefined, large.length))?.equals(large));
    const tooLarge = { byte_size: large.length };
    await assert.rejects(storage.get('large', undefined, large.length - 1), tooLarge);
  });

  test('refuses what is not a key', async () => {
    for (const key of ['../outside', '/etc/passwd', 'a/../../b', ''])
      for (const use of [
        () => storage.put(key, Buffer.alloc(1), 'text/plain'),
        () => storage.get(key),
        () => storage.delete(key),
      ])
        await assert.rejects(async () => use(), /not an object key/);
  });

  test('passes its probe and leaves nothing of it', async () => {
    await storage.probe(AbortSignal.timeout(60_000));
    await Promise.all([storage.probe(AbortSignal.timeout(60_000)), storage.probe(AbortSignal.timeout(60_000))]);
  });

  test('does nothing for a caller who has gone', async () => {
    await assert.rejects(storage.put('gone', Buffer.alloc(1), 'text/plain', AbortSignal.abort()));
    assert.equal(await storage.get('gone'), null);
  });
}

describe('a folder', () => {
  const folder = temporaryFolder();
  describe('as object storage', () => {
    keepsWhatItIsGiven(async () => openStorage(`file:${folder}`));
  });

  test('holds a file per object and no unfinished one', async () => {
    const storage = openStorage(`file:${folder}`);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => storage.put('org_1/same', Buffer.from(`${i}`.repeat(9_999)), 'text/plain')),
    );
    const bytes = await readFile(join(folder, 'org_1', 'same'), 'utf8');
    assert.equal(new Set(bytes.match(/\d\d?/g)).size <= 2, true, 'never a mixture of two writes');
    assert.deepEqual(readdirSync(join(folder, '.unfinished')), []);
  });

  test('loses what a crash left unfinished an hour ago, and nothing younger', async () => {
    const unfinished = join(folder, '.unfinished');
    const [old, young] = [join(unfinished, 'old'), join(unfinished, 'young')];
    for (const path of [old, young]) writeFileSync(path, 'half of an ob');
    const before_last_hour = Date.now() / 1_000 - 4_000;
    utimesSync(old, before_last_hour, before_last_hour);
    openStorage(`file:${folder}`);
    await until('the sweep', () => readdirSync(unfinished).join() === 'young');
  });

  test('that cannot be written fails its probe and every write, and leaves reading null', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const storage = openStorage(`file:${file}/objects`);
    await assert.rejects(storage.put('a', Buffer.alloc(1), 'text/plain'), { code: 'ENOTDIR' });
    assert.equal(await createProbe((signal) => storage.probe(signal)).check(), false);
  });
});

describe('an S3 server', () => {
  describe('as object storage', () => {
    keepsWhatItIsGiven(async () => openStorage((await s3Server()).url));
  });

  test('that refuses connections says so within its bounds', async () => {
    const storage = closedAfterwards(openStorage(s3Url(await ownPort())));
    await assert.rejects(storage.put('a', Buffer.alloc(1), 'text/plain'), { code: 'ECONNREFUSED' });
    await assert.rejects(storage.get('a'));
    assert.equal(await createProbe((signal) => storage.probe(signal)).check(), false);
  });

  test('that never answers is left when the caller gives up', async () => {
    const server = await silentServer();
    const storage = closedAfterwards(openStorage(s3Url(server.port)));
    await assert.rejects(storage.put('a', Buffer.alloc(1), 'text/plain', AbortSignal.timeout(100)));
    assert.equal(await createProbe((signal) => storage.probe(signal), { timeout_ms: 100 }).check(), false);
  });

  test('without the bucket fails the probe, and does not pass for an empty one', async () => {
    const server = await s3Server();
    const storage = closedAfterwards(openStorage(server.url.replace('s3://copies', 's3://nowhere')));
    await assert.rejects(storage.put('a', Buffer.alloc(1), 'text/plain'), { name: 'NoSuchBucket' });
    await assert.rejects(storage.get('a'), { name: 'NoSuchBucket' });
  });
});
