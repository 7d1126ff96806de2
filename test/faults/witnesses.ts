/**
 * Drills: what an operator can do to a chain that they hold whole, keys and database included, and a witness notices. Nobody here has kept
 * anything but the policy.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openByPolicy } from '@rcpt/proof/log/open-by-policy.ts';
import { type Policy, parsePolicy } from '@rcpt/proof/log/policy.ts';
import type { Db, Row, Value } from '@rcpt/service/db/db.ts';
import { MIGRATIONS } from '../../packages/ledger/src/migrations.ts';
import { boundTo, type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt as mint } from '../../packages/ledger/test/kit/story.ts';
import { readChain, resealed, writeChain } from '../../packages/ledger/test/kit/tampering.ts';
import { type ServingWitness, serveWitness } from '../../packages/witness/test/kit/serving.ts';
import { type Engine, eachEngine } from '../kit/engines.ts';
import { until } from '../kit/until.ts';

const ADDRESS = { LEDGER_BASE_URL: 'http://ledger.example', LEDGER_WITNESS_PRIVATE_ADDRESSES: 'yes' };

/** What a backup holds of a chain, its log, and what is known of its witnesses. */
const TABLES = [
  'receipts',
  'chains',
  'log_ends',
  'log_checkpoints',
  'log_tiles',
  'witness_logs',
  'cosigned_checkpoints',
  'cosignatures',
];
/** An operator who hides what was signed deletes all that says so. */
const SIGNED = TABLES.slice(2);

