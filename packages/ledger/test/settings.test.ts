/** Settings that cannot work stop the start with one line that names them (docs/spec.md §25). */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '@rcpt/service/process/config.ts';
import { mayCallPrivate, readLedgerConfig, readLedgerSettings } from '../src/config.ts';
import { ledgerProcess, rcpt } from './kit/process.ts';
import { tenantOf } from './kit/running.ts';
import { mintedReceipt } from './kit/story.ts';

test('witnesses are called at private addresses only where nobody else reaches the ledger, or it is said so', () => {
  const cases: [Record<string, string>, boolean][] = [
    [{}, true],
    [{ LEDGER_HOST: '127.0.0.1', LEDGER_BASE_URL: 'http://localhost:8080' }, true],
    [{ LEDGER_HOST: '::1', LEDGER_BASE_URL: 'http://[::1]:8080' }, true],
    [{ LEDGER_HOST: '127.0.0.1', LEDGER_BASE_URL: 'https://receipts.example.org' }, false],
    [{ LEDGER_HOST: '127.0.0.1', LEDGER_BASE_URL: 'https://127.0.0.1.example.org' }, false],
    [{ LEDGER_HOST: '127.0.0.1', LEDGER_TRUST_PROXY: '127.0.0.1' }, false],
    [{ LEDGER_HOST: '10.0.0.5' }, false],
    [{ LEDGER_HOST: '10.0.0.5', LEDGER_WITNESS_PRIVATE_ADDRESSES: 'yes' }, true],
    [{ LEDGER_WITNESS_PRIVATE_ADDRESSES: 'no' }, false],
  ];
  for (const [environment, may] of cases)
    assert.equal(mayCallPrivate(readLedgerConfig(environment)), may, JSON.stringify(environment));
  assert.throws(() => readLedgerConfig({ LEDGER_WITNESS_PRIVATE_ADDRESSES: 'maybe' }), /takes yes or no/);
});

test('what no header can carry, no address or network is, is refused before anything is opened', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ LEDGER_ADMIN_TOKEN: 'sixteen and more, but spaces' }, /^LEDGER_ADMIN_TOKEN: got \(not shown\), takes a secret/],
    [
      { LEDGER_ROUTER_TOKEN: 'pässwörter-gehen-nicht' },
      /^LEDGER_ROUTER_TOKEN: got \(not shown\), takes the admin token/,
    ],
    [
      { LEDGER_BASE_URL: 'https://example.org?a=1' },
      /^LEDGER_BASE_URL: got "https:\/\/example.org\?a=1", takes an http/,
    ],
    [{ LEDGER_BASE_URL: 'https://example.org/#top' }, /^LEDGER_BASE_URL: /],
    [{ LEDGER_BASE_URL: 'https://user:password@example.org' }, /^LEDGER_BASE_URL: /],
    [{ LEDGER_TRUST_PROXY: '10.0.0.999' }, /^LEDGER_TRUST_PROXY: got "10\.0\.0\.999", takes addresses or networks/],
    [{ LEDGER_TRUST_PROXY: '10.0.0.0/33' }, /^LEDGER_TRUST_PROXY: /],
    [{ LEDGER_TRUST_PROXY: '10.0.0.1,' }, /^LEDGER_TRUST_PROXY: /],
    [
      { LEDGER_DATABASE_URL: 'postgres://u:secret@db:port/d' },
      /^LEDGER_DATABASE_URL: got \(not shown\), takes sqlite:/,
    ],
    [{ LEDGER_DATABASE_URL: 'sqlite::memory:' }, /^LEDGER_DATABASE_URL: /],
    [{ LEDGER_SMTP_URL: 'smtp://mail:99999' }, /^LEDGER_SMTP_URL: got \(not shown\), takes file:/],
    [{ LEDGER_EMAIL_FROM: 'nobody' }, /^LEDGER_EMAIL_FROM: got "nobody", takes an e-mail address$/],
    [{ LEDGER_LOG_LEVEL: 'loud' }, /^LEDGER_LOG_LEVEL: got "loud", takes debug, info, warn, error or silent$/],
  ];
  for (const [environment, line] of wrong)
    assert.throws(
      () => readLedgerConfig(environment),
      (error: Error) => error instanceof ConfigError && line.test(error.message) && !error.message.includes('\n'),
      JSON.stringify(environment),
    );
  const right = {
    LEDGER_TRUST_PROXY: '10.0.0.1, 192.168.0.0/16,::1,fd00::/8,10.0.0.0/255.0.0.0',
    LEDGER_DATABASE_URL: 'postgres://user:p%40ss@[::1]:5432/ledger?sslmode=require',
    LEDGER_SMTP_URL: 'smtps://user:p%40ss@mail.example.org:465',
    LEDGER_BASE_URL: 'https://receipts.example.org/ledger/',
  };
  const { trust_proxy, database_url, smtp_url, base_url } = readLedgerConfig(right);
  assert.deepEqual([trust_proxy, database_url, smtp_url], Object.values(right).slice(0, 3));
  assert.equal(base_url, 'https://receipts.example.org/ledger');
});

