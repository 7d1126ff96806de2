/** docs/operations.md from Install to Upgrade on both engines: its commands, as they stand there, on services that are at work. */
import { strict as assert } from 'node:assert';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@rcpt/service/process/log.ts';
import { boundTo, callerOf, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt } from '../../packages/ledger/test/kit/story.ts';
import { readRouterConfig } from '../../packages/router/src/config.ts';
import { startRouter } from '../../packages/router/src/start.ts';
import { type DebianPostgres, missingPostgres, startDebianPostgres } from './debian-postgres.ts';
import { type House, installed, missing, type Ran } from './house.ts';

const lacking = {
  sqlite: missing('sqlite3', 'apt-get install -y --no-install-recommends sqlite3'),
  postgres: missingPostgres(),
} as const;

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`docs/operations.md on ${engine}`, { skip: lacking[engine] }, () => {
    let house = null as unknown as House;
    let server: DebianPostgres | null = null;
    let tenant: Tenant;
    /** Of the backup. */
    let day = '';

    before(async () => {
      if (engine === 'postgres') server = await startDebianPostgres();
      const database = (name: string) => server?.database(name) ?? Promise.resolve('');
      house = await installed({ ledger: await database('ledger'), router: await database('router') });
    });
    after(async () => {
      await house?.close();
      await server?.stop();
    });

    async function well(names: string[], change = (script: string) => script): Promise<Ran> {
      const ran = await house.run(names, server?.environment, change);
      assert.equal(ran.code, 0, `${names.join(', ')}: ${ran.stderr}`);
      return ran;
    }

    /** Members come and pay, one after the other: two acts and a receipt each. */
    async function members(count: number): Promise<void> {
      const call = callerOf(house.router_url);
      for (let n = 0; n < count; n++) {
        const { json } = await call('POST', '/members', {
          body: { email: `${crypto.randomUUID()}@example.org`, name: 'M' },
        });
        assert.equal((await call('POST', `/members/${json.id}/activate`)).status, 200);
      }
    }

    const receiptsVerified = async () => (await callerOf(house.router_url)('GET', '/receipts/verify')).json;

    test('it starts as installed, is healthy, and has its first organization', async () => {
      if (server !== null)
        await house.shell('set -a; . /etc/receipt-ledger/ledger.env; . /etc/receipt-ledger/router.env; ./rcpt migrate');
      const { stdout } = await well(['start']);
      const [, organization_id] = /organization_id: (org_\w+)/.exec(stdout) ?? [];
      const [, owner] = /api_key: (rk_\S+)/.exec(stdout) ?? [];
      tenant = boundTo(callerOf(house.ledger_url), {
        organization_id: organization_id!,
        keys: { owner: owner!, agent: owner!, approver: owner!, auditor: owner! },
      });
      assert.deepEqual(await house.run(['health']), { code: 0, stdout: '', stderr: '' });
      await mintedReceipt(tenant);
      await members(2);
    });

    test('a backup of services at work is of one moment, and its heads are those of that moment', async () => {
      let isOver = false;
      const work = (async () => {
        while (!isOver) await Promise.all([mintedReceipt(tenant), members(2)]);
      })();
      await sleep(200);
      await well([`backup ${engine}`]);
      isOver = true;
      await work;
      [day] = readdirSync(join(house.root, 'var/backups/receipt-ledger')) as [string];
      assert.match(day, /^\d{4}-\d\d-\d\d$/);
      const heads = readFileSync(join(house.root, `var/backups/receipt-ledger/${day}/heads`), 'utf8');
      assert.match(heads, new RegExp(`^${tenant.organization_id} \\d+ [0-9a-f]{64}\n$`));
    });

    test('restored, every chain ends where it did and verifies, the router has the receipts of its acts and no others', async () => {
      await mintedReceipt(tenant);
      await members(3);
      house.set('verify.env', { RCPT_KEY: tenant.keys.owner });
      assert.deepEqual(await house.run(['verify']), { code: 0, stdout: '', stderr: '' });
      const before = await receiptsVerified();
      const { stdout } = await well(['restore', `restore ${engine}`, 'restore end', 'restore verify'], (script) =>
        script.replace('2026-05-29', day),
      );
      const router = JSON.parse(stdout.slice(stdout.indexOf('{"ok"')));
      assert.deepEqual([router.ok, router.violations], [true, []]);
      assert.ok(router.receipts_checked > 0 && router.receipts_checked < before.receipts_checked);
      const paid = (await callerOf(house.router_url)('GET', '/admin/summary')).json.active_members_count;
      assert.equal(paid, router.receipts_checked, 'a receipt for each member that paid');
      const beside = join(house.root, `var/backups/receipt-ledger/${day}/receipts-of-the-day`);
      assert.deepEqual(readdirSync(beside), [`${day}.receipts.jsonl`]);

      const { ok, head } = await tenant.as('auditor')('GET', '/ledger/verify');
      const noted = readFileSync(join(beside, '../heads'), 'utf8').trim();
      assert.deepEqual([ok, `${tenant.organization_id} ${head.org_seq} ${head.receipt_sha256}`], [true, noted]);
      const cut = await house.run(['verify']);
      assert.equal(cut.code, 1);
      assert.match(cut.stderr, /THE CHAIN WAS CUT: .*or an older backup was restored/);

      await mintedReceipt(tenant);
      await members(1);
      assert.equal((await receiptsVerified()).ok, true);
      assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
    });

    test('restore stops where a copy is not what its heads say', async () => {
      const backup = join(house.root, `var/backups/receipt-ledger/${day}`);
      const heads = readFileSync(join(backup, 'heads'), 'utf8');
      writeFileSync(join(backup, 'heads'), heads.replace(/[0-9a-f]{64}/, 'f'.repeat(64)));
      const command = /^.*\| cmp - .*$/m.exec(house.commands(`restore ${engine}`))![0];
      const { code, stdout, stderr } = await house.shell(
        `BACKUP=${backup}\n${command.replace('ledger_restored', 'ledger')}`,
        server?.environment,
      );
      writeFileSync(join(backup, 'heads'), heads);
      assert.equal(code, 1);
      assert.match(stdout + stderr, /differ/);
    });

    test('an upgrade stops, migrates and starts, and the chain goes on', async () => {
      await well(['upgrade stop']);
      assert.equal((await house.run(['health'])).code, 1);
      const settings = () => readFileSync(join(house.root, 'etc/receipt-ledger/ledger.env'), 'utf8');
      const edited = settings();
      await well(['install']);
      assert.equal(settings(), edited, 'installing again leaves the settings as they are');
      house.set('ledger.env', {});
      const { stdout } = await well(['upgrade']);
      assert.match(stdout, /applied: \(nothing\)\ntaken_in: \(nothing\)\nrouter: \(nothing\)\n/);
      await mintedReceipt(tenant);
      assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
      assert.ok(!existsSync(join(house.root, 'var/lib/receipt-ledger/data')));
    });

    test('folder before database is the order that loses: lines are missing for good', async () => {
      const copies = join(house.root, 'copies');
      const folder = join(house.root, 'var/lib/compute-router/receipts');
      mkdirSync(copies);
      cpSync(folder, join(copies, 'folder-first'), { recursive: true });
      await members(2);
      // What is appended is marked as such.
      assert.equal((await receiptsVerified()).ok, true);
      const database = server === null ? `sqlite:${join(copies, 'router.db')}` : await server.database('router_copy');
      const copy =
        server === null
          ? `sqlite3 /var/lib/compute-router/router.db "vacuum into '${join(copies, 'router.db')}'"`
          : `pg_dump --format=custom --file=${join(copies, 'dump')} router && pg_restore --dbname=router_copy ${join(copies, 'dump')}`;
      const copied = await house.shell(copy, server?.environment);
      assert.equal(copied.code, 0, copied.stderr);
      await members(1);
      cpSync(folder, join(copies, 'folder-last'), { recursive: true });
      for (const [name, kind, count] of [
        ['folder-first', 'missing_receipt', 2],
        ['folder-last', 'unknown_receipt', 1],
      ] as const) {
        const { violations } = await verifiedBy(database, join(copies, name));
        assert.deepEqual(
          violations.map((violation: { kind: string }) => violation.kind),
          Array(count).fill(kind),
        );
      }
    });
  });

/** The copy, brought up by a router of its own. */
async function verifiedBy(database: string, folder: string) {
  const environment = { ROUTER_PORT: '0', ROUTER_DATABASE_URL: database, ROUTER_RECEIPTS_DIR: folder };
  const router = await startRouter(readRouterConfig(environment), createLogger('router', 'silent'));
  const { json } = await callerOf(router.url)('GET', '/receipts/verify');
  await router.close();
  return json;
}
