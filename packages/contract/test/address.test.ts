import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHere, isUnspecified } from '../src/address.ts';

test('every spelling of "every address" is known, and nothing else is taken for it', () => {
  for (const host of [
    '0.0.0.0',
    '0',
    '0x0',
    '00.0',
    '::',
    '::0',
    '[::]',
    '0:0:0:0:0:0:0:0',
    '::ffff:0.0.0.0',
    '::0.0.0.0',
  ])
    assert.equal(isUnspecified(host), true, host);
  for (const host of ['127.0.0.1', '0.0.0.1', '::1', '[::1]', '::ffff:0.0.0.1', 'localhost', 'zero.example', 'a b', ''])
    assert.equal(isUnspecified(host), false, host);
});

test('what listens on every address is reached over loopback from here; any other address stays', () => {
  for (const [url, reached] of [
    ['http://0.0.0.0:8080', 'http://127.0.0.1:8080'],
    ['http://0:8080', 'http://127.0.0.1:8080'],
    ['http://[::]:8080', 'http://[::1]:8080'],
    ['http://[::ffff:0.0.0.0]:8080', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://gpu-host:8080', 'http://gpu-host:8080'],
    ['', ''],
  ] as const)
    assert.equal(fromHere(url), reached, url);
});
