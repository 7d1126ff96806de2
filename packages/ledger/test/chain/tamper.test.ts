/**
 * Whatever is altered in a stored chain, verification names the receipt and the kind; whatever is not altered, it does not
 * (docs/spec.md §7). Properties over a chain with receipts of all six lanes, on both engines.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DEFAULT_PRICES, priceTable } from '@rcpt/contract/prices.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId, newSecret, now } from '@rcpt/service/ids.ts';
import fc from 'fast-check';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { createMinter } from '../../src/chain/mint.ts';
import { verifyChain } from '../../src/chain/verify.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { foundOrganization } from '../../src/people/organizations.ts';
import { prepareApproval, recordApproval } from '../../src/runs/approval.ts';
import { loadUndecided, recordChecks } from '../../src/runs/checks.ts';
import { decideChecks } from '../../src/runs/decide.ts';
import { openDeciders } from '../../src/runs/deciders.ts';
import { executionOf, inputsOf as postedInputs } from '../../src/runs/parse-body.ts';
import { giveVerdict, openRun, postExecution } from '../../src/runs/stages.ts';
import { insertFlightSheet } from '../../src/store/flight-sheets.ts';
import { assertChain, type Receipt } from '../kit/independent.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt, SHEET, WORK } from '../kit/story.ts';
import { type Row, readChain, resealed, type StoredChain, writeChain } from '../kit/tampering.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const PRICES = priceTable(DEFAULT_PRICES);
const deciders = openDeciders({ error: (it: object) => assert.fail(JSON.stringify(it)) } as never);
const LANES = Object.keys(WORK) as LaneName[];
const LENGTH = 2 * LANES.length;
const LAST = LENGTH - 1;
const RUNS = 150;

/** What was done, and what the first violation must be. */
interface Tampering {
  done: string;
  chain: StoredChain;
  kinds: string[];
  /** Where it may be pinned. */
  places: number[];
}

type Tamper = (honest: StoredChain) => Tampering;

const anyPlace = fc.nat(LAST);
const middle = fc.nat(LAST - 1);
const twoPlaces = fc.tuple(anyPlace, anyPlace).filter(([a, b]) => a < b);
const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const text = fc.string({ unit: 'grapheme', maxLength: 70 }).filter((value) => !value.includes('\0'));
const column = fc.constantFrom('parent_hash', 'run_id', 'schema', 'receipt_sha256', 'share_token');

function withRow({ rows, head }: StoredChain, at: number, change: (row: Row) => Row): StoredChain {
  return { head, rows: rows.map((row, i) => (i === at ? change(row) : row)) };
}

/** One character of a payload replaced, removed or added. */
const edit = fc
  .record({
    at: anyPlace,
    where: fc.nat(99_999),
    how: fc.constantFrom('replace', 'remove', 'add'),
    by: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  })
  .map(
    ({ at, where, how, by }): Tamper =>
      (honest) => {
        const { payload } = honest.rows[at]!;
        const i = where % payload.length;
        const put = by === '\0' || by === payload[i] ? '~' : by;
        const altered = payload.slice(0, i) + (how === 'remove' ? '' : put) + payload.slice(how === 'add' ? i : i + 1);
        return {
          done: `${how} character ${i} of payload ${at}`,
          chain: withRow(honest, at, (row) => ({ ...row, payload: altered })),
          kinds: ['payload_altered'],
          places: [at],
        };
      },
  );

const replaced = fc
  .tuple(anyPlace, fc.constantFrom('', '{}', '[]', 'null', '"x"', '{"receipt_sha256":null}', '{"org_seq":3}'))
  .map(
    ([at, payload]): Tamper =>
      (honest) => ({
        done: `payload ${at} is ${payload}`,
        chain: withRow(honest, at, (row) => ({ ...row, payload })),
        kinds: ['payload_altered'],
        places: [at],
      }),
  );

/** A member's value changed, the hash left as it was. */
const member = fc
  .tuple(
    anyPlace,
    fc.constantFrom('schema', 'receipt_id', 'org_seq', 'parent_hash', 'created_at', 'share_url', 'receipt_sha256'),
    fc.nat(LENGTH),
  )
  .map(
    ([at, name, value]): Tamper =>
      (honest) => ({
        done: `member ${name} of payload ${at}`,
        chain: withRow(honest, at, (row) => {
          const payload: Receipt = JSON.parse(row.payload);
          const changed =
            name === 'org_seq'
              ? value === at
                ? LENGTH
                : value
              : `${payload[name]}`.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
          return {
            ...row,
            payload: row.payload.replace(
              `"${name}":${JSON.stringify(payload[name])}`,
              `"${name}":${JSON.stringify(changed)}`,
            ),
          };
        }),
        kinds: ['payload_altered'],
        places: [at],
      }),
  );

