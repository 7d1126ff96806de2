import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { concat } from '@rcpt/proof/log/bytes.ts';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import fc from 'fast-check';
import { NotThisWitness, openKey } from '../src/key.ts';
import { openRecord } from '../src/record.ts';
import { createWitnessServer, drain } from '../src/server.ts';
import type { Witness } from '../src/witness.ts';
import { createLog, submissionOf } from './kit/log.ts';
import { submit } from './kit/running.ts';

const folder = mkdtempSync(join(tmpdir(), 'witness-'));
const TIME = 1_790_000_000;
const EMPTY = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

const log = createLog('ledger.example/org/org_1');
const other = createLog('ledger.example/org/org_2');
const record = openRecord(join(folder, 'record.db'));
const key = openKey(folder, 'witness.example/w1', record);
const witness: Witness = { key, logs: [log.key, other.key], record, now: () => TIME };
const { url, close } = await serve(witness);

after(async () => {
  await close();
  record.close();
  rmSync(folder, { recursive: true });
});

async function serve(served: Witness, request_ms?: number) {
  const server = createWitnessServer(served, () => undefined, request_ms);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => drain(server) };
}

/** A log that this witness alone watches, at `size`. */
async function watched(size: number) {
  const own = createLog(`ledger.example/org/${crypto.randomUUID()}`);
  (witness.logs as unknown[]).push(own.key);
  if (size > 0) assert.equal((await submit(url, await own.submission(0, size))).status, 200);
  return own;
}

