/** Whatever is altered in an activity chain, or past it in the tables, its verification names (docs/spec.md §27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { newId, now } from '@rcpt/service/ids.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { softPasskey } from '../../../../test/kit/passkey.ts';
import { OPERATOR_ACTS } from '../../src/activity/actor.ts';
import { recordActivity } from '../../src/activity/record.ts';
import { verifyActivity } from '../../src/activity/verify.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { recordPasskey } from '../../src/passkeys/record.ts';
import { issueKey } from '../../src/people/keys.ts';
import { addMember, recordMember } from '../../src/people/members.ts';
import { changeSettings, foundOrganization } from '../../src/people/organizations.ts';
import { sealed } from '../kit/independent.ts';

interface Line {
  org_seq: number;
  parent_hash: string;
  receipt_sha256: string;
  kind: string;
  by_id: string;
  payload: string;
}

/** Four lines: founded, first key, a member added, four eyes switched on. */
async function honest(db: Db) {
  const founded = await db.transaction((tx) => foundOrganization(tx, { name: 'Any' }, now()));
  const { organization_id } = founded;
  const member = await db.transaction(async (tx) => {
    const asked = { email: 'ada@example.org', role: 'approver' } as const;
    const added = await addMember(tx, organization_id, asked, 'the operator', now());
    await recordMember(tx, organization_id, OPERATOR_ACTS, 'member_added', added, now());
    return added;
  });
  await changeSettings({ db, now }, organization_id, OPERATOR_ACTS, { four_eyes: true }, 0);
  const lines = await db.all<Line>(
    'select org_seq, parent_hash, receipt_sha256, kind, by_id, payload from activity where organization_id = $1 order by org_seq',
    [organization_id],
  );
  return { organization_id, key_id: founded.key_id, member, lines };
}

type Standing = Awaited<ReturnType<typeof honest>>;

async function write(db: Db, organization_id: string, lines: Line[], head: Line | undefined = lines.at(-1)) {
  await db.run('delete from activity where organization_id = $1', [organization_id]);
  for (const { org_seq, parent_hash, receipt_sha256, kind, by_id, payload } of lines)
    await db.run('insert into activity values ($1, $2, $3, $4, $5, $6, $7)', [
      organization_id,
      org_seq,
      parent_hash,
      receipt_sha256,
      kind,
      by_id,
      payload,
    ]);
  await db.run('update activity_chains set org_seq = $2, receipt_sha256 = $3 where organization_id = $1', [
    organization_id,
    head?.org_seq ?? -1,
    head?.receipt_sha256 ?? '0'.repeat(64),
  ]);
}

/** Sealed anew, with its columns made to fit. */
// biome-ignore lint/suspicious/noExplicitAny: a forger writes what they like
function forged(line: Line, change: (payload: any) => void): Line {
  const { receipt_sha256: _, ...payload } = JSON.parse(line.payload);
  change(payload);
  const text = sealed(payload);
  const { receipt_sha256, parent_hash } = JSON.parse(text);
  return { ...line, parent_hash, receipt_sha256, payload: text };
}

/** What was done, past the ledger; the first violation. */
const TAMPERINGS: [
  done: string,
  kind: string,
  org_seq: number | null,
  does: (db: Db, it: Standing) => Promise<void>,
][] = [
  [
    'a byte of a line is altered',
    'payload_altered',
    1,
    (db, { organization_id, lines }) =>
      write(db, organization_id, lines.with(1, { ...lines[1]!, payload: lines[1]!.payload.replace('owner', 'agent') })),
  ],
  [
    'a line is taken out',
    'sequence_gap',
    2,
    (db, { organization_id, lines }) => write(db, organization_id, lines.toSpliced(1, 1)),
  ],
  [
    'a line is sealed anew',
    'broken_parent_link',
    3,
    (db, { organization_id, lines }) =>
      write(
        db,
        organization_id,
        lines.with(
          2,
          forged(lines[2]!, (payload) => {
            payload.activity.details.role = 'owner';
          }),
        ),
      ),
  ],
  [
    'the column of a kind is altered, so that a filter misses it',
    'record_mismatch',
    3,
    (db, { organization_id }) =>
      db
        .run(`update activity set kind = 'export_taken' where organization_id = $1 and org_seq = 3`, [organization_id])
        .then(() => undefined),
  ],
  [
    'the column of who acted is altered',
    'record_mismatch',
    3,
    (db, { organization_id }) =>
      db
        .run(`update activity set by_id = 'user_1' where organization_id = $1 and org_seq = 3`, [organization_id])
        .then(() => undefined),
  ],
  [
    'the tail is cut off',
    'head_mismatch',
    3,
    (db, { organization_id, lines }) => write(db, organization_id, lines.slice(0, 2), lines.at(-1)),
  ],
  [
    'the tail is cut off with its head, and what it told still stands',
    'record_mismatch',
    0,
    (db, { organization_id, lines }) => write(db, organization_id, lines.slice(0, 3)),
  ],
  [
    'a key is slipped in',
    'record_mismatch',
    null,
    (db, { organization_id }) =>
      db
        .run(
          `insert into api_keys (organization_id, id, role, label, secret_sha256, created_at) values ($1, $2, 'owner', '', $2, $3)`,
          [organization_id, newId('key'), '2020-01-01T00:00:00.000Z'],
        )
        .then(() => undefined),
  ],
  [
    'a key is taken away',
    'record_mismatch',
    1,
    (db, { organization_id }) =>
      db.run('delete from api_keys where organization_id = $1', [organization_id]).then(() => undefined),
  ],
  [
    'a member is given another role',
    'record_mismatch',
    2,
    (db, { organization_id }) =>
      db
        .run(`update memberships set role = 'owner' where organization_id = $1`, [organization_id])
        .then(() => undefined),
  ],
  [
    'a member is slipped in',
    'record_mismatch',
    null,
    (db, { organization_id }) =>
      db
        .run(
          `insert into memberships (organization_id, person_id, role, invited_by, invited_at) values ($1, 'user_x', 'owner', '', $2)`,
          [organization_id, now()],
        )
        .then(() => undefined),
  ],
  [
    'four eyes are switched off',
    'record_mismatch',
    3,
    (db, { organization_id }) =>
      db
        .run('update organizations set four_eyes = 0 where organization_id = $1', [organization_id])
        .then(() => undefined),
  ],
  [
    'the organization is renamed',
    'record_mismatch',
    3,
    (db, { organization_id }) =>
      db
        .run(`update organizations set name = 'Other' where organization_id = $1`, [organization_id])
        .then(() => undefined),
  ],
];

