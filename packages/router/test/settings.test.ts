/** Settings that cannot work stop the start with one line that names them (docs/spec.md §25). */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '@rcpt/service/process/config.ts';
import { readRouterConfig } from '../src/config.ts';
import { spawnRouter, startRouterProcess } from './kit/process.ts';
import { clientOf, temporaryFolder } from './kit/running.ts';

test('what no header can carry, no name or network is, is refused before anything is opened', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ ROUTER_ADMIN_TOKEN: 'sixteen and more, but spaces' }, /^ROUTER_ADMIN_TOKEN: got \(not shown\), takes a secret/],
    [{ ROUTER_ENROLLMENT_TOKEN: 'pässwörter-gehen-nicht' }, /^ROUTER_ENROLLMENT_TOKEN: got \(not shown\), takes /],
    [{ LEDGER_URL: 'http://127.0.0.1:1', LEDGER_API_KEY: 'rk_ключ' }, /^LEDGER_API_KEY: got \(not shown\), takes /],
    [{ ROUTER_TRUST_PROXY: '10.0.0.999' }, /^ROUTER_TRUST_PROXY: got "10\.0\.0\.999", takes addresses or networks/],
    [{ ROUTER_TRUST_PROXY: '10.0.0.0/33' }, /^ROUTER_TRUST_PROXY: /],
    [{ ROUTER_TRUST_PROXY: '10.0.0.1,' }, /^ROUTER_TRUST_PROXY: /],
    [
      { ROUTER_ALLOWED_HOSTS: 'http://router.example' },
      /^ROUTER_ALLOWED_HOSTS: got "http:\/\/router\.example", takes /,
    ],
    [{ ROUTER_ALLOWED_HOSTS: 'a,,b' }, /^ROUTER_ALLOWED_HOSTS: /],
    [{ ROUTER_LOG_LEVEL: 'loud' }, /^ROUTER_LOG_LEVEL: got "loud", takes debug, info, warn, error or silent$/],
  ];
  for (const [environment, line] of wrong)
    assert.throws(
      () => readRouterConfig(environment),
      (error: Error) => error instanceof ConfigError && line.test(error.message) && !error.message.includes('\n'),
    );
  const ROUTER_TRUST_PROXY = '10.0.0.1, 192.168.0.0/16,::1,fd00::/8,10.0.0.0/255.0.0.0';
  assert.equal(readRouterConfig({ ROUTER_TRUST_PROXY }).trust_proxy, ROUTER_TRUST_PROXY);
  assert.equal(readRouterConfig({ ROUTER_HOST: '[::1]' }).host, '::1');
});

test('a database, a folder or an address that the system refuses is told as the setting it came from', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'file');
  writeFileSync(file, 'no database '.repeat(1000));
  mkdirSync(join(folder, 'directory'));
  const prices = join(folder, 'prices.json');
  const row = { gpu_type: 'a', gpu_name: 'A', vram_gb: 0, hourly_rate_usd: 1 };
  writeFileSync(prices, JSON.stringify([row, { gpu_type: 'b', vram_gb: 0, hourly_rate_usd: 1 }]));
  const wrong: [Record<string, string>, RegExp][] = [
    [
      { ROUTER_DATABASE_URL: `sqlite:${folder}/directory` },
      /^ROUTER_DATABASE_URL: got \(not shown\), takes a database/,
    ],
    [{ ROUTER_DATABASE_URL: `sqlite:${file}` }, /^ROUTER_DATABASE_URL: .*: file is not a database$/],
    [{ ROUTER_DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/d' }, /^ROUTER_DATABASE_URL: .*ECONNREFUSED/],
    [{ ROUTER_RECEIPTS_DIR: file }, /^ROUTER_RECEIPTS_DIR: got ".*\/file", takes a folder it can write to: /],
    [
      { PRICES_FILE: prices },
      /^PRICES_FILE: got ".*prices\.json", takes a JSON list of rows .*: row 2 \("b"\) gpu_name is missing$/,
    ],
    [{ ROUTER_HOST: '127.0.0.999' }, /^ROUTER_HOST.*: got "127\.0\.0\.999 0", takes an address of this machine/],
  ];
  const ends = wrong.map(async ([environment, line], i) => {
    const { code, stderr: said } = await spawnRouter({
      ROUTER_DATABASE_URL: `sqlite:${folder}/${i}.db`,
      ROUTER_RECEIPTS_DIR: `${folder}/receipts-${i}`,
      ROUTER_ALLOW_OPEN: 'yes',
      ...environment,
    }).ended;
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0]!.replace(/^rcpt router: /, ''), line);
    assert.doesNotMatch(said[0]!, /secret@/);
    assert.equal(code, 2);
  });
  await Promise.all(ends);
});

test('the first log line says where it listens, also when a crash left receipts to append', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { ROUTER_DATABASE_URL: `sqlite:${folder}/router.db`, ROUTER_RECEIPTS_DIR: `${folder}/receipts` };
  const crashed = await startRouterProcess(environment);
  await clientOf(crashed.url).job();
  await crashed.kill();
  for (const name of readdirSync(`${folder}/receipts`).filter((name) => name.endsWith('.jsonl')))
    truncateSync(`${folder}/receipts/${name}`);
  const router = await startRouterProcess(environment);
  assert.equal(await router.stop(), 0);
  const said = router.lines.map((line) => JSON.parse(line) as { msg: string; url?: string });
  assert.deepEqual([said[0]?.msg, said[0]?.url], ['listening', router.url]);
  assert.ok(said.some(({ msg }) => msg === 'receipts of the last run were appended'));
});
