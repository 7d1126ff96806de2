/** Answers of a real authority, and what else can come over the wire in their place. */
import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { askAuthority } from '../../src/timestamps/authority.ts';
import {
  NotATimestamp,
  type TimestampQuestion,
  timestampedAt,
  timestampRequest,
} from '../../src/timestamps/rfc3161.ts';
import { lacksOpenssl, startAuthority, type TimeStampAuthority } from '../kit/time-stamp-authority.ts';

const stamped = Buffer.from('ledger.example/org/org_1\n3\nrUOS2b9cGX8ZQ1CVpQSrTaRcYNqrqAL44vLgDlxcqGM=\n\n— …\n');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const asked = (): TimestampQuestion => ({ digest: sha256(stamped), nonce: randomBytes(16) });

/** What a SEQUENCE of these parts is in DER. */
function sequence(...parts: Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x30, ...length]), body]);
}

describe('a time stamp', { skip: lacksOpenssl() }, () => {
  let authority: TimeStampAuthority;
  before(async () => {
    authority = await startAuthority();
  });
  after(() => authority.close());

  test('of these bytes is granted, read, and verified by openssl', async () => {
    const { answer, stamped_at } = await askAuthority(authority.url, stamped);
    assert.ok(Math.abs(Date.now() - Date.parse(stamped_at)) < 60_000, stamped_at);
    assert.ok(authority.verifies(answer, stamped));
    assert.ok(!authority.verifies(answer, Buffer.concat([stamped, Buffer.from('.')])));
  });

  test('of another digest, with another nonce or without one, or of another hash function, is none', () => {
    const question = asked();
    const answer = authority.answerTo(timestampRequest(question));
    assert.match(timestampedAt(answer, question), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const other = { ...question, digest: sha256(Buffer.from('other')) };
    assert.throws(() => timestampedAt(answer, other), { message: 'it is of another digest' });
    assert.throws(() => timestampedAt(answer, asked()), { message: 'its nonce is another' });
    assert.throws(() => timestampedAt(authority.answerTo(withoutNonce(question)), question), {
      message: 'its nonce is another',
    });
  });

  test('that is refused says why', () => {
    const question = asked();
    const md5 = Buffer.from(timestampRequest(question));
    // Another last number of the hash function's identifier: SHA-512/256, of 32 bytes, which this authority does not take.
    md5[md5.indexOf(Buffer.from('0304020105', 'hex')) + 4] = 0x05;
    const oid = md5.indexOf(Buffer.from('608648016503040201', 'hex'));
    md5[oid + 8] = 0x06;
    const refusal = authority.answerTo(md5);
    assert.throws(() => timestampedAt(refusal, question), { message: /^not granted: status 2: / });
  });

  test('with any bit flipped is read or refused, and nothing else is ever thrown', () => {
    const question = asked();
    const answer = authority.answerTo(timestampRequest(question));
    let [accepted, refused] = [0, 0];
    for (let bit = 0; bit < answer.length * 8; bit += 3) {
      const altered = Buffer.from(answer);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      try {
        timestampedAt(altered, question);
        accepted++;
      } catch (error) {
        assert.ok(error instanceof NotATimestamp, `bit ${bit}: ${error}`);
        refused++;
      }
    }
    // The rest is the authority's signature and certificates, which openssl judges.
    assert.ok(refused > 50 && accepted > 50);
  });

  test('in BER, with an indefinite length, is read all the same', () => {
    const question = asked();
    const answer = authority.answerTo(timestampRequest(question));
    assert.equal(answer[1], 0x82);
    const indefinite = Buffer.concat([Buffer.from([0x30, 0x80]), answer.subarray(4), Buffer.from([0, 0])]);
    assert.equal(timestampedAt(indefinite, question), timestampedAt(answer, question));
  });

  test('cut off anywhere, or with something behind it, is none', () => {
    const question = asked();
    const answer = authority.answerTo(timestampRequest(question));
    for (let length = 0; length < answer.length; length++)
      assert.throws(() => timestampedAt(answer.subarray(0, length), question), NotATimestamp, String(length));
    assert.throws(() => timestampedAt(Buffer.concat([answer, Buffer.from([5, 0])]), question), NotATimestamp);
  });

  test('too deep, too long, of too many parts, or of lengths that lie is none', () => {
    const question = asked();
    const deep = Array.from({ length: 5_000 }).reduce<Uint8Array>(
      (inner) => sequence(inner.subarray(0, 60_000)),
      Buffer.alloc(0),
    );
    const many = sequence(...Array.from({ length: 20_000 }, () => Buffer.from([5, 0])));
    const hostile: Uint8Array[] = [
      Buffer.alloc(0),
      Buffer.from([0x30]),
      Buffer.from([0x30, 0x80]),
      Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0x30, 0x88, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
      Buffer.alloc(60_000, 0x30),
      Buffer.alloc(60_000, 0xff),
      Buffer.from('<html>Service unavailable</html>'),
      Buffer.alloc(100_000, 0),
      sequence(sequence(Buffer.from([2, 1, 0]))),
      sequence(sequence(Buffer.from([2, 1, 0])), sequence()),
      sequence(),
      deep,
      many,
    ];
    for (const answer of hostile)
      assert.throws(() => timestampedAt(answer, question), NotATimestamp, String(answer.length));
  });

  test('over HTTP: another status, another type, a redirect and an endless answer are refused', async () => {
    const reply = { status: 200, type: 'application/timestamp-reply', body: Buffer.alloc(0) };
    for (const said of [
      { ...reply, status: 503 },
      { ...reply, type: 'text/html' },
      { ...reply, status: 302 },
      { ...reply, body: Buffer.alloc(70_000, 0x30) },
    ]) {
      authority.instead = () => said;
      await assert.rejects(askAuthority(authority.url, stamped), NotATimestamp);
    }
    const earlier = timestampRequest(asked());
    authority.instead = () => authority.answerTo(earlier);
    await assert.rejects(
      askAuthority(authority.url, stamped),
      { message: 'its nonce is another' },
      'an old answer, sent again',
    );
    authority.instead = null;
  });
});

/** The same request, its nonce left out. */
function withoutNonce(question: TimestampQuestion): Uint8Array {
  const request = Buffer.from(timestampRequest(question));
  const nonce = request.lastIndexOf(Buffer.from(question.nonce));
  const begin = nonce - (request[nonce - 1] === 0 ? 3 : 2);
  return sequence(request.subarray(2, begin), request.subarray(nonce + question.nonce.length));
}