const columnAltered = fc.tuple(anyPlace, column, fc.oneof(text, hash)).map(
  ([at, name, value]): Tamper =>
    (honest) => ({
      done: `column ${name} of ${at}`,
      chain: withRow(honest, at, (row) => ({ ...row, [name]: value === row[name] ? `${value}x` : value })),
      kinds: ['record_mismatch'],
      places: [at],
    }),
);

const columnsSwapped = fc.tuple(twoPlaces, column).map(
  ([[a, b], name]): Tamper =>
    (honest) => {
      const [left, right] = [honest.rows[a]!, honest.rows[b]!];
      // Two receipts of one lane have one schema.
      const same = left[name] === right[name];
      const chain = withRow(
        withRow(honest, a, (row) => ({ ...row, [name]: same ? 'x' : right[name] })),
        b,
        (row) => ({ ...row, [name]: left[name] }),
      );
      return { done: `column ${name} of ${a} and ${b} swapped`, chain, kinds: ['record_mismatch'], places: [a] };
    },
);

/** The row moves; its receipt, and the one that follows the place it left, are what verification can see. */
const sequenceAltered = fc
  .tuple(anyPlace, fc.oneof(fc.integer({ min: LENGTH, max: 10_000 }), fc.integer({ min: -10_000, max: -1 })))
  .map(
    ([at, org_seq]): Tamper =>
      (honest) => ({
        done: `org_seq ${at} becomes ${org_seq}`,
        chain: withRow(honest, at, (row) => ({ ...row, org_seq })),
        kinds: ['sequence_gap', 'record_mismatch'],
        places: [at, at + 1],
      }),
  );

const payloadsSwapped = twoPlaces.map(
  ([a, b]): Tamper =>
    (honest) => {
      const [left, right] = [honest.rows[a]!.payload, honest.rows[b]!.payload];
      const chain = withRow(
        withRow(honest, a, (row) => ({ ...row, payload: right })),
        b,
        (row) => ({ ...row, payload: left }),
      );
      return {
        done: `payloads ${a} and ${b} swapped`,
        chain,
        kinds: ['sequence_gap', 'record_mismatch'],
        places: [a, b],
      };
    },
);

const reordered = fc
  .shuffledSubarray([...Array(LENGTH).keys()], { minLength: LENGTH, maxLength: LENGTH })
  .filter((order) => order.some((from, to) => from !== to))
  .map(
    (order): Tamper =>
      ({ rows, head }) => {
        const first = order.findIndex((from, to) => from !== to);
        const chain = { head, rows: order.map((from, org_seq) => ({ ...rows[from]!, org_seq })) };
        return {
          done: `rows in the order ${order}`,
          chain,
          kinds: ['sequence_gap', 'record_mismatch'],
          places: [first, order[first]!],
        };
      },
  );

const deleted = middle.map(
  (at): Tamper =>
    ({ rows, head }) => ({
      done: `row ${at} deleted`,
      chain: { head, rows: rows.toSpliced(at, 1) },
      kinds: ['sequence_gap'],
      places: [at + 1],
    }),
);

const truncated = fc.nat(LAST).map(
  (length): Tamper =>
    ({ rows, head }) => ({
      done: `cut to ${length}`,
      chain: { head, rows: rows.slice(0, length) },
      kinds: ['head_mismatch'],
      places: [LAST],
    }),
);

const headAltered = fc.oneof(
  hash.map(
    (receipt_sha256): Tamper =>
      ({ rows, head }) => ({
        done: 'another head',
        chain: { rows, head: { ...head!, receipt_sha256 } },
        kinds: ['head_mismatch'],
        places: [LAST],
      }),
  ),
  fc.integer({ min: -1, max: LAST - 1 }).map(
    (org_seq): Tamper =>
      ({ rows, head }) => ({
        done: `head at ${org_seq}`,
        chain: { rows, head: { ...head!, org_seq } },
        kinds: ['head_mismatch'],
        places: [LAST],
      }),
  ),
  fc.integer({ min: LENGTH, max: 999 }).map(
    (org_seq): Tamper =>
      ({ rows, head }) => ({
        done: `head at ${org_seq}`,
        chain: { rows, head: { ...head!, org_seq } },
        kinds: ['head_mismatch'],
        places: [org_seq],
      }),
  ),
  fc.constant(null).map(
    (): Tamper =>
      ({ rows }) => ({ done: 'no head', chain: { rows, head: null }, kinds: ['head_mismatch'], places: [LAST] }),
  ),
);

