/** The receipts ledger on disk: what stands in it, what a crash leaves, and what a verification finds. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canonicalText, sha256 } from '../../../ledger/test/kit/independent.ts';
import { filesIn, inShort, receiptsIn } from '../kit/records.ts';
import { assertLedger, eachRouter, stoppedClock, type TestRouter, temporaryFolder } from '../kit/running.ts';

const TODAY = '2026-05-29.receipts.jsonl';
const linesOf = (router: TestRouter, name = TODAY) =>
  readFileSync(join(router.folder, name), 'utf8').split('\n').slice(0, -1);
const write = (router: TestRouter, lines: string[], name = TODAY) =>
  writeFileSync(join(router.folder, name), lines.map((line) => `${line}\n`).join(''));

async function verdict(router: TestRouter) {
  return router.get('/receipts/verify');
}

eachRouter('the receipts ledger', (start, _engine, fresh) => {
  test('holds every act of the table (docs/spec.md §9.2) with its amount, canonical and checksummed', async () => {
    const router = await start();
    const member = await router.post('/members', { email: 'a@example.org', name: 'Ada' });
    await router.post(`/members/${member.id}/activate`);
    const dataset = await router.post('/datasets', DATASET);
    const { receipt_id } = await router.post(`/datasets/${dataset.id}/access`, { member_id: member.id });
    const quote = await router.post('/compute/quote', {
      member_id: member.id,
      requested_gpu_sku: 'rog_astral_5090_32gb',
      estimated_hours: 2.5,
      job_type: 'fine_tune',
    });
    const worker = await router.worker();
    const receipts = router.receipts();
    assert.deepEqual(receipts.map(inShort), [
      'membership 100.00',
      'dataset_access 0.00',
      'compute_quote 5.00',
      'worker_registered 0.00',
    ]);
    assert.deepEqual(
      receipts.map(({ member_id, job_id, dataset_ids }) => [member_id, job_id, dataset_ids]),
      [
        [member.id, null, []],
        [member.id, null, [dataset.id]],
        [member.id, null, []],
        [worker.worker_id, null, []],
      ],
    );
    assert.equal(receipts[1]!.receipt_id, receipt_id);
    assert.equal(receipts[2]!.receipt_id, quote.receipt_id);
    for (const receipt of receipts) assert.equal(receipt.created_at, '2026-05-29T20:00:00.000+00:00');
  });

  test('is read by date, in pages, byte by byte; a new UTC day is a new file', async () => {
    const router = await start({ clock: stoppedClock(Date.UTC(2026, 11, 31, 23, 59, 59, 999)) });
    await router.job();
    router.clock.advance(0.001);
    for (let i = 0; i < 3; i++) await router.job();
    assert.deepEqual(filesIn(router.folder), ['2026-12-31.receipts.jsonl', '2027-01-01.receipts.jsonl']);
    const lines = linesOf(router, '2027-01-01.receipts.jsonl');
    const { text } = await router.call('GET', '/receipts');
    assert.equal(text, `{"date":"2027-01-01","receipts":[${lines.join(',')}]}`);
    const page = await router.call('GET', '/receipts?date=2027-01-01&limit=1&offset=1');
    assert.equal(page.text, `{"date":"2027-01-01","receipts":[${lines[1]}]}`);
    const before = await router.get('/receipts?date=2026-12-31');
    assert.deepEqual(
      before.receipts.map((receipt: { receipt_type: string }) => receipt.receipt_type),
      ['membership', 'compute_job'],
    );
    assert.deepEqual(await router.get('/receipts?date=2020-02-30'), { date: '2020-02-30', receipts: [] });
    for (const date of ['today', '../../etc', '2026-1-1'])
      assert.equal((await router.call('GET', `/receipts?date=${date}`)).status, 422);
  });

  test('is read by job, also where another receipt holds its id and a line was torn', async () => {
    const router = await start();
    const [job, other] = [await router.job(), await router.job()];
    await router.post(`/jobs/${job.id}/cancel`);
    const lines = linesOf(router);
    const mine = lines.filter((line) => JSON.parse(line).job_id === job.id);
    assert.equal(mine.length, 2);
    const stranger = resealed(lines.at(-1)!, { job_id: other.id, metadata: { phase: job.id } });
    write(router, [...lines, stranger, `{"job_id":"${job.id}`]);
    const { receipts } = await router.get(`/receipts?job_id=${job.id}`);
    assert.deepEqual(
      receipts.map((receipt: object) => canonicalText(receipt)),
      mine,
    );
    const newest = await router.get(`/receipts?job_id=${job.id}&order=newest&limit=1`);
    assert.deepEqual(newest.receipts, [JSON.parse(mine[1]!)]);
    assert.deepEqual((await router.get('/receipts?job_id=job_1')).receipts, []);
    write(router, lines);
  });

  const TAMPERINGS: Record<
    string,
    { change: (lines: string[]) => string[]; kinds: string[]; line: number | null; receipt?: number }
  > = {
    'an altered amount': {
      change: (lines) => lines.with(2, lines[2]!.replace('"5.00"', '"4.00"')),
      kinds: ['payload_altered'],
      line: 3,
      receipt: 2,
    },
    'a line that was altered and sealed again': {
      change: (lines) => lines.with(2, resealed(lines[2]!, { amount_usd: '0.01' })),
      kinds: ['unknown_receipt'],
      line: 3,
      receipt: 2,
    },
    'a changed letter': {
      change: (lines) => lines.with(2, lines[2]!.replace('inference', 'infere\u{fffd}ce')),
      kinds: ['payload_altered'],
      line: 3,
      receipt: 2,
    },
    'a torn line': {
      change: (lines) => lines.with(2, lines[2]!.slice(0, 200)),
      kinds: ['torn_line', 'missing_receipt'],
      line: 3,
    },
    'a line that stands twice': {
      change: (lines) => lines.toSpliced(3, 0, lines[1]!),
      kinds: ['duplicate_receipt'],
      line: 4,
      receipt: 1,
    },
    'a missing line': { change: (lines) => lines.toSpliced(2, 1), kinds: ['missing_receipt'], line: null, receipt: 2 },
    'a missing last line': {
      change: (lines) => lines.slice(0, -1),
      kinds: ['missing_receipt'],
      line: null,
      receipt: 4,
    },
    'a line that the router did not write': {
      change: (lines) => [...lines, resealed(lines[2]!, { receipt_id: 'rcpt_forged' })],
      kinds: ['unknown_receipt'],
      line: 6,
    },
  };
  for (const [what, { change, kinds, line, receipt }] of Object.entries(TAMPERINGS))
    test(`verification names ${what}, its file, line and receipt`, async () => {
      const router = await start({ doomed: true });
      for (let i = 0; i < 4; i++) await router.job();
      const lines = linesOf(router);
      write(router, change(lines));
      const report = await verdict(router);
      assert.equal(report.ok, false);
      assert.deepEqual(
        report.violations.map(({ kind }: { kind: string }) => kind),
        kinds,
      );
      const { violation } = report;
      assert.deepEqual(violation, report.violations[0]);
      assert.deepEqual([violation.file, violation.line], [TODAY, line]);
      if (receipt !== undefined) assert.equal(violation.receipt_id, JSON.parse(lines[receipt]!).receipt_id);
      write(router, lines);
      assert.equal((await verdict(router)).ok, true);
    });

  test('verification finds a whole file that is gone, or that was moved to another day', async () => {
    const router = await start({ doomed: true });
    await router.job();
    renameSync(join(router.folder, TODAY), join(router.folder, '2026-05-28.receipts.jsonl'));
    const moved = await verdict(router);
    assert.deepEqual(
      moved.violations.map(({ file, kind }: Record<string, string>) => [file, kind]),
      [
        ['2026-05-28.receipts.jsonl', 'unknown_receipt'],
        ['2026-05-28.receipts.jsonl', 'unknown_receipt'],
      ],
    );
    writeFileSync(join(router.folder, '2026-05-28.receipts.jsonl'), '');
    const gone = await verdict(router);
    assert.deepEqual(
      gone.violations.map(({ file, kind }: Record<string, string>) => [file, kind]),
      [
        [TODAY, 'missing_receipt'],
        [TODAY, 'missing_receipt'],
      ],
    );
  });

  test('verification is right while receipts are being written', async () => {
    const router = await start();
    let writing = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) await router.job();
    });
    for (let i = 0; i < 12; i++) assert.deepEqual((await verdict(router)).violations, []);
    writing = false;
    await Promise.all(writers);
  });

  test('a line that a crash tore is cut off at start, today’s and yesterday’s, and never served', async () => {
    const folder = temporaryFolder();
    const clock = stoppedClock();
    const database = await fresh();
    const first = await start({ folder, database, clock, doomed: true });
    await first.job();
    clock.advance(86_400);
    await first.job();
    const before = receiptsIn(folder);
    await first.close();
    for (const name of filesIn(folder)) appendFileSync(join(folder, name), '{"amount_usd":"5.00","checks');
    const again = await start({ folder, database, clock });
    assert.deepEqual(again.receipts(), before);
    assert.equal((await verdict(again)).ok, true);
    await again.job();
    assert.deepEqual(again.receipts().slice(0, -2), before);
  });

  test('what was committed and not appended comes at the next start, each line once and in order', async () => {
    for (const lost of [1, 2, 5]) {
      const folder = temporaryFolder();
      const database = await fresh();
      const first = await start({ folder, database, doomed: true });
      for (let i = 0; i < 6; i++) await first.job();
      const before = receiptsIn(folder);
      await first.close();
      // As a crash leaves it: the last line half written, those before it not at all.
      const lines = readFileSync(join(folder, TODAY), 'utf8').split('\n').slice(0, -1);
      const rest = lines.slice(0, -lost);
      writeFileSync(join(folder, TODAY), `${rest.join('\n')}\n${lines.at(-lost)!.slice(0, 77)}`);
      await database.db.run(
        'update receipt_batches set appended = 0 where id in (select id from receipt_batches order by id desc limit $1)',
        [lost + 1],
      );
      const again = await start({ folder, database });
      assert.deepEqual(again.receipts(), before);
      await assertLedger(again);
    }
  });

  test('a folder that another process holds is left alone: the second process has a replica folder', async () => {
    const folder = temporaryFolder();
    const first = await start({ folder });
    const second = await start({ folder, doomed: true });
    await first.job();
    await second.job();
    assert.equal(receiptsIn(folder).length, 2);
    assert.equal(receiptsIn(join(folder, 'replica-2')).length, 2);
    assert.equal((await verdict(second)).ok, true);
    const ids = [...receiptsIn(folder), ...receiptsIn(join(folder, 'replica-2'))].map(({ receipt_id }) => receipt_id);
    assert.equal(new Set(ids).size, 4);
  });

  test('what a replica left unappended is appended by the process that starts next', async () => {
    const folder = temporaryFolder();
    const database = await fresh();
    const first = await start({ folder, database, doomed: true });
    const second = await start({ folder, database, doomed: true });
    await second.job();
    const replica = join(folder, 'replica-2');
    const before = receiptsIn(replica);
    await second.close();
    await first.close();
    truncateSync(join(replica, TODAY), 100);
    await database.db.run('update receipt_batches set appended = 0');
    await start({ folder, database });
    assert.deepEqual(receiptsIn(replica), before);
  });

  test('is verified offline by ./rcpt verify', async () => {
    const router = await start({ doomed: true });
    await router.job();
    const launcher = fileURLToPath(new URL('../../../../rcpt', import.meta.url));
    const verify = async () => {
      const child = spawn(launcher, ['verify', router.folder, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const [code] = await once(child, 'close');
      return { code, said };
    };
    assert.equal((await verify()).code, 0);
    write(
      router,
      linesOf(router).map((line) => line.replace('"5.00"', '"0.00"')),
    );
    const { code, said } = await verify();
    assert.equal(code, 1);
    assert.match(said, /payload_altered/);
    assert.ok(existsSync(join(router.folder, TODAY)));
  });
});

const DATASET = {
  title: 'Support chat',
  domain: 'support',
  description: 'Chats.',
  object_uri: 's3://data/support-chat',
  license_type: 'CC-BY-4.0',
  quality_tier: 'gold',
  checksum_sha256: '5e'.repeat(32),
  size_bytes: 1,
  row_count: 1,
};

/** As a forger who knows the rules would write it. */
function resealed(line: string, change: object): string {
  const { checksum_sha256: _, ...payload } = { ...JSON.parse(line), ...change };
  return canonicalText({ ...payload, checksum_sha256: sha256(canonicalText(payload)) });
}
