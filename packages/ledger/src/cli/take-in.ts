/** Chains that are older than their tree: `./rcpt migrate` hashes and signs them, a step at a time, each of which stays. */
import type { Db } from '@rcpt/service/db/db.ts';
import { now } from '@rcpt/service/ids.ts';
import type { Config } from '../config.ts';
import { openLogKeys } from '../log/keys.ts';
import { openMasterKey } from '../log/master-key.ts';
import { signEnd } from '../log/signer.ts';
import { RECEIPTS } from '../log/source.ts';
import { chainsWithoutTree } from '../store/chains.ts';

/** The ids of the organizations whose chains were taken in. Progress goes to standard error. */
export async function takeInChains(db: Db, config: Config): Promise<string[]> {
  const organization_ids = await chainsWithoutTree(db);
  if (organization_ids.length === 0) return [];
  const keys = openLogKeys(db, openMasterKey(config), () => hostOf(config), now);
  for (const [i, organization_id] of organization_ids.entries()) {
    const onProgress = (signed: number, size: number) =>
      process.stderr.write(
        `${organization_id} (${i + 1} of ${organization_ids.length}): ${signed} of ${size} receipts hashed\n`,
      );
    await signEnd({ db, keys, now, onProgress }, organization_id, RECEIPTS);
  }
  return organization_ids;
}

/** As the ledger itself would name its logs: by its address, else by where it listens. */
export function hostOf({ host, port, base_url = `http://${host}:${port}` }: Config): string {
  return new URL(base_url).host;
}
