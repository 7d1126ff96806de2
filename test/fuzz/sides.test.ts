/** What is one side's own, and what may stand in an answer to the other. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seeded } from './random.ts';
import { leakIn, learn, newSecrets, newSide, recordSent } from './sides.ts';

describe('whose a word is', () => {
  const sent = { method: 'GET', path: '/runs' };
  const run_id = `run_${'7'.repeat(32)}`;

  test('it is found in another’s answer, unless that side sent it', () => {
    const [one, other] = [newSide('a', seeded(1)), newSide('b', seeded(2))];
    learn(one, { runs: [{ id: run_id, share_url: `http://x/share/${'t'.repeat(31)}` }] });
    const sides = [one, other];
    const text = JSON.stringify({ id: run_id });
    assert.equal(leakIn(text, one, sides, sent), null);
    assert.equal(leakIn(text, other, sides, sent), run_id);
    assert.equal(leakIn(text, null, sides, sent), run_id);
    assert.equal(leakIn(`/share/${'t'.repeat(31)}`, other, sides, sent), 't'.repeat(31));
    assert.equal(leakIn(`a title of ${one.mark}`, other, sides, sent), one.mark);
    recordSent(other, { ...sent, path: `/runs/${run_id}` });
    assert.equal(leakIn(text, other, sides, sent), null);
  });

  test('a secret is told to one caller, and again to none but that one', () => {
    const secrets = newSecrets();
    const [secret, another] = ['s', 't'].map((letter) => `rk_${'1'.repeat(32)}_${letter.repeat(43)}`) as [
      string,
      string,
    ];
    for (let i = 0; i < 2; i++) assert.equal(secrets.strayIn(`{"api_key":"${secret}"}`, 'one'), null);
    assert.equal(secrets.strayIn(`{"name":"${secret}"}`, 'other'), secret);
    secrets.recordSent({ ...sent, body: another }, 'other');
    assert.equal(secrets.strayIn(another, 'one'), null);
  });
});
