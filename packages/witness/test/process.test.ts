import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { createLog } from './kit/log.ts';
import { type RunningWitness, refusedStart, startWitness, submit } from './kit/running.ts';

const folder = mkdtempSync(join(tmpdir(), 'witness-process-'));
after(() => rmSync(folder, { recursive: true }));

const NAMED = ['--name', 'witness.example/w1'];
const KILLS = 12;

describe('./rcpt witness', () => {
  test('cosigns no fork, however often it is killed, and forgets nothing that it answered', async () => {
    const log = createLog('ledger.example/org/org_1');
    const data = join(folder, 'killed');
    let answered = 0;
    let size = 0;
    let cosigned = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const witness = await startWitness(data, [log.vkey], ...NAMED);
      const known = await sizeOf(witness, await log.submission(0, size + 1));
      assert.ok(known >= answered, `it answered ${answered} and knows ${known}`);
      answered = known;
      if (answered > 0) {
        const fork = log.fork(answered - 1);
        assert.equal((await submit(witness.url, await fork.submission(answered, answered + 3))).status, 422);
        assert.equal((await submit(witness.url, await fork.submission(answered, answered))).status, 422);
      }
      size = answered;
      // Killed within a submission, wherever that is: the delay differs each time.
      let killed: Promise<void> | null = null;
      for (let answers = 0; ; answers++) {
        if (answers === 2) killed = setTimeout((kill * 5) % 17).then(() => witness.process.kill());
        size += 1;
        const answer = await submit(witness.url, await log.submission(answered, size)).catch(() => null);
        if (answer === null) break;
        assert.equal(answer.status, 200);
        await openCheckpoint((await log.checkpoint(size)) + answer.text, log.key, [parseVerifierKey(witness.vkey)]);
        answered = size;
        cosigned += 1;
      }
      await killed;
    }
    assert.ok(cosigned >= 2 * KILLS, `${cosigned} cosignatures in ${KILLS} lives`);
  });

  test('answers what is in hand at SIGTERM, ends with 0, and has the same key again', async () => {
    const log = createLog('ledger.example/org/org_2');
    const data = join(folder, 'drained');
    const first = await startWitness(data, [log.vkey], ...NAMED);
    const bodies = await Promise.all([1, 2, 3, 4].map((size) => log.submission(0, size)));
    const answers = Promise.all(bodies.map((body) => submit(first.url, body).catch(() => null)));
    await submit(first.url, bodies[0]!);
    assert.equal(await first.process.stop(), 0);
    for (const answer of await answers) assert.ok(answer === null || [200, 409].includes(answer.status));
    const second = await startWitness(data, [log.vkey]);
    assert.equal(second.vkey, first.vkey);
    assert.equal(await second.process.stop(), 0);
  });

  test('has its folder to itself, and says in a line why it does not start', async () => {
    const log = createLog('ledger.example/org/org_3');
    const data = join(folder, 'alone');
    const fails = async (words: string[], expected: number, said: RegExp) => {
      const { code, stderr } = await refusedStart(data, [log.vkey], ...words);
      assert.match(stderr.join('\n'), said);
      assert.deepEqual([code, stderr.length], [expected, 1]);
    };
    await fails([], 1, /--name: got nothing/);
    const witness = await startWitness(data, [log.vkey], ...NAMED);
    await fails([], 1, /another witness runs on it/);
    await fails(
      ['--listen', new URL(witness.url).host, '--data', join(folder, 'elsewhere'), ...NAMED],
      1,
      /EADDRINUSE/,
    );
    assert.equal(await witness.process.stop(), 0);
    await fails(['--name', 'witness.example/w2'], 1, /this key is "witness.example\/w1"/);
    await fails(['--name', 'a b'], 2, /--name: got "a b"/);
    await fails(['--log', witness.vkey], 2, /the key of a witness/);
    await fails(['--log', 'a+b+c'], 2, /--log: got "a\+b\+c"/);
    await fails(['--listen', '7380'], 2, /takes HOST:PORT/);
    await fails(['--lot', 'a'], 2, /there is no --lot; did you mean --log\?/);
  });

  test('a folder that was copied back knows too little: what it says then is why it must not be', async () => {
    const log = createLog('ledger.example/org/org_4');
    const data = join(folder, 'restored');
    const before = await startWitness(data, [log.vkey], ...NAMED);
    await submit(before.url, await log.submission(0, 3));
    await before.process.stop();
    cpSync(data, `${data}-copy`, { recursive: true });
    const now = await startWitness(data, [log.vkey]);
    assert.equal((await submit(now.url, await log.submission(3, 9))).status, 200);
    await now.process.stop();
    const restored = await startWitness(`${data}-copy`, [log.vkey]);
    assert.equal(await sizeOf(restored, await log.submission(0, 9)), 3);
    await restored.process.stop();
  });
});

/** What it knows, by asking with an old size of 0. */
async function sizeOf(witness: RunningWitness, body: string): Promise<number> {
  const { status, text } = await submit(witness.url, body);
  assert.ok(status === 409 || status === 200, `${status}: ${text}`);
  return status === 200 ? 1 : Number(text);
}
