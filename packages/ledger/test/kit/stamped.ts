/** A time stamp of the checkpoint of all entries, as if an authority had answered: its bytes are served as they are stored. */
import type { Db } from '@rcpt/service/db/db.ts';
import type { LogName } from '../../src/store/logs.ts';
import { insertTimestamp } from '../../src/store/timestamps.ts';
import type { Tenant } from './running.ts';

export async function stamp(db: Db, tenant: Tenant, log: LogName = 'receipts'): Promise<void> {
  const root = log === 'receipts' ? '/ledger' : '/activity';
  const { text: checkpoint } = await tenant.ask('auditor', 'GET', `${root}/checkpoint`);
  const size = Number(checkpoint.split('\n')[1]);
  const answer = Buffer.from('an answer').toString('base64');
  await insertTimestamp(db, tenant.organization_id, log, {
    size,
    checkpoint,
    answer,
    stamped_at: '2026-05-29T20:14:33.000Z',
  });
}
