import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { logOf, signerNamed } from '../../../../test/kit/signed-log.ts';
import { ANSWER_TITLES, isBroken } from '../../src/answers/answer.ts';
import { policyToTrust } from '../../src/answers/policy.ts';
import { answersOfReceipt } from '../../src/answers/receipt.ts';
import type { Trust } from '../../src/answers/signer.ts';
import { parsePolicy } from '../../src/log/policy.ts';
import { inShort } from '../kit/answers.ts';
import { altered, chainOf } from '../kit/receipts.ts';
import { flipped } from '../log/tree.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const ORIGIN = 'ledger.example/org/org_1';
const rows = chainOf(7);
const texts = rows.map(({ text }) => text);
const bytes = (text: string) => new TextEncoder().encode(text);
const log = logOf(texts, ORIGIN);
const expected = [log.signer.key];
const receipt = bytes(texts[3]!);
const proof = await log.proof(3);

const short = async (of: Uint8Array, given: string | null, trust: Trust = { expected }) =>
  inShort(await answersOfReceipt(of, given, trust));
const inclusion = async (of: Uint8Array, given: string, trust: Trust = { expected }) =>
  (await short(of, given, trust))[1];

describe('the four answers of a receipt', () => {
  test('with its proof and a trusted key: integrity, inclusion and identity hold, the time is only stated', async () => {
    const answers = await answersOfReceipt(receipt, proof, { expected });
    assert.deepEqual(inShort(answers), ['holds unchanged', 'holds included', 'not_shown stated', 'holds expected_key']);
    const { text } = answers.inclusion_and_completeness;
    assert.match(text, /stands at 3 among the 7 of the signed checkpoint of ledger\.example\/org\/org_1/);
    assert.equal(isBroken(answers), false);
  });

  test('alone, it shows integrity and nothing else', async () => {
    assert.deepEqual(await short(receipt, null), [
      'holds unchanged',
      'not_shown no_proof',
      'not_shown stated',
      'not_shown nobody_signed',
    ]);
  });

  test('a key that came with it ties it together and shows no identity', async () => {
    assert.deepEqual((await short(receipt, proof, { beside: expected })).slice(1), [
      'holds included',
      'not_shown stated',
      'not_shown key_beside',
    ]);
    assert.deepEqual((await short(receipt, proof, {})).slice(1), [
      'not_shown checkpoint_not_signed',
      'not_shown stated',
      'not_shown no_key',
    ]);
  });

  test('another key, another log, a changed signature: identity fails, and the checkpoint shows nothing', async () => {
    const other = signerNamed(ORIGIN, 1, 'another').key;
    assert.deepEqual((await short(receipt, proof, { expected: [other], beside: expected })).slice(1), [
      'not_shown checkpoint_not_signed',
      'not_shown stated',
      'fails another_key',
    ]);
    const elsewhere = signerNamed('ledger.example/org/org_2').key;
    assert.equal((await short(receipt, proof, { expected: [elsewhere] }))[3], 'fails another_log');
    const larger = proof.replace('\n7\n', '\n8\n');
    assert.equal((await short(receipt, larger))[3], 'fails bad_signature');
    const as_witness = signerNamed(ORIGIN, 4).key;
    assert.equal((await short(receipt, proof, { expected: [as_witness] }))[3], 'not_shown no_key');
  });

  test('the index of the proof is the org_seq of the receipt, its origin the organization’s', async () => {
    assert.equal(await inclusion(bytes(texts[4]!), proof), 'fails another_place');
    assert.equal(await inclusion(receipt, proof.replace('index 3', 'index 2')), 'fails another_place');
    const of_another = logOf(texts, 'ledger.example/org/org_2');
    const trust = { expected: [of_another.signer.key] };
    assert.equal(await inclusion(receipt, await of_another.proof(3), trust), 'fails another_organization');
  });

  test('an altered receipt, and one that was sealed anew, are not in the tree', async () => {
    const changed = altered(rows[3]!, { schema: 'service.cook-receipt/v1' });
    assert.deepEqual((await short(bytes(changed.text), proof)).slice(0, 2), ['fails altered', 'fails not_included']);
    const resealed = chainOf(4, (i) => (i === 3 ? { run: { title: 'Another' } } : {}))[3]!;
    assert.deepEqual((await short(bytes(resealed.text), proof)).slice(0, 2), ['holds unchanged', 'fails not_included']);
  });

  test('a file in another formatting is held against the tree by its sealed bytes', async () => {
    const pretty = bytes(JSON.stringify(JSON.parse(texts[3]!), null, 2));
    assert.deepEqual((await short(pretty, proof)).slice(0, 2), ['holds reformatted', 'holds included']);
  });

  test('what is no proof, or holds no checkpoint, says so', async () => {
    assert.equal(await inclusion(receipt, 'c2sp.org/tlog-proof@v2\n'), 'fails not_a_proof');
    const without = `${proof.split('\n\n')[0]}\n\nnothing\n\nof a note\n`;
    assert.equal(await inclusion(receipt, without), 'fails not_a_checkpoint');
  });

  test('nothing is never valid', async () => {
    for (const nothing of ['', '\n', ' \n']) {
      const answers = await answersOfReceipt(bytes(nothing), proof, { expected });
      assert.equal(answers.about, 'nothing');
      assert.ok(isBroken(answers));
      for (const [name] of ANSWER_TITLES) assert.equal(answers[name].code, 'nothing_to_verify');
    }
  });
});

