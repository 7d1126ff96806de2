/** The ledger as a process (docs/spec.md §25): its first line, its settings, its logs, its end. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { ConfigError } from '@rcpt/service/process/config.ts';
import { eachEngine } from '../../../test/kit/engines.ts';
import { readLedgerConfig } from '../src/config.ts';
import { MIGRATIONS } from '../src/migrations.ts';
import { wholeChain } from './kit/independent.ts';
import { ledgerProcess, rcpt } from './kit/process.ts';
import { ADMIN_TOKEN, boundTo, tenantOf } from './kit/running.ts';
import { approvedRun, mintedReceipt, runAt } from './kit/story.ts';

eachEngine('a ledger in its own process', MIGRATIONS, (fresh) => {
  test('says in its first log line where it listens, and ends with 0 when it is told to', async () => {
    const ledger = await ledgerProcess((await fresh()).url);
    const first = JSON.parse(ledger.lines[0]!);
    assert.deepEqual([first.msg, first.url, first.level, first.service], ['listening', ledger.url, 'info', 'ledger']);
    assert.equal((await ledger.call('GET', '/healthz')).status, 200);
    ledger.signal('SIGTERM');
    const { code, stderr, stdout } = await ledger.ended;
    assert.equal(code, 0, stderr.join('\n'));
    for (const line of stderr) JSON.parse(line);
    assert.equal(stdout, '', 'logs go to stderr');
  });

  test('ends with 0 although somebody keeps a connection open on which nothing was ever asked', async () => {
    const ledger = await ledgerProcess((await fresh()).url);
    const quiet = connect(Number(new URL(ledger.url).port), '127.0.0.1');
    await new Promise((open) => quiet.once('connect', open));
    quiet.on('error', () => undefined);
    await ledger.call('GET', '/healthz');
    ledger.signal('SIGINT');
    assert.equal((await ledger.ended).code, 0);
    quiet.destroy();
  });

  test('told to stop while mints flow, has kept every receipt it acknowledged', async () => {
    const { url } = await fresh();
    const first = await ledgerProcess(url);
    const tenant = await tenantOf(first.call);
    const ids: string[] = await Promise.all(Array.from({ length: 40 }, () => approvedRun(tenant)));
    const acknowledged: string[] = [];
    const mints = ids.map(async (id) => {
      // A connection that was closed before its request was read is no answer at all.
      const answer = await tenant.ask('approver', 'POST', `/runs/${id}/receipt`).catch(() => null);
      // Told once: who is told again ends at once, with 1.
      if (answer?.status === 201 && acknowledged.push(answer.json.receipt_sha256) === 1) first.signal('SIGTERM');
      return answer?.status ?? 0;
    });
    for (const status of await Promise.all(mints)) assert.ok([0, 201, 503].includes(status), String(status));
    assert.equal((await first.ended).code, 0);

    const second = await ledgerProcess(url);
    const again = boundTo(second.call, tenant);
    const kept = (await wholeChain(again)).map((receipt) => receipt.receipt_sha256);
    for (const hash of acknowledged) assert.ok(kept.includes(hash));
    for (const id of ids)
      assert.ok([200, 201].includes((await again.ask('approver', 'POST', `/runs/${id}/receipt`)).status));
    assert.equal((await wholeChain(again)).length, ids.length);
    second.signal('SIGTERM');
    assert.equal((await second.ended).code, 0);
  });

  test('writes no secret into its log, not even at the level debug', async () => {
    const ledger = await ledgerProcess((await fresh()).url, { LEDGER_LOG_LEVEL: 'debug' });
    const tenant = await tenantOf(ledger.call);
    const receipt = await mintedReceipt(tenant);
    const share = new URL(receipt.share_url).pathname;
    for (const form of ['', '/pdf', '/download', 'x', '/none']) await ledger.call('GET', `${share}${form}`);
    const content = 'the-text-of-the-evidence';
    const id = await runAt(tenant, 'Inputs');
    await tenant.as('agent')('POST', `/runs/${id}/evidence`, { kind: 'note', label: 'x', content });
    const wrong = `${tenant.keys.owner.slice(0, -4)}AAAA`;
    await ledger.call('GET', `/ledger?token=${wrong}`, { token: wrong });
    await ledger.call('POST', '/organizations', { token: wrong, body: { name: 'x' } });
    await ledger.call('POST', '/runs', {
      token: tenant.keys.agent,
      raw: `{"secret":"${content}`,
      headers: { 'content-type': 'application/json' },
    });
    await ledger.call('GET', `/nowhere/${wrong}`, {
      token: tenant.keys.agent,
      headers: { 'idempotency-key': 'my-own-key-0123' },
    });
    ledger.signal('SIGTERM');
    const { stderr, stdout, code } = await ledger.ended;
    assert.equal(code, 0);
    assert.ok(stderr.length > 15, 'there is a log');
    const secrets = [
      ...Object.values(tenant.keys),
      ADMIN_TOKEN,
      wrong,
      share.split('/').at(-1)!,
      content,
      'my-own-key-0123',
    ];
    for (const secret of secrets)
      for (const line of [...stderr, stdout])
        assert.ok(!line.includes(secret.slice(-20)), `${secret} stands in ${line}`);
  });

  test('drains when its process and its group are signalled at once', async () => {
    const ledger = await ledgerProcess((await fresh()).url);
    ledger.signal('SIGTERM');
    ledger.signal('SIGINT');
    const { code, stderr } = await ledger.ended;
    assert.equal(code, 0);
    assert.equal(JSON.parse(stderr.at(-1)!).msg, 'drained');
  });

  test('logs one line per request, with its id, its route and its status, never its address', async () => {
    const ledger = await ledgerProcess((await fresh()).url);
    await ledger.call('GET', '/share/some-token-that-is-22-c', { headers: { 'x-request-id': 'look-for-me' } });
    ledger.signal('SIGTERM');
    const { stderr } = await ledger.ended;
    const lines = stderr.map((line) => JSON.parse(line)).filter((line) => line.request_id === 'look-for-me');
    assert.equal(lines.length, 1);
    const { method, route, status } = lines[0];
    assert.deepEqual([method, route, status], ['GET', '/share/:token', 404]);
  });
});

eachEngine('a ledger on an empty database', null, (fresh, engine) => {
  test(
    engine === 'sqlite' ? 'brings its schema up to date by itself' : 'does not start, and names the command to run',
    async () => {
      const { url } = await fresh();
      if (engine === 'sqlite') {
        const ledger = await ledgerProcess(url);
        await mintedReceipt(await tenantOf(ledger.call));
        ledger.signal('SIGTERM');
        assert.equal((await ledger.ended).code, 0);
        return;
      }
      const environment = { LEDGER_DATABASE_URL: url, LEDGER_PORT: '0' };
      const refused = await rcpt(['ledger'], environment);
      assert.equal(refused.code, 1);
      assert.equal(refused.stderr.length, 1, refused.stderr.join('\n'));
      assert.match(refused.stderr[0]!, /0001-ledger.*\.\/rcpt migrate/);
      assert.equal((await rcpt(['migrate'], environment)).code, 0);
      assert.match((await rcpt(['migrate', '--json'], environment)).stdout, /"applied":\[\]/);
      const ledger = await ledgerProcess(url);
      ledger.signal('SIGTERM');
      assert.equal((await ledger.ended).code, 0);
    },
  );
});

describe('./rcpt ledger', () => {
  test('says with --help what it is set by, and starts nothing', async () => {
    const { code, stdout } = await rcpt(['ledger', '--help'], { LEDGER_PORT: 'wrong' });
    assert.equal(code, 0);
    assert.match(stdout, /LEDGER_PORT +a port.*\(default: 8080\)/);
  });

  test('takes no words: a setting that was typed as one does not go unheard', async () => {
    const { code, stderr } = await rcpt(['ledger', '--port=9'], { LEDGER_PORT: '0' });
    assert.equal(code, 2);
    assert.match(stderr.join('\n'), /^rcpt ledger: takes no "--port=9"/);
  });
});

describe('a wrong setting', () => {
  const wrong: [string, string, RegExp][] = [
    ['LEDGER_PORT', '70000', /got "70000".*0 to 65535/],
    ['LEDGER_PORT', 'http', /got "http"/],
    ['LEDGER_HOST', 'not a host', /host/],
    ['LEDGER_BASE_URL', 'receipts.example.org', /http/],
    ['LEDGER_DATABASE_URL', 'mysql://root:hunter2-secret@db/x', /sqlite:.*postgres:/],
    ['LEDGER_STORAGE_URL', 'ftp://x', /s3:\/\//],
    ['LEDGER_SMTP_URL', 'mail', /smtp/],
    ['LEDGER_ADMIN_TOKEN', 'short', /16 characters/],
    ['LEDGER_EVIDENCE_BYTES', '-1', /bytes/],
    ['LEDGER_LOG_LEVEL', 'loud', /debug/],
  ];
  for (const [name, value, takes] of wrong)
    test(`${name}=${value.replace(/\/\/.*@/, '//…@')} is told in one line that names it and what it takes`, () =>
      assert.throws(
        () => readLedgerConfig({ LEDGER_PORT: '0', [name]: value }),
        (error) => error instanceof ConfigError && tells(error.message, name, value, takes),
      ));

  test('stops the start with this line, and 2', async () => {
    for (const [name, value, takes] of [wrong[0]!, wrong[4]!]) {
      const { code, stderr, stdout } = await rcpt(['ledger'], { LEDGER_PORT: '0', [name]: value });
      assert.deepEqual([code, stderr.length, stdout], [2, 1, ''], stderr.join('\n'));
      tells(stderr[0]!, name, value, takes);
    }
  });
});

function tells(line: string, name: string, value: string, takes: RegExp): true {
  assert.ok(line.includes(`${name}: got `), line);
  assert.match(line, takes);
  assert.doesNotMatch(line, /\n/);
  assert.ok(!line.includes('hunter2') && (value !== 'short' || !line.includes('"short"')), 'a secret is not shown');
  return true;
}
