/** Every command on an organization leaves its line, too (docs/spec.md §27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActivityReceipt } from '@rcpt/contract/activity.ts';
import type { ActivityKind } from '@rcpt/contract/activity-kinds.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { now } from '@rcpt/service/ids.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { verifyActivity } from '../../src/activity/verify.ts';
import { type Answer, COMMANDS, type Given } from '../../src/cli/commands.ts';
import { readLedgerConfig } from '../../src/config.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { foundOrganization } from '../../src/people/organizations.ts';
import { activityOf } from '../kit/activity.ts';

const email = 'ada@example.org';
const settings = readLedgerConfig({
  LEDGER_BASE_URL: 'https://r.example',
  LEDGER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
});

/** What is done before, and the options of the command itself; what it leaves; or why it leaves nothing. */
interface Row {
  before?: [string, Omit<Given, 'settings'>][];
  given: Omit<Given, 'settings'>;
  kind: ActivityKind;
}
const ROWS: Record<string, Row | string> = {
  migrate: 'changes no organization',
  'org create': { given: { name: 'Another' }, kind: 'key_issued' },
  'org router': { given: { url: 'http://127.0.0.1:9' }, kind: 'router_connected' },
  'org storage': { given: { bytes: '5' }, kind: 'storage_limit_changed' },
  'key create': { given: { role: 'owner' }, kind: 'key_issued' },
  'key revoke': { before: [['key create', { role: 'agent' }]], given: {}, kind: 'key_revoked' },
  // Its first use made the key before it.
  'key rotate': { before: [['key rotate', {}]], given: {}, kind: 'log_key_rotated' },
  'member add': { given: { email, role: 'owner' }, kind: 'member_added' },
  'member remove': {
    before: [['member add', { email, role: 'owner' }]],
    given: { email },
    kind: 'member_removed',
  },
  'member link': { before: [['member add', { email, role: 'owner' }]], given: { email }, kind: 'sign_in_link_made' },
};

eachEngine('every command of the operator', MIGRATIONS, (fresh) => {
  const run = (db: Db, words: string, given: Omit<Given, 'settings'>): Promise<Answer> =>
    COMMANDS.find((command) => command.words === words)!.read({ ...given, settings })(db);

  test('has its place in the table', () => {
    assert.deepEqual(COMMANDS.map(({ words }) => words).sort(), Object.keys(ROWS).sort());
  });

  for (const [words, row] of Object.entries(ROWS)) {
    if (typeof row === 'string') continue;
    test(`./rcpt ${words} leaves its line`, async () => {
      const { db } = await fresh();
      const { organization_id: org } = await db.transaction((tx) => foundOrganization(tx, { name: 'Any' }, now()));
      let subject: string | undefined;
      for (const [before, given] of row.before ?? [])
        subject = (await run(db, before, { org, ...given })).key_id as string | undefined;
      const length = (await activityOf(db, org)).length;
      const answer = await run(db, words, { org, subject, ...row.given });
      const told = (answer.organization_id as string | undefined) ?? org;
      const lines = (await activityOf(db, told)).slice(told === org ? length : 1);
      assert.deepEqual(
        lines.map(({ activity }) => [activity.kind, activity.by.id]),
        [[row.kind, 'operator']],
      );
      ActivityReceipt.parse(lines[0]);
      assert.doesNotMatch(JSON.stringify(lines), /@|rk_|#token/);
      assert.deepEqual((await verifyActivity(db, told)).violations, []);
    });
  }
});
