import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { isLiteralNotPublic, isPublic, lookUpPublic, NotPublic } from '../../src/http/public-address.ts';

describe('an address that a caller has named', () => {
  test('is public or is not', () => {
    for (const address of [
      '8.8.8.8',
      '1.1.1.1',
      '172.15.255.255',
      '172.32.0.0',
      '2606:4700::1111',
      '2a00:1450:4001::5',
    ])
      assert.ok(isPublic(address), address);
    for (const address of [
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '198.19.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:db8::1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
      'ff02::1',
      'localhost',
      '',
    ])
      assert.ok(!isPublic(address), address);
  });

  test('in a URL is read as the URL’s parser reads it', () => {
    for (const url of [
      'http://127.1/',
      'http://0x7f000001/',
      'http://2130706433/',
      'http://[::1]/',
      'http://[::ffff:7f00:1]/',
    ])
      assert.ok(isLiteralNotPublic(new URL(url)), url);
    for (const url of ['http://8.8.8.8/', 'http://localhost/', 'https://witness.example/'])
      assert.ok(!isLiteralNotPublic(new URL(url)), url);
  });

  test('that a name leads to is checked as the connection is made', async () => {
    const failed = await new Promise<Error>((resolve) =>
      request('http://localhost:1/', { lookup: lookUpPublic }).on('error', resolve).end(),
    );
    assert.ok(failed instanceof NotPublic, String(failed));
    assert.match(failed.message, /localhost is (127\.0\.0\.1|::1), which is no public address/);
  });
});