describe('a receipt held against the checkpoint that the reader saw last', () => {
  const said = async (trust: Trust, of = proof) =>
    (await answersOfReceipt(receipt, of, { expected, ...trust })).inclusion_and_completeness;

  test('the same, or one that a consistency proof leads to, is said to be', async () => {
    assert.match((await said({ remembered: log.tree() })).text, /the same that you saw last/);
    const shown = await said({ remembered: log.tree(5), consistency: await log.consistency(5) });
    assert.match(shown.text, /which extends the one of 5 that you saw last/);
    const older = await said({ remembered: log.tree(7), consistency: await log.consistency(5) }, await log.proof(3, 5));
    assert.match(older.text, /which the one of 7 that you saw last extends/);
  });

  test('without a consistency proof it says that this is not shown, and from where to where it has to lead', async () => {
    for (const [trust, of] of [
      [{ remembered: log.tree(5) }, proof],
      [{ remembered: log.tree(7) }, await log.proof(3, 5)],
    ] as const) {
      const answer = await said(trust, of);
      assert.equal(answer.state, 'holds');
      assert.match(answer.text, /of one history is not shown/);
      assert.match(answer.advice, /consistency proof from 5 to 7/);
    }
  });

  test('another tree of the same size, or one that does not extend it, fails', async () => {
    const anew = chainOf(9, () => ({ note: 'anew' })).map(({ text }) => text);
    const other = logOf(anew, ORIGIN);
    assert.equal((await said({ remembered: other.tree(7) })).code, 'history_rewritten');
    const forged = { remembered: other.tree(5), consistency: await log.consistency(5) };
    assert.equal((await said(forged)).code, 'not_consistent');
  });
});

describe('a policy', () => {
  const signers = ['one', 'two', 'three'].map((name) => signerNamed(`${name}.example`, 4));
  const witnesses = signers.map(({ vkey }, i) => `witness ${'abc'[i]} ${vkey}\n`).join('');
  const policy = policyToTrust(parsePolicy(`${witnesses}group g 2 a b c\nquorum g\n`));
  const cosigners = signers.map((signer, i) => ({ signer, time: 1_790_000_000 + 60 * i }));

  test('with a quorum, says by when it existed', async () => {
    const answers = await answersOfReceipt(receipt, await log.proof(3, 7, cosigners), { expected, policy });
    assert.deepEqual(inShort(answers), ['holds unchanged', 'holds included', 'holds witnessed', 'holds expected_key']);
    assert.match(answers.time.text, /by 2026-09-21T14:14:20Z at the latest: 3 of 3 witnesses/);
  });

  test('witnesses that no policy asks for are counted all the same, with the last of their times; one that is wrong is not', async () => {
    const known = signers.map(({ key }) => key);
    const [first, ...rest] = cosigners;
    const said = async (proof: string, trust: Trust) => (await answersOfReceipt(receipt, proof, trust)).time;
    for (const trust of [{ beside: [...expected, ...known] }, { expected, beside: known }]) {
      const { code, state, text } = await said(await log.proof(3, 7, rest), trust);
      assert.deepEqual([state, code], ['not_shown', 'stated']);
      assert.match(text, /sealed it\. 2 of 3 witnesses cosigned the checkpoint, last at 2026-09-21T14:15:20Z\.$/);
    }
    const wrong = { ...first!.signer, sign: (message: Uint8Array) => flipped(first!.signer.sign(message), 9) };
    const forged = await log.proof(3, 7, [{ ...first!, signer: wrong }]);
    assert.match((await said(forged, { expected, beside: known })).text, /Nobody else vouches for it\.$/);
    assert.match((await said(await log.proof(3, 7, rest), { beside: known })).text, /Nobody else vouches for it\.$/);
  });

  test('without a quorum, or with a line that was changed, fails', async () => {
    const few = await log.proof(3, 7, cosigners.slice(2));
    assert.deepEqual((await short(receipt, few, { expected, policy })).slice(1, 3), [
      'fails quorum_not_reached',
      'not_shown too_few_witnesses',
    ]);
    const [first, ...rest] = cosigners;
    const wrong = { ...first!.signer, sign: (message: Uint8Array) => flipped(first!.signer.sign(message), 9) };
    const forged = await log.proof(3, 7, [{ ...first!, signer: wrong }, ...rest]);
    assert.equal(await inclusion(receipt, forged, { expected, policy }), 'fails cosignature_broken');
  });
});

describe('any one bit changed', () => {
  test('of receipt, proof, checkpoint, signature or key is noticed', async () => {
    const file = bytes(proof);
    const vkey = expected[0]!;
    const whole = async (of: Uint8Array, text: string, key = vkey) => {
      const [integrity, included, , identity] = await short(of, text, { expected: [key] });
      return [integrity, included, identity].every((answer) => answer!.startsWith('holds'));
    };
    assert.ok(await whole(receipt, proof));
    await fc.assert(
      fc.asyncProperty(fc.nat(receipt.length * 8 - 1), fc.nat(file.length * 8 - 1), fc.nat(255), async (r, p, k) => {
        assert.ok(!(await whole(flipped(receipt, r), proof)), `receipt, bit ${r}`);
        const text = new TextDecoder().decode(flipped(file, p));
        assert.ok(!(await whole(receipt, text)), `proof, bit ${p}`);
        assert.ok(!(await whole(receipt, proof, { ...vkey, key: flipped(vkey.key, k) })), `key, bit ${k}`);
        assert.ok(!(await whole(receipt, proof, { ...vkey, id: flipped(vkey.id, k % 32) })), `key id, bit ${k}`);
      }),
      { numRuns: 300 },
    );
  });
});
