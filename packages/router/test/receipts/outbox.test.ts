/** Receipts on their way into their files: doubtful, committed, appended, marked (receipts/outbox.ts). */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { ReceiptBatch } from '../../src/receipts/batch.ts';
import { openReceiptsFolder } from '../../src/receipts/folder.ts';
import { ReceiptOutbox } from '../../src/receipts/outbox.ts';
import { verifyReceipts } from '../../src/receipts/verify.ts';
import { receiptsIn } from '../kit/records.ts';
import { START, temporaryFolder } from '../kit/running.ts';

/** One receipt, named by its member. */
function batchOf(member_id: string): ReceiptBatch {
  const batch = new ReceiptBatch(START);
  batch.add({
    receipt_type: 'membership',
    member_id,
    job_id: null,
    dataset_ids: [],
    amount_cents: 10_000,
    metadata: {},
  });
  return batch;
}

eachEngine('the receipt outbox', MIGRATIONS, (fresh) => {
  async function opened() {
    const { db } = await fresh();
    const path = temporaryFolder();
    const folder = openReceiptsFolder(path);
    const outbox = new ReceiptOutbox(db, folder);
    const store = (batch: ReceiptBatch) =>
      db.transaction(async (tx) => void (await Promise.all(outbox.statements(tx, batch))));
    return {
      outbox,
      store,
      names: () => receiptsIn(path).map(({ member_id }) => member_id),
      unmarked: () => countUnmarked(db),
      async end() {
        await outbox.append();
        await outbox.mark();
        assert.deepEqual((await verifyReceipts(db, folder)).violations, []);
        assert.equal(await countUnmarked(db), 0);
        folder.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  }

  test('appends a doubtful batch that was committed, before later ones, and drops one that was not', async () => {
    const { outbox, store, names, end } = await opened();
    const [committed, rolled_back, later] = ['a', 'b', 'c'].map(batchOf) as [ReceiptBatch, ReceiptBatch, ReceiptBatch];
    await store(committed);
    outbox.doubt(committed);
    outbox.doubt(rolled_back);
    await outbox.resolveDoubts();
    await store(later);
    outbox.committed(later);
    await outbox.append();
    assert.deepEqual(names(), ['a', 'c']);
    await end();
  });

  test('marks what is appended with a later commit, many together', async () => {
    const { outbox, store, unmarked, end } = await opened();
    for (let i = 0; i < 16; i++) {
      const batch = batchOf(`m${i}`);
      await store(batch);
      outbox.committed(batch);
      await outbox.append();
    }
    assert.equal(await unmarked(), 16);
    const next = batchOf('next');
    await store(next);
    outbox.committed(next);
    assert.equal(await unmarked(), 1);
    await end();
  });
});

async function countUnmarked(db: Db): Promise<number> {
  return (await db.all('select id from receipt_batches where appended = 0')).length;
}
