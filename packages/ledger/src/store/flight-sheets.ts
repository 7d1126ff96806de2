/** Flight sheets: written once per (organization, name, version), never changed. */
import type { FlightSheet, FlightSheetQuery } from '@rcpt/contract/ledger/flight-sheet.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';

/** The sheet's SHA-256; null: the same sheet was there already. Throws `flight_sheet_exists` when this version is another sheet. */
export async function insertFlightSheet(
  tx: Queries,
  organization_id: string,
  sheet: FlightSheet,
  created_at: string,
  created_by: string,
): Promise<string | null> {
  const text = canonicalize(sheet);
  const sha256 = sha256Hex(text);
  const { name, version } = sheet;
  const inserted = await tx.run(
    `insert into flight_sheets (organization_id, name, version, sheet, sheet_sha256, created_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [organization_id, name, version, text, sha256, created_at, created_by],
  );
  if (inserted === 1) return sha256;
  const known = await tx.get<{ sheet_sha256: string }>(
    'select sheet_sha256 from flight_sheets where organization_id = $1 and name = $2 and version = $3',
    [organization_id, name, version],
  );
  if (known?.sheet_sha256 !== sha256)
    throw refuse('flight_sheet_exists', `${name} v${version} exists and sheets are immutable: publish a new version.`);
  return null;
}

/** The sheet that decides a Run, as canonical JSON. Throws `flight_sheet_unknown`. */
export async function loadSheetText(
  db: Queries,
  organization_id: string,
  { name, version }: Pick<FlightSheet, 'name' | 'version'>,
): Promise<string> {
  const text = await findSheetText(db, organization_id, name, version);
  if (text === undefined)
    throw refuse('flight_sheet_unknown', `This organization has no flight sheet ${name} v${version}.`);
  return text;
}

/** Throws `not_found`. */
export async function loadFlightSheet(
  db: Queries,
  organization_id: string,
  name: string,
  version: string,
): Promise<FlightSheet> {
  const text = await findSheetText(db, organization_id, name, version);
  if (text === undefined) throw new Refusal('not_found', `This organization has no flight sheet ${name} v${version}.`);
  return JSON.parse(text) as FlightSheet;
}

async function findSheetText(db: Queries, organization_id: string, name: string, version: string) {
  const row = await db.get<{ sheet: string }>(
    'select sheet from flight_sheets where organization_id = $1 and name = $2 and version = $3',
    [organization_id, name, version],
  );
  return row?.sheet;
}

/** By name, the versions of each in the order they were published; fewer than `limit` when they are large. */
export async function listFlightSheets(
  db: Queries,
  organization_id: string,
  { after, limit }: FlightSheetQuery,
): Promise<{ flight_sheets: FlightSheet[]; next_after: string | null }> {
  const from = after === undefined ? null : await placeOf(db, organization_id, after);
  const where = `organization_id = $1${from === null ? '' : ' and name >= $2 and (name, created_at, version) > ($2, $3, $4)'}`;
  const params = [organization_id, ...(from === null ? [] : [from.name, from.created_at, from.version])];
  const sizes = await db.all<Place & { byte_size: number }>(
    `select ${PLACE}, octet_length(sheet) as byte_size from flight_sheets where ${where} order by ${PLACE} limit $${params.length + 1}`,
    [...params, limit + 1],
  );
  const page = fitting(sizes.slice(0, limit));
  const rows = await db.all<{ sheet: string }>(
    `select sheet from flight_sheets where ${where} order by ${PLACE} limit $${params.length + 1}`,
    [...params, page.length],
  );
  const last = page.at(-1);
  return {
    flight_sheets: rows.map((row) => JSON.parse(row.sheet) as FlightSheet),
    next_after: last === undefined || page.length === sizes.length ? null : `${last.name}@${last.version}`,
  };
}

const PLACE = 'name, created_at, version';
interface Place {
  name: string;
  created_at: string;
  version: string;
}

async function placeOf(db: Queries, organization_id: string, cursor: string): Promise<Place> {
  const [name = '', version = ''] = cursor.split('@');
  const place = await db.get<Place>(
    `select ${PLACE} from flight_sheets where organization_id = $1 and name = $2 and version = $3`,
    [organization_id, name, version],
  );
  if (place !== undefined) return place;
  const message = `is no flight sheet of this organization: ${cursor}`;
  throw new Refusal('invalid', `The request is invalid: after: ${message}.`, { errors: [{ path: 'after', message }] });
}
