/** The zip that a pack is, as a reader that others wrote sees it: also beyond what 16 and 32 bits count. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Entry, fromBufferPromise, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { type ZipEntry, zipOf } from '../../src/pack/zip.ts';
import { entriesOf, unzip } from '../kit/unzip.ts';

const AT = '2026-05-29T20:14:33.123Z';

async function* each(...entries: ZipEntry[]): AsyncGenerator<ZipEntry> {
  yield* entries;
}
async function* streamed(...parts: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* parts;
}
async function zipped(entries: AsyncIterable<ZipEntry>, from?: number): Promise<Buffer> {
  return buffer(Readable.from(zipOf(entries, from)));
}

test('entries come out as they went in, in their order, at their instants', async () => {
  const noise = randomBytes(300_000);
  const zip = await zipped(
    each(
      { path: 'list.csv', at: AT, content: streamed('a,b\n', noise, 'c') },
      { path: 'receipts/1.json', at: '2026-01-31T00:00:01.000Z', content: '{"title":"Grüße"}' },
      { path: 'empty.txt', at: AT, content: '' },
      { path: 'none.txt', at: AT, content: streamed() },
      { path: 'noise', at: 'no instant', content: noise },
    ),
  );
  const entries = await unzip(zip);
  assert.deepEqual(
    entries.map(({ path }) => path),
    ['list.csv', 'receipts/1.json', 'empty.txt', 'none.txt', 'noise'],
  );
  assert.deepEqual(entries[0]!.bytes, Buffer.concat([Buffer.from('a,b\n'), noise, Buffer.from('c')]));
  assert.equal(entries[1]!.bytes.toString(), '{"title":"Grüße"}');
  assert.deepEqual([entries[2]!.bytes.length, entries[3]!.bytes.length], [0, 0]);
  assert.deepEqual(
    entries.map(({ at }) => at.toISOString()),
    [
      '2026-05-29T20:14:33.000Z',
      '2026-01-31T00:00:01.000Z',
      '2026-05-29T20:14:33.000Z',
      '2026-05-29T20:14:33.000Z',
      '1980-01-01T00:00:00.000Z',
    ],
  );
  assert.deepEqual(await unzip(await zipped(each())), []);
});

test('the same entries make the same bytes', async () => {
  const make = () => zipped(each({ path: 'a', at: AT, content: streamed('a') }, { path: 'b', at: AT, content: 'b' }));
  assert.deepEqual(await make(), await make());
});

test('more than 65,535 entries are all found (Zip64)', async () => {
  async function* many(): AsyncGenerator<ZipEntry> {
    for (let i = 0; i < 65_600; i++) yield { path: `receipts/${i}.json`, at: AT, content: String(i) };
  }
  const file = await fromBufferPromise(await zipped(many()));
  assert.equal(file.entryCount, 65_600);
  let next = 0;
  for await (const entry of file.eachEntry() as AsyncIterable<Entry>) {
    assert.equal(entry.fileName, `receipts/${next}.json`);
    if (next % 6_559 === 0) assert.equal(await text(await file.openReadStreamPromise(entry)), String(next));
    next++;
  }
  assert.equal(next, 65_600);
});

/** A file that begins with nothing but zeros. */
class Behind extends RandomAccessReader {
  readonly #bytes: Buffer;
  readonly #from: number;
  constructor(bytes: Buffer, from: number) {
    super();
    this.#bytes = bytes;
    this.#from = from;
  }
  override _readStreamForRange(start: number, end: number): Readable {
    const zeros = Buffer.alloc(Math.max(this.#from - start, 0));
    const bytes = this.#bytes.subarray(Math.max(start - this.#from, 0), end - this.#from);
    return Readable.from([Buffer.concat([zeros, bytes])]);
  }
}

test('entries behind the fourth gigabyte are found (Zip64)', async () => {
  const from = 5_000_000_000;
  const zip = await zipped(
    each({ path: 'far.txt', at: AT, content: 'far' }, { path: 'list', at: AT, content: streamed('a') }),
    from,
  );
  const entries = await entriesOf(await fromRandomAccessReaderPromise(new Behind(zip, from), from + zip.length));
  assert.deepEqual(
    entries.map(({ path, bytes }) => [path, bytes.toString()]),
    [
      ['far.txt', 'far'],
      ['list', 'a'],
    ],
  );
});

test('a zip that is cut off anywhere does not open as a whole one', async () => {
  const zip = await zipped(each({ path: 'a', at: AT, content: 'a' }, { path: 'b', at: AT, content: streamed('bb') }));
  for (let length = 0; length < zip.length; length++)
    await assert.rejects(unzip(zip.subarray(0, length)), String(length));
});

test('what fails in the middle of a list fails the zip', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'a';
    throw new Error('the database is away');
  }
  await assert.rejects(zipped(each({ path: 'list', at: AT, content: failing() })), /the database is away/);
});
