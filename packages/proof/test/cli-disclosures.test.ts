/** `./rcpt verify --disclosures`: what a link discloses, held against its receipt offline. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { DisclosureVector } from '../../../vectors/make-disclosures.ts';
import { main } from '../src/bin.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/proofs/disclosure--committed-members.json', import.meta.url), 'utf8'),
) as DisclosureVector[];
const folder = mkdtempSync(join(tmpdir(), 'disclosures-'));
after(() => rmSync(folder, { recursive: true }));

async function verify(receipt: string, list: unknown, ...more: string[]) {
  const [at, beside] = [join(folder, 'receipt.json'), join(folder, 'disclosures.json')];
  writeFileSync(at, receipt);
  writeFileSync(beside, typeof list === 'string' ? list : JSON.stringify(list));
  let said = '';
  let refused = '';
  const out = (to: (text: string) => void) => ({ write: to }) as never;
  const code = await main(
    ['--no-state', '--disclosures', beside, ...more, at],
    out((text) => {
      said += text;
    }),
    out((text) => {
      refused += text;
    }),
  );
  return { code, said, refused };
}

test('says of each vector whether it matches', async () => {
  for (const { story, receipt, path, disclosure, fault } of vectors) {
    const { code, said } = await verify(receipt, { disclosures: [{ path, state: 'disclosed', disclosure }] });
    assert.equal(code, fault === null ? 0 : 1, `${story}: ${said}`);
    assert.match(
      said,
      fault === null
        ? /Disclosed and matching/
        : new RegExp(`Not what this receipt sealed: ${fault.replaceAll('_', ' ')}`),
    );
  }
});

test('repeats what is withheld and erased, and fails for nothing else', async () => {
  const [{ receipt, path, disclosure }] = vectors as [DisclosureVector];
  const disclosures = [
    { path, state: 'disclosed', disclosure },
    { path: '/note', state: 'withheld' },
    { path: '/inputs/task', state: 'erased', erased_at: '2026-05-29T20:14:33.123Z', reason: 'Asked\u001b[2J for.' },
    { path: '/output', state: 'disclosed', sha256: 'ab'.repeat(32) },
  ];
  const { code, said } = await verify(receipt, { disclosures });
  assert.equal(code, 0, said);
  assert.match(
    said,
    /\/title {2}Disclosed and matching: A title\n {2}\/note {2}Withheld\n {2}\/inputs\/task {2}Erased on 2026.*Asked/,
  );
  assert.match(said, /compare it with --output/);
  assert.ok(!said.includes('\u001b'));
  const json = JSON.parse((await verify(receipt, { disclosures }, '--json')).said);
  assert.deepEqual(
    json.disclosures.items.map(({ ok }: { ok: boolean | null }) => ok),
    [true, null, null, null],
  );
  for (const other of [
    '',
    '[]',
    '{}',
    '{"disclosures":[1]}',
    '{"disclosures":[{"path":"/a","state":"shown"}]}',
    '{"disclosures":[{"path":1,"state":"withheld"}]}',
  ])
    assert.equal((await verify(receipt, other)).code, 1, other);
  assert.match(
    (await verify(receipt.replace('scribe', 'scrabe'), { disclosures })).said,
    /Not compared: the receipt does not verify/,
  );
});
