/** Each caller gets the encoding it takes, under an ETag of those bytes. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { compressed, sendCompressed } from '../../src/http/compressed.ts';

const SCRIPT = 'console.log("the page");\n'.repeat(50);
const files = {
  '/script': compressed(Buffer.from(SCRIPT), 'text/javascript; charset=utf-8', '"of-the-script"'),
  '/tiny': compressed(Buffer.from('x'), 'text/css; charset=utf-8', '"of-the-style"'),
  '/face': compressed(Buffer.alloc(500), 'font/woff2', '"of-the-face"'),
};

const app = fastify();
for (const [path, file] of Object.entries(files))
  app.get(path, async (request, reply) => sendCompressed(request, reply, file));

const asked = (
  accept_encoding?: string,
  more: Record<string, string> = {},
  url = '/script',
  method = 'GET' as 'GET' | 'HEAD',
) => app.inject({ url, method, headers: { ...(accept_encoding && { 'accept-encoding': accept_encoding }), ...more } });

test('a file is sent in the encoding that the caller takes, and whole to who takes none', async () => {
  const brotli = await asked('gzip, deflate, br, zstd');
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), SCRIPT);
  const gzip = await asked('gzip');
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(gzip.rawPayload).toString(), SCRIPT);
  for (const none of [undefined, 'identity', 'br;q=0, gzip;q=0', 'zstd']) {
    const plain = await asked(none);
    assert.equal(plain.headers['content-encoding'], undefined, none);
    assert.equal(plain.body, SCRIPT);
    assert.equal(plain.headers.etag, '"of-the-script"');
  }
  for (const { headers } of [brotli, gzip, await asked()]) {
    assert.equal(headers.vary, 'accept-encoding');
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
  }
});

test('an encoding has an ETag of its own, and what the caller has is not sent again', async () => {
  const etags = [(await asked('br')).headers.etag!, (await asked('gzip')).headers.etag!, (await asked()).headers.etag!];
  assert.equal(new Set(etags).size, 3);
  for (const named of [etags[0]!, `W/${etags[0]}`, `"another", ${etags[0]}`, '*']) {
    const again = await asked('br', { 'if-none-match': named });
    assert.equal(again.statusCode, 304, named);
    assert.equal(again.body, '');
    assert.equal(again.headers.etag, etags[0]);
    assert.equal(again.headers.vary, 'accept-encoding');
    assert.equal(again.headers['content-encoding'], undefined);
  }
  assert.equal((await asked('gzip', { 'if-none-match': etags[0]! })).statusCode, 200);
});

test('HEAD has the headers of GET and no body', async () => {
  const [head, get] = [await asked('br', {}, '/script', 'HEAD'), await asked('br')];
  assert.equal(head.body, '');
  for (const name of ['etag', 'content-encoding', 'content-length', 'content-type', 'vary'])
    assert.equal(head.headers[name], get.headers[name], name);
});

test('what would not be smaller, or is compressed already, is sent as it is', async () => {
  for (const url of ['/tiny', '/face']) {
    const { headers } = await asked('br, gzip', {}, url);
    assert.equal(headers['content-encoding'], undefined, url);
    assert.equal(headers.vary, undefined, url);
  }
});
