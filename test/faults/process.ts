/**
 * The ledger as operators run it: `./rcpt ledger` in a process of its own, which a test may kill at any moment. What is
 * still running when a test ends is killed then.
 */
import { afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN, callerOf, MASTER_KEY, type RunningTest } from '../../packages/ledger/test/kit/running.ts';
import { killAll, type Rcpt, type Service, startRcpt, startService, type Where } from '../kit/process.ts';

export { temporaryFolder } from '../kit/folders.ts';
export { until } from '../kit/until.ts';

export const MIGRATIONS = fileURLToPath(new URL('../../packages/ledger/migrations', import.meta.url));
/** The same before and after a restart on another port. */
export const BASE_URL = 'http://ledger.example';

afterEach(killAll);

export interface LedgerProcess extends Service {
  call: RunningTest['call'];
}

/** Settings of a ledger on this database, with its storage and its mail in `folder`. */
export function settingsOf(database_url: string, folder: string): Record<string, string> {
  return {
    LEDGER_PORT: '0',
    LEDGER_BASE_URL: BASE_URL,
    LEDGER_DATABASE_URL: database_url,
    LEDGER_STORAGE_URL: `file:${folder}/objects`,
    LEDGER_SMTP_URL: `file:${folder}/outbox`,
    LEDGER_ADMIN_TOKEN: ADMIN_TOKEN,
    LEDGER_MASTER_KEY: MASTER_KEY,
    // A test machine may be busy with others: that is not what is tested here.
    LEDGER_OVERLOAD_DELAY_MS: '60000',
    // They mail one mailbox all they mint.
    LEDGER_ORGANIZATION_RECEIPT_MAILS_PER_HOUR: '100000',
    LEDGER_MAILBOX_RECEIPT_MAILS_PER_HOUR: '200000',
    // The first line says the port; of the others only warnings matter.
    LEDGER_LOG_LEVEL: 'info',
  };
}

/** Not listening yet; for a test that kills it while it starts. */
export function spawnLedger(settings: Record<string, string>): Rcpt {
  return startRcpt(['ledger'], { ...process.env, ...settings });
}

/** Resolves once it listens. */
export async function startLedgerProcess(settings: Record<string, string>, where?: Where): Promise<LedgerProcess> {
  const started = await startService('ledger', { ...process.env, ...settings }, where);
  return { ...started, call: callerOf(started.url) };
}
