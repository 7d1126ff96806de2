/** A ledger in a process of its own, as an operator starts it. */
import { rmSync } from 'node:fs';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { type Ended, rcpt, type Service, startService } from '../../../../test/kit/process.ts';
import { ADMIN_TOKEN, callerOf, MASTER_KEY, type RunningTest } from './running.ts';

export { type Ended, rcpt };

export interface LedgerProcess extends Service {
  call: RunningTest['call'];
}

/** Resolves with its first log line; throws what it said when it ended before. */
export async function ledgerProcess(
  database_url: string,
  environment: Record<string, string> = {},
): Promise<LedgerProcess> {
  const folder = temporaryFolder('ledger-process');
  const started = await startService('ledger', {
    LEDGER_PORT: '0',
    LEDGER_DATABASE_URL: database_url,
    LEDGER_STORAGE_URL: `file:${folder}/objects`,
    LEDGER_SMTP_URL: `file:${folder}/outbox`,
    LEDGER_ADMIN_TOKEN: ADMIN_TOKEN,
    LEDGER_MASTER_KEY: MASTER_KEY,
    // A test machine may be busy with others: that is not what is tested here.
    LEDGER_OVERLOAD_DELAY_MS: '60000',
    ...environment,
  });
  void started.ended.then(() => rmSync(folder, { recursive: true, force: true }));
  return { ...started, call: callerOf(started.url) };
}
