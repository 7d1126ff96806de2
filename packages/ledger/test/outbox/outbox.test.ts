import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { backoffMs, Circuit } from '../../src/outbox/circuit.ts';
import type { Fault, Outcome } from '../../src/outbox/copy-receipt.ts';
import { errorText } from '../../src/outbox/error-text.ts';
import { postponed } from '../../src/outbox/retry.ts';
import { Throttle, WakeSignal } from '../../src/outbox/throttle.ts';
import {
  type Claim,
  type CopyKind,
  claimDue,
  deleteDone,
  loadPayloads,
  OUTBOX_COLUMNS,
  organizationsDue,
  outboxRows,
  PARKED,
  postpone,
} from '../../src/store/outbox.ts';
import { MIGRATIONS, mint, NOON } from '../kit/copies.ts';

const at = (seconds: number) => new Date(NOON + seconds * 1_000).toISOString();

function claim(
  db: Db,
  kind: CopyKind,
  now: number,
  { lease = 60, limit = 10, organization_id = 'org_a' } = {},
): Promise<Claim[]> {
  return db.transaction((tx) =>
    claimDue(tx, kind, { organization_id, now: at(now), leased_until: at(now + lease), limit }),
  );
}

async function rowsOf(db: Db) {
  const rows = await db.all<{
    kind: string;
    recipient: string;
    attempts: number;
    next_attempt_at: string;
    last_error: string | null;
  }>('select kind, recipient, attempts, next_attempt_at, last_error from outbox order by org_seq, kind, recipient');
  return rows.map((row) => ({ ...row }));
}

