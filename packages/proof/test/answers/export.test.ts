import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { logOf } from '../../../../test/kit/signed-log.ts';
import type { Trust } from '../../src/answers/signer.ts';
import { inShort, ofExport } from '../kit/answers.ts';
import { altered, chainOf } from '../kit/receipts.ts';
import { flipped } from '../log/tree.ts';

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const ORIGIN = 'ledger.example/org/org_1';
const rows = chainOf(9);
const texts = rows.map(({ text }) => text);
const log = logOf(texts, ORIGIN);
const expected = [log.signer.key];
/** Another history of the same length, that hangs together as well, under the same key. */
const anew = chainOf(9, (i) => (i === 4 ? { note: 'written later' } : {})).map(({ text }) => text);
const forged = logOf(anew, ORIGIN);

const short = async (receipts: string[], checkpoint: string | null, trust: Trust = {}) =>
  inShort(await ofExport(receipts, checkpoint, { expected, ...trust }));
const inclusion = async (receipts: string[], checkpoint: string, trust: Trust = {}) =>
  (await short(receipts, checkpoint, trust))[1];

describe('the four answers of an export', () => {
  test('with a checkpoint that ends where it ends: nothing is left out', async () => {
    assert.deepEqual(await short(texts, log.checkpoint()), [
      'holds chain_holds',
      'holds complete',
      'not_shown stated',
      'holds expected_key',
    ]);
  });

  test('without a checkpoint its end is not shown; without receipts there is nothing to verify', async () => {
    assert.deepEqual((await short(texts, null)).slice(0, 2), ['holds chain_holds', 'not_shown no_checkpoint']);
    assert.deepEqual(await short([], log.checkpoint()), Array(4).fill('not_shown nothing_to_verify'));
  });

  test('longer than the checkpoint, the rest is in none', async () => {
    assert.equal(await inclusion(texts, log.checkpoint(7)), 'not_shown beyond_checkpoint');
  });

  test('a checkpoint of another organization, or what is none, fails', async () => {
    const other = logOf(texts, 'ledger.example/org/org_2');
    const trust = { expected: [other.signer.key] };
    assert.equal(await inclusion(texts, other.checkpoint(), trust), 'fails another_organization');
    assert.equal(await inclusion(texts, 'nothing'), 'fails not_a_checkpoint');
  });
});

describe('drills: a reader who holds a checkpoint notices', () => {
  test('that the tail was cut off, the old checkpoint kept', async () => {
    assert.equal(await inclusion(texts.slice(0, 6), log.checkpoint()), 'fails tail_missing');
  });

  test('that the tail was cut off, and a checkpoint signed for what is left: an old backup restored', async () => {
    const restored = log.checkpoint(6);
    assert.equal(await inclusion(texts.slice(0, 6), restored), 'holds complete');
    assert.equal(await inclusion(texts.slice(0, 6), restored, { remembered: log.tree(8) }), 'fails tail_cut_off');
  });

  test('that all was rewritten, chained anew and signed again, at the same size or a larger one', async () => {
    assert.deepEqual((await short(anew, log.checkpoint())).slice(0, 2), ['holds chain_holds', 'fails another_history']);
    assert.equal(await inclusion(anew, forged.checkpoint()), 'holds complete');
    assert.equal(await inclusion(anew, forged.checkpoint(), { remembered: log.tree(9) }), 'fails history_rewritten');
    assert.equal(await inclusion(anew, forged.checkpoint(), { remembered: log.tree(7) }), 'fails history_rewritten');
  });

  test('and what is unchanged is said to extend what was seen, without a consistency proof', async () => {
    const answers = await ofExport(texts, log.checkpoint(), { expected, remembered: log.tree(5) });
    assert.match(answers.inclusion_and_completeness.text, /it extends the one of 5 that you saw last\.$/);
    const before = texts.slice(0, 4);
    assert.equal(await inclusion(before, log.checkpoint(4), { remembered: log.tree(4) }), 'holds complete');
  });

  test('that a receipt was altered in its place', async () => {
    const stored = texts.with(3, altered(rows[3]!, { schema: 'service.cook-receipt/v1' }).text);
    const found = await short(stored, log.checkpoint());
    assert.deepEqual(found.slice(0, 2), ['fails chain_broken', 'fails another_history']);
  });
});

describe('any one bit changed', () => {
  test('of an export or its checkpoint is noticed', async () => {
    const checkpoint = new TextEncoder().encode(log.checkpoint());
    await fc.assert(
      fc.asyncProperty(fc.nat(8), fc.nat(), fc.nat(checkpoint.length * 8 - 1), async (at, bit, of) => {
        const line = new TextEncoder().encode(texts[at]!);
        const changed = new TextDecoder().decode(flipped(line, bit % (line.length * 8)));
        const [integrity, included] = await short(texts.with(at, changed), log.checkpoint());
        assert.equal(integrity, 'fails chain_broken');
        assert.match(included!, /^fails another_(history|organization)$/);
        const note = new TextDecoder().decode(flipped(checkpoint, of));
        const [, inclusion_and_completeness, , identity] = await short(texts, note);
        assert.notDeepEqual([inclusion_and_completeness, identity], ['holds complete', 'holds expected_key']);
      }),
      { numRuns: 200 },
    );
  });
});