interface House {
  db: Db;
  url: string;
  witness: ServingWitness;
  policy: Policy;
  /** Of the ledger that runs now. */
  tenant: Tenant;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A chain of this many receipts, all of which the witness has cosigned. */
async function house({ db, url }: { db: Db; url: string }, receipts: number): Promise<House> {
  const witness = await serveWitness('witness.example/w1');
  let ledger: RunningTest = await running({ url }, ADDRESS);
  const tenant = await ledger.tenant();
  const vkey = (await tenant.ask('owner', 'GET', '/ledger/key')).text.trim();
  witness.watch(vkey);
  await tenant.as('owner')('POST', '/witnesses', { url: witness.url, key: witness.vkey });
  const policy = parsePolicy((await tenant.ask('auditor', 'GET', '/ledger/policy')).text);
  const built = { db, url, witness, policy, tenant } as House;
  for (let i = 0; i < receipts; i++) await mint(tenant);
  await until('all is cosigned', async () => (await stateOf(tenant)).cosigned_size === receipts);
  return Object.assign(built, {
    async restart() {
      ledger = await running({ url }, ADDRESS);
      built.tenant = boundTo(ledger.call, tenant);
    },
    stop: () => ledger.close(),
  });
}

async function stateOf(tenant: Tenant) {
  const { witnesses } = await tenant.as('auditor')('GET', '/witnesses');
  return witnesses[0].logs.find(({ log }: { log: string }) => log === 'receipts');
}

const contradicted = (tenant: Tenant) =>
  until('the witness contradicts', async () => {
    const now = await stateOf(tenant);
    return now.state === 'contradicted' && now;
  });

/** What the ledger shows is signed by the right key, and is not enough for who has the policy. */
async function isNotEnough({ tenant, policy }: House, size: number): Promise<void> {
  const { text } = await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
  const opened = await openByPolicy(text, policy);
  assert.deepEqual([opened.size, opened.cosigned.length, opened.quorum_met], [size, 0, false]);
}

async function takeBackup({ db, tenant }: House): Promise<Map<string, Row[]>> {
  const backup = new Map<string, Row[]>();
  for (const table of TABLES)
    backup.set(table, await db.all(`select * from ${table} where organization_id = $1`, [tenant.organization_id]));
  return backup;
}

async function restore({ db, tenant }: House, backup: Map<string, Row[]>): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [table, rows] of backup) {
      await tx.run(`delete from ${table} where organization_id = $1`, [tenant.organization_id]);
      for (const row of rows) {
        const columns = Object.keys(row);
        await tx.run(
          `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
          Object.values(row) as Value[],
        );
      }
    }
  });
}

/** As if nothing had ever been signed, or cosigned. */
async function forgetSigned({ db, tenant }: House): Promise<void> {
  for (const table of SIGNED.filter((name) => name !== 'witness_logs'))
    await db.run(`delete from ${table} where organization_id = $1`, [tenant.organization_id]);
  await db.run(
    `update witness_logs set known_size = 0, cosigned_size = null, cosigned_at = null, state = 'waiting'
     where organization_id = $1`,
    [tenant.organization_id],
  );
}

export const drills = (engine: Engine) =>
  eachEngine(
    'drills with a witness',
    MIGRATIONS,
    (fresh) => {
      test('a tail that was cut off: the witness has cosigned more than there is, and more again does not continue it', async () => {
        const there = await house(await fresh(), 4);
        await there.stop();
        const { rows } = await readChain(there.db, there.tenant.organization_id);
        const [, last] = rows as [(typeof rows)[0], (typeof rows)[0]];
        const head = { org_seq: last.org_seq, receipt_sha256: last.receipt_sha256 };
        await writeChain(there.db, there.tenant.organization_id, { rows: rows.slice(0, 2), head });
        await forgetSigned(there);
        await there.restart();
        // The operator's own ledger takes the shorter chain for whole, and signs it.
        assert.equal((await there.tenant.as('auditor')('GET', '/ledger/verify')).head.org_seq, 1);
        await isNotEnough(there, 2);
        const { reason } = await contradicted(there.tenant);
        assert.match(
          reason,
          /^It has cosigned 4 entries of this log, and only 2 are signed here: the end was cut off, or an older/,
        );
        for (let i = 0; i < 3; i++) await mint(there.tenant);
        await until('the chain is longer than it was', async () => {
          const { reason } = await contradicted(there.tenant);
          return /^The 4 entries that it has cosigned are not the beginning of this log any more/.test(reason);
        });
        await isNotEnough(there, 5);
        await there.stop();
        await there.witness.close();
      });

      test('a chain that was rewritten whole, and signed anew', async () => {
        const there = await house(await fresh(), 3);
        await there.stop();
        const { rows } = await readChain(there.db, there.tenant.organization_id);
        let parent_hash = '0'.repeat(64);
        const rewritten = rows.map((row, i) => {
          const other = resealed(row, (payload) => {
            const { receipt_sha256, ...rest } = payload;
            return { ...rest, created_at: `2026-01-01T00:00:0${i}.000Z`, parent_hash };
          });
          parent_hash = other.receipt_sha256;
          return other;
        });
        const head = { org_seq: 2, receipt_sha256: parent_hash };
        await writeChain(there.db, there.tenant.organization_id, { rows: rewritten, head });
        await forgetSigned(there);
        await there.restart();
        await isNotEnough(there, 3);
        const { reason } = await contradicted(there.tenant);
        assert.match(
          reason,
          /^The 3 entries that it has cosigned are not the beginning of this log any more: entries were rewritten/,
        );
        assert.match(reason, /Compare with an export from before.*of size 3 this witness has cosigned another root$/);
        await there.stop();
        await there.witness.close();
      });

      test('an old backup that was restored: at the start, before anything is minted on it, and healed by the newest', async () => {
        const there = await house(await fresh(), 2);
        const old = await takeBackup(there);
        for (let i = 0; i < 2; i++) await mint(there.tenant);
        await until('all is cosigned', async () => (await stateOf(there.tenant)).cosigned_size === 4);
        const newest = await takeBackup(there);
        await there.stop();
        await restore(there, old);
        await there.restart();
        const { reason } = await contradicted(there.tenant);
        assert.match(
          reason,
          /only 2 are signed here: .* an older backup was restored\. Restore the newest copy before anything more is minted/,
        );
        await there.stop();
        await restore(there, newest);
        await there.restart();
        await mint(there.tenant);
        await until('it goes on', async () => (await stateOf(there.tenant)).cosigned_size === 5);
        await there.stop();
        await there.witness.close();
      });

      test('two servers under one key, each with a database of its own: one of them is the log, the other is told', async () => {
        const there = await house(await fresh(), 2);
        const shared = await takeBackup(there);
        await mint(there.tenant);
        await until('the first goes on', async () => (await stateOf(there.tenant)).cosigned_size === 3);
        // The second begins with the same rows and mints beside the first.
        await there.stop();
        await restore(there, shared);
        await there.restart();
        await mint(there.tenant);
        await mint(there.tenant);
        await until('the second is told', async () => {
          const { reason } = await contradicted(there.tenant);
          return /or a second ledger signs under the same key/.test(reason);
        });
        await isNotEnough(there, 4);
        assert.equal(there.witness.record.latest(there.policy.logs[0]!.key.name)!.size, 3);
        await there.stop();
        await there.witness.close();
      });
    },
    [engine],
  );

export const twoLedgers = () =>
  eachEngine(
    'two ledgers on one database',
    MIGRATIONS,
    (fresh) => {
      test('that mint and sign at once show the witness one history', async () => {
        const there = await house(await fresh(), 1);
        const beside = await running({ url: there.url }, ADDRESS);
        const second = boundTo(beside.call, there.tenant);
        const mints = async (tenant: Tenant) => {
          for (let i = 0; i < 8; i++) {
            await mint(tenant);
            assert.equal((await tenant.ask('auditor', 'GET', '/ledger/checkpoint')).status, 200);
            assert.notEqual((await stateOf(tenant)).state, 'contradicted');
          }
        };
        await Promise.all([mints(there.tenant), mints(second)]);
        const state = await until('all is cosigned', async () => {
          const now = await stateOf(second);
          return now.cosigned_size === 17 && now;
        });
        assert.deepEqual([state.state, state.reason], ['cosigned', null]);
        const { text } = await second.ask('auditor', 'GET', '/ledger/checkpoint');
        assert.equal((await openByPolicy(text, there.policy)).quorum_met, true);
        await beside.close();
        await there.stop();
        await there.witness.close();
      });
    },
    ['postgres'],
  );
