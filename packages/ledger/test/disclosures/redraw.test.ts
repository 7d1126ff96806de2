/** A PDF is drawn anew by one row of the outbox, whatever the row of the mint is doing just now. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { redrawPdf } from '../../src/store/disclosures.ts';
import { claimDue, LEASE_MS, OUTBOX_COLUMNS, outboxRows } from '../../src/store/outbox.ts';

const PLACE = { organization_id: 'org_1', org_seq: 7, run_id: 'run_1' };
const at = (ms: number) => new Date(Date.parse('2026-11-22T12:00:00.000Z') + ms).toISOString();

eachEngine('a PDF that is drawn anew', MIGRATIONS, (fresh) => {
  const claim = (db: Db, ms: number) =>
    db.transaction((tx) =>
      claimDue(tx, 'pdf', { organization_id: 'org_1', now: at(ms), leased_until: at(ms + LEASE_MS), limit: 8 }),
    );
  const minted = (db: Db) => db.insert('outbox', OUTBOX_COLUMNS, outboxRows('org_1', 7, [], at(0)));
  const redrawn = (db: Db, ms: number) => db.transaction((tx) => redrawPdf(tx, PLACE, at(ms)));

  test('is due at once when it was drawn before', async () => {
    const { db } = await fresh();
    await redrawn(db, 1_000);
    await redrawn(db, 1_000);
    assert.equal((await claim(db, 1_000)).length, 1);
  });

  test('is the one of the mint when that was not begun', async () => {
    const { db } = await fresh();
    await minted(db);
    await redrawn(db, 1_000);
    assert.equal((await claim(db, 1_000)).length, 1);
  });

  test('waits for the one that is being drawn, which does not end it', async () => {
    const { db } = await fresh();
    await minted(db);
    const [in_hand] = await claim(db, 500);
    await redrawn(db, 1_000);
    assert.equal((await claim(db, 2_000)).length, 0);
    const [again, ...more] = await claim(db, 1_000 + LEASE_MS);
    assert.deepEqual(more, []);
    assert.notEqual(again!.leased_until, in_hand!.leased_until);
  });
});
