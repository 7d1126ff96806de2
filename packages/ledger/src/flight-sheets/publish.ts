import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import type { Principal } from '../people/principal.ts';
import { insertFlightSheet } from '../store/flight-sheets.ts';
import { countDocument } from '../store/storage.ts';

/**
 * Publishes a sheet that compiles. False: the same sheet was there already. Throws `flight_sheet_exists`, `storage_quota`.
 * @param storage_bytes what the organization may store, by the ledger's setting
 */
export async function publishSheet(
  tx: Queries,
  by: Principal,
  sheet: FlightSheet,
  storage_bytes: number,
  at: string,
): Promise<boolean> {
  const { organization_id, id } = by;
  const sha256 = await insertFlightSheet(tx, organization_id, sheet, at, id);
  changes(tx, organization_id, { settings: true });
  if (sha256 === null) return false;
  await countDocument(tx, organization_id, JSON.stringify(sheet), storage_bytes);
  const details = { flight_sheet: { name: sheet.name, version: sheet.version, sha256 } };
  await recordActivity(tx, organization_id, { by: actorOf(by), kind: 'flight_sheet_published', details }, at);
  return true;
}
