/** Every kind of act is a plain sentence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTIVITY_DETAILS, type Act } from '@rcpt/contract/activity.ts';
import { ACTIVITY_KINDS, type ActivityKind } from '@rcpt/contract/activity-kinds.ts';
import { sentenceOf, subjectOf } from '../../src/pages/activity/sentences.ts';

type Samples = { [Kind in ActivityKind]: Extract<Act, { kind: Kind }>['details'] };

const ada = { id: `user_${'a1'.repeat(16)}`, name: 'Ada' };
const unnamed = { id: ada.id, name: ada.id };
const key = { id: `key_${'b2'.repeat(16)}`, name: 'press' };
const hash = 'ab'.repeat(32);
const passkey = { member: ada, passkey: { id: 'c1', name: 'Laptop' }, public_key_sha256: hash };
const witness = { name: 'w.example/1', url: 'https://w.example', key: 'w.example/1+00000000+AA' };

const SAMPLES: Samples = {
  activity_begun: { organization_created_at: '2026-05-29T20:14:33.123Z', four_eyes: false, keys: 1, members: 2 },
  organization_created: { four_eyes: true },
  organization_renamed: { before: 'Clinic', after: 'Clinic North' },
  four_eyes_switched: { before: false, after: true },
  passkey_approvals_changed: { before: 'off', after: 'required: cook' },
  storage_limit_changed: { before: null, after: 5 * 1_048_576 },
  router_connected: { before: null, after: 'http://router' },
  router_called: { call: 'POST /admin/workers/{id}/drain', id: 'wrk_1' },
  key_issued: { key, role: 'agent' },
  key_revoked: { key, role: 'agent' },
  member_added: { member: unnamed, role: 'owner' },
  member_joined: { member: ada, role: 'owner' },
  member_role_changed: { member: ada, before: 'agent', after: 'owner' },
  member_removed: { member: ada, role: 'owner' },
  invitation_sent: { member: unnamed, role: 'owner' },
  public_name_changed: { before: null, after: 'Ada' },
  sign_in_link_made: { member: ada },
  passkey_enrolled: passkey,
  passkey_removed: passkey,
  agent_profile_described: { agent_profile: { id: 'ap_1', name: 'Scribe' } },
  flight_sheet_published: { flight_sheet: { name: 'roof-survey', version: '1.2.0', sha256: hash } },
  share_switched: { receipt_id: 'RCPT-000001-00000000', before: true, after: false },
  disclosures_changed: { receipt_id: 'RCPT-000001-00000000', before: [], after: ['/output'] },
  erased: { receipt_id: 'RCPT-000001-00000000', path: '/output', reason: 'asked for' },
  witness_added: witness,
  witness_removed: witness,
  log_key_created: { key: witness.key },
  log_key_rotated: { before: witness.key, after: witness.key },
  export_taken: { chain: 'receipts', head: { org_seq: 3, receipt_sha256: hash } },
  pack_taken: { from: '2026-01-01', to: '2026-01-31' },
};

test('sentences name things as people do', () => {
  assert.equal(
    sentenceOf({
      kind: 'pack_taken',
      details: { from: '1970-01-01T00:00:00.000Z', to: '2026-11-22T15:32:10.123Z' },
    } as Act).words,
    'took the pack of everything up to 22 Nov 2026, 15:32 UTC.',
  );
  const shown = { receipt_id: 'RCPT-000001-00000000', before: [], after: ['/output', '/title'] };
  const { words, after } = sentenceOf({ kind: 'disclosures_changed', details: shown } as unknown as Act);
  assert.deepEqual([words, after], ['lets the link of', ' show Output and Title; before: nothing.']);
  assert.match(sentenceOf({ kind: 'sign_in_link_made', details: { member: unnamed } } as Act).words, /[^.]…$/);
});

const said = (kind: ActivityKind) => sentenceOf({ kind, details: SAMPLES[kind] } as Act);

for (const kind of Object.keys(ACTIVITY_KINDS) as ActivityKind[])
  test(`${kind} is a sentence`, () => {
    ACTIVITY_DETAILS[kind].parse(SAMPLES[kind]);
    const { words, receipt_id } = said(kind);
    assert.match(words, /^[a-z]/);
    if (receipt_id === null) assert.ok(words.endsWith('.'), words);
    assert.doesNotMatch(words, /undefined|null|\[object|\{/);
  });

test('a sentence says who and what, in the words of the organization', () => {
  assert.equal(said('key_issued').words, 'issued the agent key “press”.');
  assert.equal(said('member_role_changed').words, 'changed the role of “Ada” from agent to owner.');
  assert.equal(said('member_added').words, 'invited user_a1a1a1a1… as owner.');
  assert.deepEqual(said('share_switched'), {
    words: 'switched off the link of',
    receipt_id: 'RCPT-000001-00000000',
    after: '.',
  });
  assert.equal(said('router_called').words, 'asked the compute router for POST /admin/workers/wrk_1/drain.');
  assert.equal(subjectOf({ id: 'operator', name: 'the operator' }), 'The operator');
  assert.equal(subjectOf(unnamed), 'user_a1a1a1a1…');
});

test('a kind of a later release is shown as it is', () => {
  const { words } = sentenceOf({ kind: 'gate_opened', details: { gate: 1 } } as never);
  assert.equal(words, 'gate_opened: {"gate":1}');
});