/** The Run's own record knows when its receipt was minted; it knows nothing of the organization's name. */
const forge = (payload: Receipt): Receipt => ({ ...payload, created_at: '2020-01-01T00:00:00.000Z' });
const forgeUnseen = (payload: Receipt): Receipt => ({
  ...payload,
  organization: { ...payload.organization, name: 'Another' },
});

const alteredAndResealed = anyPlace.map(
  (at): Tamper =>
    (honest) => ({
      done: `${at} resealed`,
      chain: withRow(honest, at, (row) => resealed(row, forge)),
      kinds: ['record_mismatch'],
      places: [at],
    }),
);

/** No record of the receipt itself tells: its successor does, or the head. */
const alteredUnseenAndResealed = anyPlace.map(
  (at): Tamper =>
    (honest) => {
      const chain = withRow(honest, at, (row) => resealed(row, forgeUnseen));
      return at === LAST
        ? { done: `${at} resealed unseen`, chain, kinds: ['head_mismatch'], places: [LAST] }
        : { done: `${at} resealed unseen`, chain, kinds: ['broken_parent_link'], places: [at + 1] };
    },
);

const resealedUnderItsColumns = anyPlace.map(
  (at): Tamper =>
    (honest) => ({
      done: `${at} resealed, columns left`,
      chain: withRow(honest, at, (row) => ({ ...row, payload: resealed(row, forge).payload })),
      kinds: ['record_mismatch'],
      places: [at],
    }),
);

/** Everything from one receipt on written anew: the recorded head tells, and a cook, which has sealed the hash of its pin. */
const historyRewritten = anyPlace.map(
  (from): Tamper =>
    ({ rows, head }) => {
      const chain: Row[] = [];
      for (const [i, row] of rows.entries())
        chain.push(
          i < from
            ? row
            : resealed(row, (payload) => ({
                ...forgeUnseen(payload),
                parent_hash: chain.at(-1)?.receipt_sha256 ?? payload.parent_hash,
              })),
        );
      const cooks = rows.flatMap(({ schema }, at) => (schema.includes('cook') ? [at] : []));
      return {
        done: `rewritten from ${from}`,
        chain: { rows: chain, head },
        kinds: ['record_mismatch', 'head_mismatch'],
        places: [...cooks, LAST],
      };
    },
);

const inserted = fc.tuple(anyPlace, fc.boolean()).map(
  ([at, asTail]): Tamper =>
    ({ rows, head }) => {
      const ofTail = resealed(rows[at]!, (payload) => ({
        ...payload,
        org_seq: LENGTH,
        parent_hash: rows[LAST]!.receipt_sha256,
      }));
      const again = { ...rows[at]!, org_seq: LENGTH, parent_hash: 'x', run_id: 'run_forged' };
      return asTail
        ? {
            done: `a sealed forgery of ${at} at the tail`,
            chain: { head, rows: [...rows, { ...ofTail, run_id: 'run_forged' }] },
            kinds: ['record_mismatch', 'head_mismatch'],
            places: [LENGTH],
          }
        : { done: `${at} once more`, chain: { head, rows: [...rows, again] }, kinds: ['sequence_gap'], places: [at] };
    },
);

const tampering = fc.oneof(
  { arbitrary: edit, weight: 6 },
  { arbitrary: member, weight: 2 },
  { arbitrary: columnAltered, weight: 3 },
  replaced,
  columnsSwapped,
  sequenceAltered,
  payloadsSwapped,
  reordered,
  deleted,
  truncated,
  headAltered,
  alteredAndResealed,
  alteredUnseenAndResealed,
  resealedUnderItsColumns,
  historyRewritten,
  inserted,
);