eachEngine('the outbox', MIGRATIONS, (fresh) => {
  test('holds both copies of a receipt and a mail for each recipient, named twice or not', async () => {
    const { db } = await fresh();
    const { payload } = await mint(db, { org_seq: 7, recipients: ['b@x', 'a@x', 'b@x'] });
    const rows = await rowsOf(db);
    assert.deepEqual(
      rows.map(({ kind, recipient }) => [kind, recipient]),
      [
        ['json', ''],
        ['mail', 'a@x'],
        ['mail', 'b@x'],
        ['pdf', ''],
      ],
    );
    assert.ok(rows.every((row) => row.attempts === 0 && row.next_attempt_at === at(0) && row.last_error === null));
    const [stored] = await loadPayloads(db, [
      { organization_id: 'org_a', org_seq: 7 },
      { organization_id: 'org_b', org_seq: 7 },
    ]);
    assert.equal(stored?.payload, payload);
    assert.strictEqual(stored?.org_seq, 7);
  });

  test('gives a row to one claim at a time, and again when its lease ends', async () => {
    const { db } = await fresh();
    await mint(db, { recipients: ['a@x'] });
    assert.deepEqual(await organizationsDue(db, 'mail', at(-1)), []);
    assert.deepEqual(await organizationsDue(db, 'mail', at(0)), ['org_a']);
    const [first] = await claim(db, 'mail', 0);
    assert.deepEqual(first, {
      organization_id: 'org_a',
      org_seq: 0,
      kind: 'mail',
      recipient: 'a@x',
      attempts: 0,
      booked_hour: null,
      leased_until: at(60),
    });
    assert.deepEqual(await claim(db, 'mail', 59), []);
    assert.equal((await claim(db, 'mail', 60)).length, 1);
    assert.equal((await claim(db, 'json', 0)).length, 1);
  });

  test('gives what is due longest first', async () => {
    const { db } = await fresh();
    for (const org_seq of [0, 1, 2])
      await db.insert('outbox', OUTBOX_COLUMNS, outboxRows('org_a', org_seq, [], at(-org_seq)));
    const claims = await claim(db, 'pdf', 0, { limit: 2 });
    assert.deepEqual(claims.map(({ org_seq }) => org_seq).sort(), [1, 2]);
  });

  test('names the organizations that have something due, and claims of one leave the others alone', async () => {
    const { db } = await fresh();
    assert.deepEqual(await organizationsDue(db, 'pdf', at(0)), []);
    for (const organization_id of ['org_c', 'org_a', 'org_b'])
      for (const org_seq of [0, 1, 2]) await mint(db, { organization_id, org_seq });
    assert.deepEqual(await organizationsDue(db, 'pdf', at(0)), ['org_a', 'org_b', 'org_c']);
    const claims = await claim(db, 'pdf', 0, { organization_id: 'org_b' });
    assert.deepEqual(
      claims.map(({ organization_id }) => organization_id),
      ['org_b', 'org_b', 'org_b'],
    );
    assert.deepEqual(await organizationsDue(db, 'pdf', at(0)), ['org_a', 'org_c']);
    assert.deepEqual(await organizationsDue(db, 'json', at(0)), ['org_a', 'org_b', 'org_c']);
    assert.deepEqual(await organizationsDue(db, 'mail', at(0)), []);
  });

  test('shared by two processes gives every row once', async () => {
    const { db, url } = await fresh();
    for (let org_seq = 0; org_seq < 40; org_seq++)
      await db.insert('outbox', OUTBOX_COLUMNS, outboxRows('org_a', org_seq, [], at(0)));
    const other = openDatabase(url);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => claim(i % 2 ? db : other, 'json', 0, { limit: 3 })),
    );
    const seqs = claims.flat().map(({ org_seq }) => org_seq);
    assert.equal(new Set(seqs).size, seqs.length);
    const rest = await claim(db, 'json', 0, { limit: 40 });
    assert.deepEqual(
      [...seqs, ...rest.map(({ org_seq }) => org_seq)].sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, i) => i),
    );
    await other.close();
  });

  test('forgets what is done and keeps the rest', async () => {
    const { db } = await fresh();
    await mint(db, { recipients: ['a@x', 'b@x'] });
    await mint(db, { organization_id: 'org_b', recipients: ['a@x'] });
    for (const organization_id of ['org_a', 'org_b'])
      await deleteDone(db, await claim(db, 'json', 0, { organization_id }));
    const mails = await claim(db, 'mail', 0);
    await deleteDone(
      db,
      mails.filter(({ organization_id, recipient }) => organization_id === 'org_a' && recipient === 'a@x'),
    );
    await deleteDone(db, []);
    assert.deepEqual((await rowsOf(db)).map(({ kind, recipient }) => kind + recipient).sort(), [
      'maila@x',
      'mailb@x',
      'pdf',
      'pdf',
    ]);
  });

  test('leaves a row that was claimed anew to who claimed it', async () => {
    const { db } = await fresh();
    await mint(db);
    const late = await claim(db, 'json', 0);
    const anew = await claim(db, 'json', 60);
    await deleteDone(db, late);
    assert.equal((await rowsOf(db)).length, 2);
    await deleteDone(db, anew);
    assert.deepEqual(
      (await rowsOf(db)).map(({ kind }) => kind),
      ['pdf'],
    );
  });

  test('keeps why a row failed and when it is tried again', async () => {
    const { db } = await fresh();
    await mint(db);
    const [pdf] = await claim(db, 'pdf', 0);
    await postpone(db, [{ claim: pdf!, attempts: 3, next_attempt_at: at(8), last_error: 'ENOSPC: no space' }]);
    assert.deepEqual((await rowsOf(db)).at(-1), {
      kind: 'pdf',
      recipient: '',
      attempts: 3,
      next_attempt_at: at(8),
      last_error: 'ENOSPC: no space',
    });
    const [again] = await claim(db, 'pdf', 8);
    assert.equal(again?.attempts, 3);
    await postpone(db, [{ claim: again!, attempts: 3, next_attempt_at: at(9), last_error: null }]);
    assert.equal((await rowsOf(db)).at(-1)?.last_error, 'ENOSPC: no space');
  });

  test('takes nothing from a process whose lease has ended', async () => {
    const { db } = await fresh();
    await mint(db);
    const [late] = await claim(db, 'json', 0);
    const [now] = await claim(db, 'json', 60);
    await postpone(db, [{ claim: late!, attempts: 9, next_attempt_at: at(61), last_error: 'too late' }]);
    assert.deepEqual((await rowsOf(db))[0], {
      kind: 'json',
      recipient: '',
      attempts: 0,
      next_attempt_at: now!.leased_until,
      last_error: null,
    });
  });
});

