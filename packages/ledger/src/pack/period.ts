/** Which receipts a pack is of. */
import type { PackQuery } from '@rcpt/contract/ledger/pack.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { positionsBetween } from '../store/search.ts';

const DAY_MS = 86_400_000;
const BEGINNING = '1970-01-01T00:00:00.000Z';

export interface Period {
  /** Minted at or after. */
  from_at: string;
  /** Minted before. */
  to_at: string;
  taken_at: string;
  /** Positions: from the first up to, not including, the second. */
  from: number;
  before: number;
}

/** As of now: what is minted later is in no period that ends today. Throws `invalid`. */
export async function periodOf(
  db: Queries,
  organization_id: string,
  { from, to }: PackQuery,
  taken_at: string,
): Promise<Period> {
  const from_at = from === undefined ? BEGINNING : new Date(from).toISOString();
  const asked = to === undefined ? taken_at : new Date(Date.parse(to) + (to.includes('T') ? 0 : DAY_MS)).toISOString();
  if (Date.parse(asked) <= Date.parse(from_at))
    throw new Refusal(
      'invalid',
      `from: got ${from}, takes a day or an instant before the end of the period, ${asked}.`,
    );
  // Instants are compared as text, and a year of five digits begins with a sign.
  const to_at = Date.parse(asked) < Date.parse(taken_at) ? asked : afterwards(taken_at);
  return { from_at, to_at, taken_at, ...(await positionsBetween(db, organization_id, { from_at, to_at })) };
}

/** What was minted in the very millisecond is in. */
function afterwards(instant: string): string {
  return new Date(Date.parse(instant) + 1).toISOString();
}