eachLedger('a stored chain', (ledger) => {
  let tenant: Tenant;
  let honest: StoredChain;
  let receipts: Receipt[];

  before(async () => {
    tenant = await ledger.doomedTenant();
    receipts = [];
    for (let i = 0; i < LENGTH; i++) receipts.push(await mintedReceipt(tenant, LANES[i % LANES.length]));
    honest = await readChain(ledger.db, tenant.organization_id);
  });

  const verified = async () => tenant.as('auditor')('GET', '/ledger/verify');

  test('that was tampered with in any way is not ok, and the first violation names the receipt and the kind', async () => {
    const property = fc.asyncProperty(tampering, async (tamper) => {
      const { done, chain, kinds, places } = tamper(honest);
      await writeChain(ledger.db, tenant.organization_id, chain);
      const report = await verified();
      const seen = `${done}: ${JSON.stringify(report.violations.slice(0, 3))}`;
      assert.equal(report.ok, false, seen);
      assert.deepEqual(report.violation, report.violations[0], seen);
      const { kind, org_seq, receipt_id, detail } = report.violation;
      assert.ok(kinds.includes(kind), seen);
      assert.ok(places.includes(org_seq), seen);
      if (org_seq < LENGTH && kind !== 'head_mismatch') assert.equal(receipt_id, receipts[org_seq].receipt_id, seen);
      assert.ok(detail.length > 0);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  test('that was put back as it was is ok again', async () => {
    await writeChain(ledger.db, tenant.organization_id, honest);
    const report = await verified();
    assert.deepEqual([report.ok, report.receipts_checked, report.violations], [true, LENGTH, []]);
  });

  test('with several receipts altered names every one of them', async () => {
    const property = fc.asyncProperty(fc.uniqueArray(anyPlace, { minLength: 1, maxLength: LENGTH }), async (places) => {
      const chain = {
        ...honest,
        rows: honest.rows.map((row, i) =>
          places.includes(i) ? { ...row, payload: row.payload.replace('"schema":"', '"schema":"x') } : row,
        ),
      };
      await writeChain(ledger.db, tenant.organization_id, chain);
      const { violations } = await verified();
      assert.deepEqual(
        violations.map(({ kind, org_seq }: { kind: string; org_seq: number }) => [kind, org_seq]),
        places.sort((a, b) => a - b).map((at) => ['payload_altered', at]),
      );
    });
    await fc.assert(property, { numRuns: 20 });
    await writeChain(ledger.db, tenant.organization_id, honest);
  });
});

/** Work of any lane with texts and values as people and programs write them. */
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .map((value) => `${value.replaceAll(/[\p{Cc}\s]/gu, ' ')}.`);
const work = fc.record({
  lane: fc.constantFrom(...LANES),
  title: words,
  text: words,
  more: fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }),
});

function inputsOf({ lane, text: written, more }: { lane: LaneName; text: string; more: unknown }): object {
  const { inputs } = WORK[lane];
  const free: Partial<Record<LaneName, object>> = {
    generic: { task: written, more },
    eval: { more },
    cook: { dataset: written },
    incident: { detail: written },
    'dataset-download': { purpose: written },
    'model-pin': { declaration: written, card: { more } },
  };
  return { ...inputs, ...free[lane] };
}

eachEngine('any untouched chain', MIGRATIONS, (fresh) => {
  test('is verified without a false alarm, whatever its receipts hold', async () => {
    const { db } = await fresh();
    const minter = createMinter({
      db,
      base_url: 'https://receipts.example.org',
      now,
      newShareToken: () => newSecret(16),
      queue_limit: 1000,
      onMinted() {},
    });
    let minted = 0;
    const property = fc.asyncProperty(fc.array(work, { maxLength: 10 }), async (works) => {
      const { organization_id } = await db.transaction(async (tx) => {
        const founded = await foundOrganization(tx, { name: 'Any' }, now());
        await insertFlightSheet(tx, founded.organization_id, SHEET as never, now(), 'key');
        return founded;
      });
      const by = { organization_id, id: newId('key'), role: 'owner', name: 'Somebody' } as const;
      const approvedRun = ({ lane, title, ...rest }: (typeof works)[number]) =>
        db
          .transaction(async (tx) => {
            const at = now();
            const { id } = await openRun(
              tx,
              by,
              postedInputs({ lane, title, inputs: inputsOf({ lane, ...rest }) as never }),
              at,
            );
            await postExecution(tx, by, id, (lane) => executionOf(lane, WORK[lane].execution as never), at);
            await recordChecks(tx, by, id, decideChecks(await loadUndecided(tx, by, id, PRICES.rows)), at);
            await giveVerdict(tx, by, id, at);
            await recordApproval(tx, by, id, await prepareApproval(tx, deciders, by, id, { decision: 'approved' }, at));
            return id;
          })
          .catch((error: unknown) => {
            // What canonical JSON cannot represent is refused before anything is written.
            if (error instanceof Refusal && error.code === 'invalid') return null;
            throw error;
          });
      const ids = (await Promise.all(works.map(approvedRun))).filter((id) => id !== null);
      await Promise.all(ids.map((run_id) => minter.mint({ organization_id, run_id, by: by.id })));
      minted += ids.length;
      const report = await verifyChain(db, organization_id);
      assert.deepEqual([report.ok, report.receipts_checked, report.violations], [true, ids.length, []]);
      const { rows } = await readChain(db, organization_id);
      assert.equal(assertChain(rows.map((row) => row.payload)).length, ids.length);
    });
    await fc.assert(property, { numRuns: 60 });
    assert.ok(minted > 100, `only ${minted} receipts`);
  });
});
