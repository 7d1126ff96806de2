/** A database of before there were price files and grants per membership: what stands in it means the same after the upgrade. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { eachEngine } from '../../../test/kit/engines.ts';
import { MIGRATIONS } from '../src/migrations.ts';
import { findArtifacts, insertArtifact, listArtifacts } from '../src/store/artifacts.ts';

const EARLIER = mkdtempSync(join(tmpdir(), 'migrations-'));
cpSync(MIGRATIONS, EARLIER, { recursive: true });
for (const engine of readdirSync(EARLIER))
  for (const name of readdirSync(join(EARLIER, engine))) if (name >= '0005') rmSync(join(EARLIER, engine, name));
after(() => rmSync(EARLIER, { recursive: true, force: true }));

const at = (year: number) => `${year}-01-01T00:00:00.000+00:00`;

eachEngine('an earlier router', EARLIER, (fresh) => {
  test('keeps grants for the membership they were given in, and jobs at the rate of then', async () => {
    const { db } = await fresh();
    await db.run(
      `insert into members (id, email, name, membership_started_at, membership_expires_at, created_at)
       values ('mem_1', 'a@example.org', 'A', $1, $2, $3)`,
      [at(2026), at(2027), at(2024)],
    );
    for (const [dataset, granted] of [
      ['now', at(2026)],
      ['earlier', at(2025)],
    ] as const)
      await db.run(`insert into dataset_access values ($1, 'mem_1', $2, 's3://x', $3)`, [
        dataset,
        `rcpt_${dataset}`,
        granted,
      ]);
    for (const sku of ['rtx6000_blackwell_96gb', 'rog_astral_5090_32gb'])
      await db.run(
        `insert into jobs (id, member_id, job_type, requested_gpu_sku, status, priority, estimated_hours, estimated_cents,
           input_dataset_ids, payload, max_attempts, receipt_id, created_at, attempt, past_leases)
         values ($1, 'mem_1', 'batch', $1, 'queued', 0, '1', 500, '["now"]', '{}', 3, 'rcpt_1', $2, 0, '[]')`,
        [sku, at(2026)],
      );
    await migrate(db, MIGRATIONS);
    assert.deepEqual(
      (
        await db.all('select dataset_id, membership_started_at, receipt_id from dataset_grants order by dataset_id')
      ).map((row) => Object.values(row)),
      [
        ['earlier', at(2025), 'rcpt_earlier'],
        ['now', at(2026), 'rcpt_now'],
      ],
    );
    assert.deepEqual(
      (await db.all('select hourly_rate_usd, datasets from jobs order by id')).map((row) => Object.values(row)),
      [
        ['2.00', null],
        ['5.00', null],
      ],
    );
  });

  test('keeps artifacts that it stored twice, and knows them when they are reported again', async () => {
    const { db } = await fresh();
    const artifact = { job_id: 'job_1', worker_id: 'worker_1', document: { name: 'model.json' } };
    for (const id of ['art_1', 'art_2'])
      await db.run(
        `insert into artifacts (job_id, id, worker_id, document, created_at) values ('job_1', $1, 'worker_1', $2, $3)`,
        [id, JSON.stringify(artifact.document), at(2026)],
      );
    await migrate(db, MIGRATIONS);
    const known = await findArtifacts(db, [artifact, { ...artifact, document: { name: 'other.json' } }]);
    assert.deepEqual([...known.values()], ['art_1']);
    const other = { ...artifact, document: { name: 'other.json' }, created_at: at(2026) };
    await insertArtifact(db, { ...other, id: 'art_3' });
    await assert.rejects(insertArtifact(db, { ...other, id: 'art_4' }), 'the database takes it once');
    assert.equal((await listArtifacts(db, 'job_1', '', 10)).length, 3);
  });
});
