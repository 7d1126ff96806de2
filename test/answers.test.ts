/**
 * One input, one set of answers: the page's script, the PDF, the command line and the offline file say the same sentences for every vector of
 * `vectors/proofs`, and they are those that `vectors/expected.json` names. What is given to a page or a PDF came with its keys: the command line
 * is told so, too, with --key-beside. The offline file in a browser: test/e2e/offline.full.test.ts.
 */
import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { renderPdf } from '@rcpt/ledger/share/pdf/pdf.ts';
import { opened } from '@rcpt/ledger/share/view.ts';
import { ANSWER_TITLES, type Answers } from '@rcpt/proof/answers/answer.ts';
import { checkpointIn } from '@rcpt/proof/answers/export.ts';
import { main } from '@rcpt/proof/bin.ts';
import { memoryFile } from '@rcpt/proof/cli-memory.ts';
import { check } from '@rcpt/proof/given/check.ts';
import { parseVerifierKeys } from '@rcpt/proof/log/verifier-key.ts';
import { openPageScript } from '../packages/ledger/test/kit/page-script.ts';
import { LINK, readPdf } from '../packages/ledger/test/kit/print.ts';
import { answersOfVector, inShort } from '../vectors/expected-proofs.ts';
import type { AnswersVector } from '../vectors/make-proofs.ts';

const folder = new URL('../vectors/proofs/', import.meta.url);
const expected = JSON.parse(readFileSync(new URL('../vectors/expected.json', import.meta.url), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'answers-'));
const script = openPageScript();
after(() => {
  rmSync(scratch, { recursive: true });
  script.close();
});

const vectors = readdirSync(folder)
  .filter((name) => name.startsWith('answers--'))
  .map((name): [string, AnswersVector] => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]);

/** `./rcpt verify --json`, with the files of the vector and what it remembers. */
async function onCommandLine(vector: AnswersVector): Promise<{ answers: Answers; status: number; stdout: string }> {
  const at = mkdtempSync(join(scratch, 'files-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(at, name), text);
    return join(at, name);
  };
  const state = join(at, 'state');
  if (vector.remembered !== undefined) {
    mkdirSync(state);
    writeFileSync(memoryFile(state, checkpointIn(vector.remembered)!.origin), vector.remembered);
  }
  const { proof, checkpoint, keys, keys_beside, policy, consistency } = vector;
  const asked = proof !== undefined || checkpoint !== undefined;
  const options = {
    proof,
    checkpoint,
    ...(asked ? { key: keys, 'key-beside': keys_beside, policy, consistency } : {}),
  };
  const given = Object.entries(options).flatMap(([name, text]) =>
    text === undefined ? [] : [`--${name}`, file(name, text)],
  );
  const path = vector.export === undefined ? file('receipt.json', vector.receipt!) : file('e.ndjson', vector.export);
  let stdout = '';
  let stderr = '';
  const into = { write: (text: string) => (stdout += text) };
  const words = ['verify', '--json', '--state', state, path, ...given];
  const status = await main(words, into, { write: (text: string) => (stderr += text) });
  assert.equal(stderr, '');
  return { answers: JSON.parse(stdout).answers, status, stdout };
}

/** The offline file's own check, with the same files laid down. */
async function offline(vector: AnswersVector): Promise<Answers> {
  const { receipt, proof, checkpoint, keys_beside, policy, consistency } = vector;
  const files = { receipt, export: vector.export, proof, checkpoint, keys_beside, policy, consistency };
  const given = Object.entries(files).flatMap(([name, text]) => {
    if (text === undefined) return [];
    const blob = new Blob([text]);
    return [{ name, size: blob.size, slice: (from: number, to: number) => blob.slice(from, to) }];
  });
  return (await check(given, parseVerifierKeys(vector.keys ?? ''))).answers;
}

/** Its keys are taken for what came along. */
function asBeside({ keys, ...vector }: AnswersVector): AnswersVector {
  return keys === undefined ? vector : { ...vector, keys_beside: keys };
}

const sentences = (answers: Answers) => ANSWER_TITLES.map(([name]) => answers[name].text);

describe('the vectors of the signed log', () => {
  test('are many, valid and hostile', () => assert.ok(vectors.length > 45));

  for (const [name, vector] of vectors) {
    test(`${vector.story}: the command line gives the answers that expected.json names`, async () => {
      const { read_as: _, ...answers } = expected[`proofs/${name}`];
      const found = await onCommandLine(vector);
      assert.deepEqual(inShort(found.answers), answers);
      assert.deepEqual(found.answers, await answersOfVector(vector));
      const states = ANSWER_TITLES.map(([one]) => found.answers[one].state);
      if (states.includes('fails') || found.answers.about === 'nothing') assert.equal(found.status, 1);
    });
  }
});

describe('one input, one set of answers', () => {
  for (const [, vector] of vectors.filter(([, { remembered }]) => remembered === undefined)) {
    test(`${vector.story}: the offline file says what the command line says`, async () => {
      const { answers } = await onCommandLine(vector);
      assert.deepEqual(sentences(await offline(vector)), sentences(answers));
    });
    if (vector.receipt === undefined || vector.policy !== undefined) continue;
    test(`${vector.story}: page and PDF say it, too`, async () => {
      const given = asBeside(vector);
      const { answers } = await onCommandLine(given);
      const { receipt, proof, keys_beside } = given;
      const page = await script.visit(receipt!, async () => new Response(receipt!), proof, keys_beside);
      assert.deepEqual(
        ANSWER_TITLES.map(([one]) => page.said(one)),
        sentences(answers),
      );
      const beside = proof === undefined ? null : { proof, keys: keys_beside ?? '' };
      const { pages } = readPdf(await renderPdf(opened({ bytes: receipt!, share_url: LINK, beside })));
      // A line ends where it is full, in a long name too.
      const paper = pages.join('').replaceAll(/\s+/g, '');
      for (const sentence of sentences(answers)) assert.ok(paper.includes(sentence.replaceAll(/\s+/g, '')), sentence);
    });
  }
});
