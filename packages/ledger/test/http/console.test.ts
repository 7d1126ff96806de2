/** The same address is a page to a person and JSON to a program. */
import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { type App, createHttp } from '@rcpt/service/http/app.ts';
import { createLogger } from '@rcpt/service/process/log.ts';
import { serveConsole } from '../../src/http/console.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const SCRIPT = 'console.log("the console")\n';

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let app: App;
  let unbuilt: App;

  before(async () => {
    mkdirSync(join(folder, 'console/assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
    writeFileSync(join(folder, 'console/assets/app-1.js'), SCRIPT);
    writeFileSync(join(folder, 'console/assets/app-1.js.br'), brotliCompressSync(SCRIPT));
    [app, unbuilt] = await Promise.all([service(folder), service(join(folder, 'nothing'))]);
  });
  after(async () => {
    await Promise.all([app.close(), unbuilt.close()]);
    rmSync(folder, { recursive: true });
  });

  test('is what a person gets under every address that has a page', async () => {
    for (const url of [
      '/',
      '/sign-in',
      '/runs',
      '/runs/run_1',
      '/receipts/RCPT-000001-abcdef12',
      '/ledger',
      '/settings/keys',
    ]) {
      const { statusCode, body, headers } = await app.inject({ url, headers: { accept: BROWSER } });
      assert.equal(statusCode, 200, url);
      assert.match(body, /<title>Console/);
      assert.match(String(headers['content-security-policy']), /script-src 'self';/);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/);
      assert.match(String(headers.vary), /accept/);
      assert.equal(headers['cache-control'], 'no-cache');
    }
  });

  test('is not what a program gets', async () => {
    const programs = ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0, */*', undefined];
    for (const accept of programs) {
      const { statusCode, body } = await app.inject({ url: '/runs', headers: accept === undefined ? {} : { accept } });
      assert.equal(statusCode, 200);
      assert.deepEqual(JSON.parse(body), { runs: [] });
    }
    assert.equal((await app.inject({ method: 'POST', url: '/runs', headers: { accept: BROWSER } })).statusCode, 404);
  });

  test('says itself that it has no such page, and leaves the addresses of others alone', async () => {
    const { statusCode, body } = await app.inject({ url: '/no/such/page', headers: { accept: BROWSER } });
    assert.equal(statusCode, 404);
    assert.match(body, /<title>Console/);
    for (const url of ['/share/nothing', '/console/assets/nothing.js', '/favicon.ico', '/receipts/recent'])
      assert.match(
        String((await app.inject({ url, headers: { accept: BROWSER } })).headers['content-type']),
        /json/,
        url,
      );
  });

  test('sends a file compressed to those who take it, once', async () => {
    const url = '/console/assets/app-1.js';
    const small = await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } });
    assert.equal(small.headers['content-encoding'], 'br');
    assert.equal(brotliDecompressSync(small.rawPayload).toString(), SCRIPT);
    assert.match(String(small.headers['cache-control']), /immutable/);
    const plain = await app.inject({ url, headers: { 'accept-encoding': 'br;q=0, identity' } });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.body, SCRIPT);
    const again = await app.inject({ url, headers: { 'if-none-match': String(plain.headers.etag) } });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
  });

  test('that is not built says how to build it, and the API works', async () => {
    const page = await unbuilt.inject({ url: '/', headers: { accept: BROWSER } });
    assert.equal(page.statusCode, 503);
    assert.match(page.body, /npm run build/);
    assert.equal((await unbuilt.inject({ url: '/runs' })).statusCode, 200);
  });
});

async function service(dist: string): Promise<App> {
  const app = await createHttp({
    title: 'Console',
    description: '',
    version: '0',
    tags: [],
    logger: createLogger('test', 'silent'),
    problems: {},
    json_body_bytes: 1_000,
    overload_delay_ms: 60_000,
  });
  serveConsole(app, dist);
  app.get('/runs', { schema: { hide: true } }, async () => ({ runs: [] }));
  app.get('/receipts/recent', { schema: { hide: true } }, async () => ({ receipts: [] }));
  await app.ready();
  return app;
}
