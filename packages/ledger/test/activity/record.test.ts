/** An act and its line are one, in a chain without gap and fork (docs/spec.md §27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActivityReceipt } from '@rcpt/contract/activity.ts';
import { ChainVerifier } from '@rcpt/proof/chain.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { now } from '@rcpt/service/ids.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { OPERATOR_ACTS } from '../../src/activity/actor.ts';
import { recordActivity } from '../../src/activity/record.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { changeSettings, foundOrganization } from '../../src/people/organizations.ts';
import { activityOf } from '../kit/activity.ts';

eachEngine('an act is recorded', MIGRATIONS, (fresh) => {
  const found = async () => {
    const { db } = await fresh();
    const { organization_id, key_id } = await db.transaction((tx) => foundOrganization(tx, { name: 'Any' }, now()));
    return { db, organization_id, key_id };
  };
  const switchFourEyes = (before: boolean) =>
    ({ by: OPERATOR_ACTS, kind: 'four_eyes_switched', details: { before, after: !before } }) as const;

  test('founding an organization begins its chain, in the form of receipts', async () => {
    const { db, organization_id, key_id } = await found();
    const [founded, key, ...others] = await activityOf(db, organization_id);
    assert.deepEqual(others, []);
    assert.deepEqual(founded!.activity, {
      kind: 'organization_created',
      by: { id: 'operator', name: 'the operator' },
      details: { four_eyes: false },
    });
    assert.deepEqual(key!.activity.details, { key: { id: key_id, name: 'first owner' }, role: 'owner' });
    for (const receipt of [founded, key]) ActivityReceipt.parse(receipt);
    assert.deepEqual([founded!.receipt_id, key!.receipt_id], ['ACT-000000', 'ACT-000001']);
    assert.equal(key!.parent_hash, founded!.receipt_sha256);
  });

  test('an act that fails leaves no line, and a line that cannot be written undoes the act', async () => {
    const { db, organization_id } = await found();
    const before = await activityOf(db, organization_id);
    await assert.rejects(
      db.transaction(async (tx) => {
        await recordActivity(tx, organization_id, switchFourEyes(false), now());
        throw new Error('after the line');
      }),
      /after the line/,
    );
    assert.deepEqual(await activityOf(db, organization_id), before);
    await db.run(`update activity_chains set receipt_sha256 = $2 where organization_id = $1`, [
      organization_id,
      before[0]!.receipt_sha256,
    ]);
    const ledger = { db, now };
    await assert.rejects(
      changeSettings(ledger, organization_id, OPERATOR_ACTS, { name: 'Another', four_eyes: true }, 0),
    );
    const row = await db.get('select name, four_eyes from organizations where organization_id = $1', [organization_id]);
    assert.deepEqual({ ...row }, { name: 'Any', four_eyes: 0 });
  });

  test('a member that does not belong there is not sealed', async () => {
    const { db, organization_id } = await found();
    const act = switchFourEyes(true);
    const more = { ...act, details: { ...act.details, email: 'x@example.org' } };
    await assert.rejects(
      db.transaction((tx) => recordActivity(tx, organization_id, more, now())),
      /email/,
    );
    assert.equal((await activityOf(db, organization_id)).length, 2);
  });

  test('however many act at once, there is one chain without a gap', async () => {
    const { db, organization_id } = await found();
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        db.transaction((tx) => recordActivity(tx, organization_id, switchFourEyes(i % 2 === 0), now())),
      ),
    );
    const chain = await activityOf(db, organization_id);
    assert.deepEqual(
      chain.map(({ org_seq }) => org_seq),
      Array.from({ length: 42 }, (_, i) => i),
    );
    const verifier = new ChainVerifier(organization_id);
    for (const { payload } of await db.all<{ payload: string }>(
      'select payload from activity where organization_id = $1 order by org_seq',
      [organization_id],
    ))
      verifier.push(payload);
    const head = await db.get<{ org_seq: number; receipt_sha256: string }>(
      'select org_seq, receipt_sha256 from activity_chains where organization_id = $1',
      [organization_id],
    );
    assert.deepEqual(verifier.finish(head!).violations, []);
  });

  test('an organization that is older than its chain begins it with what stands', async () => {
    const { db, organization_id } = await found();
    await db.run('delete from activity where organization_id = $1', [organization_id]);
    await db.run(`update activity_chains set org_seq = -1, receipt_sha256 = $2 where organization_id = $1`, [
      organization_id,
      '0'.repeat(64),
    ]);
    await changeSettings({ db, now }, organization_id, OPERATOR_ACTS, { four_eyes: true }, 0);
    const [begun, switched, ...others] = await activityOf(db, organization_id);
    assert.deepEqual(others, []);
    assert.equal(begun!.activity.kind, 'activity_begun');
    const { organization_created_at, ...stands } = begun!.activity.details as Record<string, unknown>;
    assert.deepEqual(stands, { four_eyes: true, keys: 1, members: 0 });
    assert.equal(typeof organization_created_at, 'string');
    assert.deepEqual(switched!.activity.details, { before: false, after: true });
  });
});

eachEngine('a database of before there were activity chains', null, (fresh) => {
  test('has an empty one for each organization', async () => {
    const { db } = await fresh();
    await migrate(db, MIGRATIONS);
    const { organization_id } = await db.transaction((tx) => foundOrganization(tx, { name: 'Any' }, now()));
    await db.script('drop table activity; drop table activity_chains');
    await db.run('delete from schema_migrations where version = 19');
    await migrate(db, MIGRATIONS);
    const act = { by: OPERATOR_ACTS, kind: 'router_connected', details: { before: null, after: 'http://r' } } as const;
    await db.transaction((tx) => recordActivity(tx, organization_id, act, now()));
    assert.deepEqual(
      (await activityOf(db, organization_id)).map(({ activity }) => activity.kind),
      ['activity_begun', 'router_connected'],
    );
  });
});