eachEngine('an activity chain', MIGRATIONS, (fresh) => {
  test('is whole while all goes through the ledger', async () => {
    const { db } = await fresh();
    const { organization_id, lines } = await honest(db);
    const { org_seq, receipt_sha256 } = lines.at(-1)!;
    assert.deepEqual(await verifyActivity(db, organization_id), {
      ok: true,
      receipts_checked: 4,
      head: { org_seq, receipt_sha256 },
      violation: null,
      violations: [],
    });
  });

  for (const [done, kind, org_seq, does] of TAMPERINGS)
    test(`${done}: ${kind}`, async () => {
      const { db } = await fresh();
      const it = await honest(db);
      await does(db, it);
      const { ok, violation } = await verifyActivity(db, it.organization_id);
      assert.deepEqual([ok, violation?.kind, violation?.org_seq], [false, kind, org_seq], JSON.stringify(violation));
      assert.ok(violation!.detail.length > 10);
    });

  for (const [done, sql, detail] of [
    [
      'the key of a passkey is exchanged',
      'update passkeys set public_key_pem = $2 where organization_id = $1',
      / is stored as the one of \w+ with the public key \w{64}; the last line about it says the one of /,
    ],
    [
      'a passkey is slipped in',
      `insert into passkeys select organization_id, 'x', person_id, 'x', $2, algorithm, transports, name, 0, created_at, null, null
       from passkeys where organization_id = $1`,
      /^passkey x is stored as the one of .*, and no line says who brought it in$/,
    ],
    [
      'a passkey is taken away',
      'update passkeys set removed_at = $2 where organization_id = $1',
      /is not stored any more, and no line says who took it away$/,
    ],
    [
      'approvals without passkeys are let through again',
      `update organizations set passkey_approvals = 'off' where organization_id = $1 and $2 <> ''`,
      /^who signs with a passkey is stored otherwise/,
    ],
  ] as const)
    test(`${done}: record_mismatch`, async () => {
      const { db } = await fresh();
      const { organization_id, member } = await honest(db);
      const [own, other] = [softPasskey('http://localhost'), softPasskey('http://localhost')];
      const { credential_id, public_key_pem } = own;
      await changeSettings({ db, now }, organization_id, OPERATOR_ACTS, { passkey_approvals: 'offered' }, 0);
      await db.transaction(async (tx) => {
        const values = [organization_id, 'pk_1', member.id, credential_id, public_key_pem, now()];
        await tx.run(
          `insert into passkeys values ($1, $2, $3, $4, $5, 'ES256', '[]', 'Laptop', 0, $6, null, null)`,
          values,
        );
        const who = { id: member.id, name: member.id };
        const passkey = { credential_id, name: 'Laptop', public_key_pem };
        await recordPasskey(tx, organization_id, 'passkey_enrolled', { by: who, member: who }, passkey, now());
      });
      assert.deepEqual((await verifyActivity(db, organization_id)).violations, []);
      await db.run(sql, [organization_id, other.public_key_pem]);
      const { violation } = await verifyActivity(db, organization_id);
      assert.equal(violation!.kind, 'record_mismatch');
      assert.match(violation!.detail, detail);
    });

  test('a chain that is younger than its organization is held to what stood when it began', async () => {
    const { db } = await fresh();
    const { organization_id } = await honest(db);
    await write(db, organization_id, []);
    assert.deepEqual((await verifyActivity(db, organization_id)).violations, [], 'nothing told yet');
    const act = { by: OPERATOR_ACTS, kind: 'four_eyes_switched', details: { before: false, after: true } } as const;
    await db.transaction((tx) => recordActivity(tx, organization_id, act, now()));
    await db.transaction((tx) => issueKey(tx, organization_id, OPERATOR_ACTS, { role: 'agent' }, now()));
    assert.deepEqual((await verifyActivity(db, organization_id)).violations, []);
    await db.run(
      `insert into api_keys (organization_id, id, role, label, secret_sha256, created_at) values ($1, 'key_x', 'owner', '', 'x', $2)`,
      [organization_id, '2020-01-01T00:00:00.000Z'],
    );
    const { violation } = await verifyActivity(db, organization_id);
    assert.equal(violation!.detail, 'the activity chain began with 1 keys, and 2 are stored as older than it');
  });
});
