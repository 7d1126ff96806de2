/** The vectors of what a witness answers (docs/spec.md §35.2). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { submit } from './kit/running.ts';
import { serveWitness } from './kit/serving.ts';

const VECTOR = new URL('../../../vectors/proofs/witness--what-it-answers.json', import.meta.url);

test('each submission is answered as its vector says, one after the other', async () => {
  const { logs, steps } = JSON.parse(readFileSync(VECTOR, 'utf8'));
  assert.ok(steps.length > 15);
  const witness = await serveWitness('witness.example/w1');
  witness.watch(...logs);
  for (const { story, body, status, answer } of steps) {
    const answered = await submit(witness.url, body);
    assert.equal(answered.status, status, `${story}: ${answered.text}`);
    if (answer !== undefined) assert.equal(answered.text, answer, story);
  }
  await witness.close();
});
