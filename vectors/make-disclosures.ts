/** Receipts with committed members, and disclosures held against them: matching, and hostile (docs/spec.md §31.3). */
import { toBase64Url } from '../packages/proof/src/base64url.ts';
import type { Json, JsonObject } from '../packages/proof/src/canonical.ts';
import { disclosureText, withDigests } from '../packages/proof/src/committing.ts';
import { digestOf, sealedPlace } from '../packages/proof/src/disclosures.ts';
import { GENESIS_HASH, receiptIdSuffix, seal, sha256Hex } from '../packages/proof/src/index.ts';

export interface DisclosureVector {
  story: string;
  /** The bytes of a receipt that holds, as text. */
  receipt: string;
  path: string;
  disclosure: string;
  /** Null: it matches. */
  fault: string | null;
}

const RUN = 'run_0190a1b2c3d40190a1b2c3d40190a1b2';
const saltOf = (label: string) => toBase64Url(Buffer.from(sha256Hex(`vector: salt of ${label}`).slice(0, 32), 'hex'));
const textOf = (path: string, name: string, value: Json) => disclosureText({ salt: saltOf(path), name, value });
const written = (json: string) => toBase64Url(new TextEncoder().encode(json));

const block: JsonObject = {
  run: {
    id: RUN,
    lane: 'generic',
    title: 'A title',
    inputs: { task: 'Write the letter', patient: { name: 'Ada', ward: 7 }, beds: [{ of: 'Ada' }], 'a/b~c': true },
  },
  execution: { agent_name: 'scribe', model_name: 'small-7b', provider: '', output_sha256: '', output_bytes: 0 },
  evidence: [],
  checks: [],
  verdict: { outcome: 'pass', score_100: 100, severity: 'none', client_ready: 'yes', recommended_action: '', summary: '' },
  approval: { decision: 'approved', approved_by: 'Ben', approver_id: 'user_1', note: 'Read.', approved_at: '2026-05-29T20:14:33.123Z' },
};

function sealed(blocks: JsonObject, schema = 'service.receipt/v1'): string {
  return seal({
    schema,
    receipt_id: `RCPT-000000-${receiptIdSuffix(RUN)}`,
    org_seq: 0,
    parent_hash: GENESIS_HASH,
    created_at: '2026-05-29T20:14:33.123Z',
    organization: { id: 'org_1', name: 'Workshop' },
    share_url: 'https://receipts.example/share/AAAAAAAAAAAAAAAAAAAAAA',
    ...blocks,
  }).canonical;
}

const MEMBERS: [path: string, name: string, value: Json][] = [
  ['/title', 'title', 'A title'],
  ['/note', 'note', 'Read.'],
  ['/inputs/task', 'task', 'Write the letter'],
  ['/inputs/patient/name', 'name', 'Ada'],
  ['/inputs/beds/0/of', 'of', 'Ada'],
  ['/inputs/a~1b~0c', 'a/b~c', true],
];

export function disclosureVectors(): DisclosureVector[] {
  const placeOf = (path: string) => sealedPlace('service.receipt/v1', path)!;
  const committed = MEMBERS.map(([path, name, value]) => ({ place: placeOf(path), digest: digestOf(textOf(path, name, value)) }));
  const receipt = sealed(withDigests(block, committed));
  const title = textOf('/title', 'title', 'A title');
  const over = (text: string) => sealed(withDigests(block, [{ place: placeOf('/title'), digest: digestOf(text) }]));
  const withList = (digests: Json) => sealed({ ...block, run: { ...(block.run as JsonObject), title: 'x', _sd: digests } });
  const case_ = (story: string, fault: string | null, path: string, disclosure: string, of = receipt): DisclosureVector => ({
    story,
    receipt: of,
    path,
    disclosure,
    fault,
  });
  // RFC 9901, section 4.2.1: its JSON has a space behind each comma.
  const spaced = written(`["${saltOf('spaced')}", "title", "A title"]`);
  const malformed: [string, Json][] = [
    ['is empty', []],
    ['is no array', digestOf(title)],
    ['holds a number', [digestOf(title), 1]],
    ['is padded', [`${digestOf(title)}=`]],
    ['holds one digest twice', [digestOf(title), digestOf(title)]],
    ['is in descending order', [digestOf(title), digestOf('other')].sort().reverse()],
  ];
  const refused: [string, string][] = [
    ['has two parts', '["salt","title"]'],
    ['has four parts', '["salt","title","A title",1]'],
    ['has a number for a salt', '[1,"title","A title"]'],
    ['names _sd', '["salt","_sd","A title"]'],
    ['names ...', '["salt","...","A title"]'],
    ['has one member twice', '["salt","title",{"a":1,"a":2}]'],
    ['is no JSON', '["salt","title",'],
  ];
  return [
    ...MEMBERS.map(([path, name, value]) => case_(`the member ${path}`, null, path, textOf(path, name, value))),
    case_('in JSON with spaces', null, '/title', spaced, over(spaced)),
    case_('at another path', 'digest_differs', '/inputs/task', title),
    case_('of another value', 'digest_differs', '/title', textOf('/title', 'title', 'Another')),
    case_('of another salt', 'digest_differs', '/title', textOf('/note', 'title', 'A title')),
    case_('padded', 'digest_differs', '/title', `${title}=`),
    case_('of a member that stands in clear', 'not_committed', '/inputs/task', textOf('/inputs/task', 'task', 'Write the letter'), sealed(block)),
    case_('of a lane that commits none', 'not_committed', '/title', title, sealed(withDigests(block, committed), 'service.cook-receipt/v1')),
    case_('at a path that is no pointer', 'not_committed', 'title', title),
    ...malformed.map(([how, digests]) => case_(`where the list ${how}`, 'digests_malformed', '/title', title, withList(digests))),
    case_('whose digest stands in a second list, too', 'digests_malformed', '/title', title, sealed({ ...withDigests(block, committed), execution: { _sd: [digestOf(title)] } })),
    ...refused.map(([how, json]) => case_(`that ${how}`, 'not_a_disclosure', '/title', written(json), over(written(json)))),
    case_('of another name', 'another_name', '/title', textOf('/title', 'id', 'A title'), over(textOf('/title', 'id', 'A title'))),
    case_('beside the same member in clear', 'member_in_clear', '/title', title, sealed({ ...block, run: { ...(block.run as JsonObject), _sd: [digestOf(title)] } })),
  ];
}