describe('what becomes of a row that failed', () => {
  const policy = {
    backoff: { first_ms: 1_000, longest_ms: 900_000 },
    mail_backoff: { first_ms: 1_000, longest_ms: 43_200_000 },
  };
  const outcome = (kind: CopyKind, attempts: number, fault: Fault): Outcome => ({
    claim: {
      organization_id: 'org_a',
      org_seq: 0,
      kind,
      recipient: '',
      attempts,
      booked_hour: null,
      leased_until: at(60),
    },
    failure: { fault, error: new Error('it broke') },
  });
  const waits = (kind: CopyKind, fault: 'copy' | 'destination', rounds: number): number[] => {
    const seconds: number[] = [];
    let attempts = 0;
    for (let i = 0; i < rounds; i++) {
      const row = postponed(outcome(kind, attempts, fault), NOON, 1, policy);
      attempts = row.attempts;
      seconds.push((Date.parse(row.next_attempt_at) - NOON) / 1_000);
    }
    return seconds;
  };

  test('what a storage does not take is tried for ever, ever more rarely, at least every quarter of an hour', () => {
    assert.deepEqual(waits('json', 'destination', 12), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    assert.equal(waits('pdf', 'destination', 500).at(-1), 900);
  });

  test('a mail that is refused, and a PDF that cannot be drawn, is given up after twenty attempts in about three days', () => {
    for (const kind of ['mail', 'pdf'] as const) {
      const seconds = waits(kind, 'copy', 19);
      const days = seconds.reduce((sum, s) => sum + s, 0) / 86_400;
      assert.ok(days > 2 && days < 4, `${days} days`);
      const last = postponed(outcome(kind, 19, 'copy'), NOON, 1, policy);
      assert.deepEqual([last.next_attempt_at, last.attempts, last.last_error], [PARKED, 20, 'it broke']);
    }
  });

  test('what was not tried, because too much was being drawn, comes soon and counts no attempt', () => {
    for (const attempts of [0, 19, 500]) {
      const row = postponed(outcome('pdf', attempts, 'busy'), NOON, 1, policy);
      assert.deepEqual([row.attempts, row.next_attempt_at], [attempts, at(1)]);
    }
  });

  test('a mail is never given up because its server is away', () => {
    assert.ok(waits('mail', 'destination', 500).every((seconds) => seconds <= 900));
    assert.equal(postponed(outcome('mail', 15, 'destination'), NOON, 1, policy).attempts, 15);
  });

  test('nothing of an altered receipt is tried again', () => {
    const row = postponed(outcome('json', 0, 'receipt'), NOON, 1, policy);
    assert.deepEqual([row.next_attempt_at, row.attempts, row.last_error], [PARKED, 1, 'it broke']);
  });

  test('half of every wait is chance', () => {
    assert.equal(backoffMs(3, policy.backoff, 0), 2_000);
    assert.equal(backoffMs(3, policy.backoff, 0.5), 3_000);
    assert.equal(backoffMs(5_000, policy.backoff, 1), 900_000);
  });
});

describe('a destination that is down', () => {
  test('is left alone, tried with one thing, and trusted again when that works', () => {
    const circuit = new Circuit({ first_ms: 1_000, longest_ms: 4_000 });
    assert.equal(circuit.allows(NOON, 32), 32);
    assert.equal(circuit.succeeded(), false);
    const waits = [1_000, 2_000, 4_000, 4_000];
    for (const wait of waits) {
      circuit.failed(NOON, 1);
      assert.equal(circuit.allows(NOON + wait - 1, 32), 0);
      assert.equal(circuit.allows(NOON + wait, 32), 1);
    }
    assert.equal(circuit.succeeded(), true);
    assert.equal(circuit.allows(NOON, 32), 32);
  });
});

describe('the pace of the copier', () => {
  const work = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };

  test('is a tenth of the time while mints flow', async () => {
    const pace = new Throttle(() => true, new AbortController().signal, 9);
    const began = performance.now();
    for (let i = 0; i < 3; i++) {
      work(5);
      await pace.rest();
    }
    const elapsed = performance.now() - began;
    assert.ok(elapsed >= 150, `15 ms of work took ${elapsed} ms`);
  });

  test('does not rest when there are none, when they end, or when it stops', async () => {
    let asked = 0;
    /** How often it was asked whether mints flow: before each of the ninety naps that are due after 200 ms of work. */
    const rested = async (busy: () => boolean, stopping = new AbortController()) => {
      asked = 0;
      const pace = new Throttle(() => busy(), stopping.signal, 9);
      work(200);
      await pace.rest();
      return asked;
    };
    assert.equal(await rested(() => asked++ < 0), 1);
    assert.equal(await rested(() => asked++ < 2), 3);
    const stopping = new AbortController();
    const stopped = () => {
      if (++asked === 3) stopping.abort();
      return true;
    };
    assert.equal(await rested(stopped, stopping), 3);
  });

  test('answers a bell that rang before it was listened to', async () => {
    const bell = new WakeSignal();
    bell.wake();
    bell.wake();
    await bell.wait(60_000);
    setImmediate(() => bell.wake());
    await bell.wait(60_000);
    await bell.wait(1);
  });
});

test('an error is kept in one short line without the secrets of its address', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:25'), { code: 'ECONNREFUSED' });
  assert.equal(errorText(refused), 'ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:25');
  assert.equal(errorText(new Error('no smtp://ada:hunter2@mail.example/\r\nthere')), 'no smtp://mail.example/ there');
  assert.equal(errorText(new AggregateError([refused])), 'AggregateError: connect ECONNREFUSED 127.0.0.1:25');
  assert.equal(errorText('a string'), 'a string');
  assert.equal(errorText(new Error('x'.repeat(9_999))).length, 300);
});