test('a database or an address that the system refuses is told as the setting it came from', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'file');
  writeFileSync(file, 'no database '.repeat(1000));
  mkdirSync(join(folder, 'directory'));
  const prices = join(folder, 'prices.json');
  const row = { gpu_type: 'a', gpu_name: 'A', vram_gb: 0, hourly_rate_usd: 1 };
  writeFileSync(prices, JSON.stringify([row, { gpu_type: 'b', vram_gb: 0, hourly_rate_usd: 1 }]));
  const wrong: [Record<string, string>, RegExp][] = [
    [
      { LEDGER_DATABASE_URL: `sqlite:${folder}/directory` },
      /^LEDGER_DATABASE_URL: got \(not shown\), takes a database/,
    ],
    [{ LEDGER_DATABASE_URL: `sqlite:${file}` }, /^LEDGER_DATABASE_URL: .*: file is not a database$/],
    [{ LEDGER_DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' }, /^LEDGER_DATABASE_URL: .*ECONNREFUSED/],
    [
      { PRICES_FILE: prices },
      /^PRICES_FILE: got ".*prices\.json", takes a JSON list of rows .*: row 2 \("b"\) gpu_name is missing$/,
    ],
    [{ LEDGER_HOST: '127.0.0.999' }, /^LEDGER_HOST.*: got "127\.0\.0\.999 0", takes an address of this machine/],
  ];
  for (const [i, [environment, line]] of wrong.entries()) {
    const { code, stderr } = await rcpt(['ledger'], {
      LEDGER_PORT: '0',
      LEDGER_DATABASE_URL: `sqlite:${folder}/${i}.db`,
      LEDGER_STORAGE_URL: `file:${folder}/objects`,
      LEDGER_SMTP_URL: `file:${folder}/outbox`,
      ...environment,
    });
    assert.equal(stderr.length, 1, stderr.join('\n'));
    assert.match(stderr[0]!.replace(/^rcpt ledger: /, ''), line);
    assert.doesNotMatch(stderr[0]!, /secret@/);
    assert.equal(code, 2);
  }
});

const UNSPECIFIED = [
  '0.0.0.0',
  '0',
  '0.0',
  '0x0',
  '000.0.0.0',
  '::',
  '::0',
  '[::]',
  '0:0:0:0:0:0:0:0',
  '::0.0.0.0',
  '::ffff:0.0.0.0',
  '::ffff:0:0',
];

test('links that nobody could open are not sealed: a ledger on every address takes LEDGER_BASE_URL', () => {
  for (const LEDGER_HOST of UNSPECIFIED) {
    assert.throws(
      () => readLedgerConfig({ LEDGER_HOST }),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message ===
          `LEDGER_BASE_URL: got nothing, takes an http:// or https:// address that people can open, not 0.0.0.0 or ::, without credentials, query and fragment, when LEDGER_HOST is ${LEDGER_HOST}`,
      LEDGER_HOST,
    );
    const opened = readLedgerConfig({ LEDGER_HOST, LEDGER_BASE_URL: 'https://receipts.example.org' });
    assert.equal(opened.base_url, 'https://receipts.example.org');
    // The commands beside it listen nowhere.
    assert.equal(readLedgerSettings({ LEDGER_HOST }).host, LEDGER_HOST);
  }
  for (const LEDGER_HOST of ['127.0.0.1', '::1', '[::1]', '10.0.0.1', '127.1', 'localhost', 'zero', '::ffff:127.0.0.1'])
    assert.equal(readLedgerConfig({ LEDGER_HOST }).base_url, undefined, LEDGER_HOST);
});

test('nor is an address that is none: a base URL of 0.0.0.0 or ::, however it is spelled', () => {
  for (const host of UNSPECIFIED.map((host) => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)))
    for (const LEDGER_BASE_URL of [`http://${host}:8080`, `https://${host}/ledger/`])
      assert.throws(
        () => readLedgerConfig({ LEDGER_BASE_URL }),
        (error: Error) =>
          error instanceof ConfigError &&
          error.message.startsWith(`LEDGER_BASE_URL: got "${LEDGER_BASE_URL}", takes an http:// or https:// address`),
        LEDGER_BASE_URL,
      );
});

test('it is refused before anything is opened, and with a base URL what is sealed begins with that', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const LEDGER_DATABASE_URL = `sqlite:${folder}/ledger.db`;
  const refused = await rcpt(['ledger'], { LEDGER_HOST: '::', LEDGER_PORT: '0', LEDGER_DATABASE_URL });
  assert.deepEqual([refused.code, refused.stderr.length, readdirSync(folder)], [2, 1, []]);
  assert.match(refused.stderr[0]!, /^rcpt ledger: LEDGER_BASE_URL: got nothing, takes .* when LEDGER_HOST is ::$/);

  const opened = await ledgerProcess(LEDGER_DATABASE_URL, {
    LEDGER_HOST: '0.0.0.0',
    LEDGER_BASE_URL: 'https://receipts.example.org',
  });
  t.after(() => opened.signal('SIGKILL'));
  const receipt = await mintedReceipt(await tenantOf(opened.call));
  assert.match(receipt.share_url, /^https:\/\/receipts\.example\.org\/share\//);
});
