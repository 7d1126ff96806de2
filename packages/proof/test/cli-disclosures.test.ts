/** `./rcpt verify --disclosures`: what a link discloses, held against its receipt offline. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { DisclosureVector } from '../../../vectors/make-disclosures.ts';
import { main } from '../src/bin.ts';
import { GENESIS_HASH, seal } from '../src/index.ts';

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

/** An organization's activity: erasures of these paths of these receipts. */
function activityOf(organization: object, erased: readonly { receipt_id: string; path: string }[]): string[] {
  let parent_hash: string = GENESIS_HASH;
  return erased.map(({ receipt_id, path }, org_seq) => {
    const record = seal({
      schema: 'service.activity-receipt/v1',
      receipt_id: `ACT-00000${org_seq}`,
      org_seq,
      parent_hash,
      created_at: `2026-06-0${org_seq + 1}T10:00:00.000Z`,
      organization,
      activity: {
        kind: 'erased',
        by: { id: 'user_1', name: 'Ada' },
        details: { receipt_id, path, reason: 'The person asked for it.' },
      },
      share_url: '',
    });
    parent_hash = record.receipt_sha256;
    return record.canonical;
  });
}

test('a list from before an erasure fails by the activity that records it', async () => {
  const [{ receipt, path, disclosure }] = vectors as [DisclosureVector];
  const { organization, receipt_id } = JSON.parse(receipt);
  const before = { disclosures: [{ path, state: 'disclosed', disclosure }] };
  const held = async (lines: string[], list: object = before) => {
    const file = join(folder, 'activity.ndjson');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    return verify(receipt, list, '--activity', file);
  };
  const other = { receipt_id: 'RCPT-000009-0000', path };
  const erased = activityOf(organization, [other, { receipt_id, path }]);
  assert.equal((await verify(receipt, before)).code, 0, 'by itself it matches');

  const late = await held(erased);
  assert.equal(late.code, 1, late.said);
  assert.match(
    late.said,
    /must not be shown any more: it was erased on 2026-06-02T10:00:00\.000Z \(ACT-000001\), because: The person/,
  );
  assert.ok(!late.said.includes('A title'), 'what was erased is not repeated');
  const as_file = { disclosures: [{ path, state: 'disclosed', sha256: 'ab'.repeat(32) }] };
  assert.equal((await held(erased, as_file)).code, 1);

  const gone = { path, state: 'erased', erased_at: '2026-06-02T10:00:00.000Z', reason: 'The person asked for it.' };
  assert.equal((await held(erased, { disclosures: [gone] })).code, 0);
  assert.equal((await held(erased.slice(0, 1))).code, 0, 'an erasure of another receipt is none of this one');
  assert.match((await held(erased.slice(1))).said, /the activity itself does not hold/);
  assert.match((await held([])).said, /the activity holds nothing/);
  const theirs = activityOf({ ...organization, id: 'org_other' }, [{ receipt_id, path }]);
  assert.equal((await held(theirs)).code, 1, 'of another organization it shows nothing');
  const changed = erased.map((line) => line.replace('"erased"', '"erasee"'));
  assert.equal((await held(changed)).code, 1);
});
