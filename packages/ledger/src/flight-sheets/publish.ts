import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
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
  { organization_id, id }: Principal,
  sheet: FlightSheet,
  storage_bytes: number,
  at: string,
): Promise<boolean> {
  const fresh = await insertFlightSheet(tx, organization_id, sheet, at, id);
  if (fresh) await countDocument(tx, organization_id, JSON.stringify(sheet), storage_bytes);
  changes(tx, organization_id, { settings: true });
  return fresh;
}