describe('a witness', () => {
  test('cosigns the first checkpoint and each that extends it', async () => {
    let known = 0;
    for (const size of [1, 2, 2, 7, 8, 300]) {
      const { status, text, type } = await submit(url, await log.submission(known, size));
      assert.deepEqual([status, type], [200, 'text/plain; charset=utf-8']);
      const opened = await openCheckpoint((await log.checkpoint(size)) + text, log.key, [key.public]);
      assert.deepEqual([opened.size, opened.witnesses], [size, [{ name: 'witness.example/w1', time: TIME }]]);
      known = size;
    }
  });

  test('answers 409 with the size it knows, to a larger or smaller old size', async () => {
    const own = await watched(5);
    for (const old of [0, 4, 6])
      assert.deepEqual(await submit(url, await own.submission(old, 9)), {
        status: 409,
        text: '5\n',
        type: 'text/x.tlog.size',
      });
    assert.equal((await submit(url, await own.submission(5, 9))).status, 200);
  });

  test('does not cosign a cut tail: neither a smaller tree, nor one that grew again differently', async () => {
    const own = await watched(9);
    assert.equal((await submit(url, await own.submission(9, 6))).status, 400);
    assert.deepEqual((await submit(url, await own.submission(6, 6))).text, '9\n');
    const again = own.fork(6);
    assert.equal((await submit(url, await again.submission(9, 12))).status, 422);
    assert.match(
      (await submit(url, await again.submission(9, 9))).text,
      /of size 9 this witness has cosigned another root/,
    );
  });

  test('does not cosign a rewritten log, whatever proof comes with it', async () => {
    const own = await watched(4);
    const rewritten = own.fork(0);
    assert.equal((await submit(url, await rewritten.submission(4, 8))).status, 422);
    assert.equal((await submit(url, submissionOf(4, [], await rewritten.checkpoint(8)))).status, 422);
    const honest = (await own.submission(4, 8)).split('\n\n')[0];
    assert.equal((await submit(url, `${honest}\n\n${await rewritten.checkpoint(8)}`)).status, 422);
    assert.equal((await submit(url, await own.submission(4, 8))).status, 200);
  });

  test('takes no proof from size 0, and no empty tree with a root', async () => {
    const own = await watched(0);
    const proof = [new Uint8Array(32)];
    assert.equal((await submit(url, submissionOf(0, proof, await own.checkpoint(3)))).status, 422);
    assert.equal((await submit(url, await own.submission(0, 0))).status, 200);
    assert.ok((await own.checkpoint(0)).includes(EMPTY));
    assert.equal((await submit(url, submissionOf(0, proof, await own.checkpoint(3)))).status, 422);
    assert.equal((await submit(url, await own.submission(0, 3))).status, 200);
  });

  test('answers 404 for logs it does not watch, 403 without a signature that it knows', async () => {
    const stranger = createLog('ledger.example/org/org_3');
    assert.equal((await submit(url, await stranger.submission(0, 1))).status, 404);
    const imitated = createLog(other.key.name);
    assert.equal((await submit(url, await imitated.submission(0, 1))).status, 403);
    const body = await other.submission(0, 2);
    const damaged = `${body.slice(0, -10)}${body.at(-10) === 'A' ? 'B' : 'A'}${body.slice(-9)}`;
    assert.equal((await submit(url, damaged)).status, 403);
    assert.equal(record.latest(other.key.name), null);
  });

  test('takes both keys of a log that changed its key', async () => {
    const own = await watched(3);
    const renewed = createLog(own.key.name);
    assert.equal((await submit(url, await renewed.submission(3, 5))).status, 403);
    (witness.logs as unknown[]).push(renewed.key);
    assert.equal((await submit(url, await renewed.submission(3, 5))).status, 200);
  });

  test('cosigns the lines that other logs have after the third', async () => {
    const own = await watched(0);
    const note = await own.checkpoint(3, 'extension one\nextension two\n');
    const { status, text } = await submit(url, submissionOf(0, [], note));
    assert.equal(status, 200);
    assert.equal(record.latest(own.key.name)!.note, note + text);
  });

  test('of many submissions at once cosigns one line of history', async () => {
    const own = await watched(10);
    const forks = [own, own.fork(10), own.fork(11), own.fork(12)];
    const bodies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => forks[i % forks.length]!.submission(10, 11 + (i % 7))),
    );
    const answers = await Promise.all(bodies.map((body) => submit(url, body)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 409]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  test('serves its key, and what it cosigned last', async () => {
    const own = await watched(3);
    const origin = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(own.key.name))).toString('hex');
    const note = await (await fetch(`${url}/${origin}/checkpoint`)).text();
    assert.deepEqual((await openCheckpoint(note, own.key, [key.public])).witnesses.length, 1);
    assert.deepEqual(parseVerifierKey((await (await fetch(url)).text()).trim()), key.public);
    assert.equal((await fetch(`${url}/${'0'.repeat(64)}/checkpoint`)).status, 404);
    assert.equal((await fetch(`${url}/add-checkpoint`)).status, 405);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });

  test('answers 400 to what is no submission', async () => {
    const sound = await log.submission(300, 301);
    for (const body of [
      '',
      'old 0',
      sound.replace('old 300', 'old 0300'),
      sound.replace('old 300', 'old -1'),
      sound.replace('old 300', 'old 9007199254740993'),
      sound.replace('old ', 'new '),
      sound.replace('\n', '\r\n'),
      sound.replace(/\n[^\n]{44}\n/, '\nAAAA\n'),
      submissionOf(300, Array(64).fill(new Uint8Array(32)), await log.checkpoint(301)),
      submissionOf(300, [], (await log.checkpoint(301)).split('\n\n')[0]!),
      submissionOf(300, [], (await log.checkpoint(301)).replace('\n301\n', '\n0301\n')),
    ])
      assert.equal((await submit(url, body)).status, 400, body);
    assert.equal((await submit(url, concat(Uint8Array.of(0xff), Buffer.from(sound)))).status, 400);
  });

  test('answers any bytes, and cosigns none of them', async () => {
    const sound = Buffer.from(await log.submission(300, 301));
    await fc.assert(
      fc.asyncProperty(fc.nat(sound.length - 1), fc.nat(255), async (at, byte) => {
        if (sound[at] === byte) return;
        const body = Uint8Array.from(sound);
        body[at] = byte;
        const { status } = await submit(url, body);
        assert.ok([400, 403, 404, 409, 422].includes(status), `${status} for byte ${at} = ${byte}`);
      }),
      { numRuns: 300 },
    );
  });

  test('reads no more than a submission has, and waits for no slow one', async () => {
    const slow = await serve(witness, 300);
    const own = await watched(0);
    const waiting = Array.from({ length: 50 }, () => {
      const socket = connect(slow.port, '127.0.0.1');
      socket.write('POST /add-checkpoint HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\nold 0');
      return new Promise<void>((resolve) =>
        socket
          .on('error', () => resolve())
          .on('close', () => resolve())
          .resume(),
      );
    });
    assert.equal((await submit(slow.url, await own.submission(0, 1))).status, 200);
    const large = await submit(slow.url, 'a'.repeat(200_000)).catch(() => ({ status: 413 }));
    assert.equal(large.status, 413);
    await Promise.all(waiting);
    await slow.close();
  });
});

describe('the key of a witness', () => {
  const opened = (name: string | undefined, change: (folder: string) => void = () => undefined) => {
    const own = mkdtempSync(join(folder, 'key-'));
    const first = openRecord(join(own, 'record.db'));
    const made = openKey(own, 'w', first);
    first.close();
    change(own);
    const again = openRecord(join(own, 'record.db'));
    try {
      return { own, made, again: openKey(own, name, again) };
    } finally {
      again.close();
    }
  };

  test('is the same at every start, is the account’s alone, and signs what its public key verifies', () => {
    const { own, made, again } = opened(undefined);
    assert.deepEqual(again.public, made.public);
    assert.deepEqual(again.public, verifierKey('w', 4, made.public.key));
    for (const file of ['key.pem', 'record.db']) assert.equal(statSync(join(own, file)).mode & 0o777, 0o600);
  });

  test('is the same after a crash between its making and its first use', () => {
    const { made, again } = opened('w', (own) => renameSync(join(own, 'key.pem'), join(own, 'key.pem.new')));
    assert.deepEqual(again.public, made.public);
  });

  test('is not used without its record, with that of another, or under another name', () => {
    assert.throws(() => opened('w', (own) => rmSync(join(own, 'record.db'))), NotThisWitness);
    assert.throws(() => opened('w', (own) => rmSync(join(own, 'key.pem'))), NotThisWitness);
    assert.throws(() => opened('another'), NotThisWitness);
  });
});
