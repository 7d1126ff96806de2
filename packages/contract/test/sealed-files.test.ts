/** What the lanes seal is what proof compares files with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { FileHasher } from '@rcpt/proof/file-hashes.ts';
import { matchForm, sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import fc from 'fast-check';
import { LANES } from '../src/lanes/registry.ts';
import { LaneName } from '../src/vocabulary.ts';
import type { Json } from '../src/wire.ts';
import { SOUND, sealedBlock, workOf } from './kit/works.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

function hashes(content: string) {
  const hasher = new FileHasher();
  hasher.push(new TextEncoder().encode(content));
  return hasher.finish();
}

function sealed(name: LaneName, change: Parameters<typeof workOf>[1] = {}) {
  return sealedFilesOf({ schema: LANES[name].schema, ...sealedBlock(LANES[name], workOf(name, change)) });
}

/** What a lane's output is in, and the lane's word for it; null: it seals none. */
const OUTPUT: Record<LaneName, { name: string; change(value: Json): Parameters<typeof workOf>[1] } | null> = {
  generic: { name: 'output', change: (output) => ({ execution: { output } }) },
  eval: { name: 'submission', change: (output) => ({ execution: { output } }) },
  'model-pin': { name: 'model card', change: (card) => ({ inputs: { card } }) },
  'dataset-download': { name: 'dataset package', change: () => ({}) },
  cook: null,
  incident: null,
};
const value = fc.jsonValue({ maxDepth: 3 }).filter((json) => {
  try {
    return json !== null && canonicalize(json) !== '' && !JSON.stringify(json).includes('__proto__');
  } catch {
    return false;
  }
}) as fc.Arbitrary<Json>;

for (const name of LaneName.options) {
  const output = OUTPUT[name];

  test(`${name}: the file of its output is known by it, however its JSON is formatted`, () => {
    if (output === null) {
      assert.equal(sealed(name).output, null);
      assert.match(sealed(name).no_output!, /seals no output/);
      return;
    }
    if (name === 'dataset-download') {
      const found = sealed(name).output!;
      assert.equal(matchForm(found, hashes('support-comments')), 'bytes');
      assert.deepEqual([found.name, found.byte_size], ['dataset package', 16]);
      return;
    }
    fc.assert(
      fc.property(value, (json) => {
        const found = sealed(name, output.change(json)).output!;
        assert.equal(found.name, output.name);
        const stored = typeof json === 'string' ? json : JSON.stringify(json, null, 2);
        assert.notEqual(matchForm(found, hashes(stored)), null);
        assert.equal(matchForm(found, hashes(`${stored}.`)), null);
      }),
      { numRuns: 60 },
    );
  });

  test(`${name}: a piece of evidence is known by it where the lane seals evidence`, () => {
    const { evidence, no_evidence } = sealed(name);
    if (!['generic', 'eval'].includes(name)) {
      assert.deepEqual(evidence, []);
      assert.match(no_evidence!, /seals no evidence/);
      return;
    }
    assert.deepEqual(
      evidence.map(({ label }) => label),
      SOUND[name].evidence.map(({ label }) => label),
    );
    for (const piece of evidence) assert.equal(matchForm(piece, hashes(piece.label!)), 'bytes');
    assert.match(sealed(name, { evidence: [] }).no_evidence!, /names no evidence/);
  });
}

test('a Run without an output seals none; an empty text is one', () => {
  const none = sealed('generic', { execution: { output: undefined as never } });
  assert.equal(none.output, null);
  assert.equal(none.no_output, 'names no output');
  assert.equal(matchForm(sealed('generic', { execution: { output: '' } }).output!, hashes('')), 'bytes');
});

test('a receipt of any shape has its files read without throwing', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 3 }), fc.constantFrom(...Object.values(LANES)), (shape, lane) => {
      for (const block of ['execution', 'submission', 'package', 'model', 'evidence'])
        sealedFilesOf({ schema: lane.schema, [block]: shape as never });
      sealedFilesOf(shape as never);
    }),
  );
  for (const schema of ['__proto__', 'constructor', 7, null])
    assert.equal(sealedFilesOf({ schema } as never).output, null);
});
