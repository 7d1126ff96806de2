/** What a PDF takes along from the log. */
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import type { Logs } from '../log/logs.ts';
import { listWitnesses } from '../store/witnesses.ts';
import type { Beside } from './view.ts';

/** Null where the log does not prove this receipt: it is drawn all the same, and says so. */
export async function besideOf(
  db: Queries,
  logs: Pick<Logs, 'proofFile' | 'verifierKeys'>,
  organization_id: string,
  org_seq: number,
  logger: Logger,
): Promise<Beside | null> {
  try {
    const proof = await logs.proofFile(organization_id, 'receipts', org_seq);
    const keys = await logs.verifierKeys(organization_id, 'receipts');
    const witnesses = (await listWitnesses(db, organization_id)).map(({ key }) => key);
    return { proof, keys: [...keys, ...witnesses].map((key) => `${key}\n`).join('') };
  } catch (error) {
    logger.warn({ err: error, organization_id, org_seq }, 'a PDF takes no proof along');
    return null;
  }
}
