/** How many mails are booked for which hour. A row is named by the SHA-256 of the organization or mailbox that it counts for. */
import type { Queries } from '@rcpt/service/db/db.ts';

export interface BookedHour {
  whose_sha256: string;
  /** The hour's first instant. */
  hour: string;
  mails: number;
}

/** Counts none: who books holds the rows of this hour, so that the counts are exact for any number of processes. */
const HELD = '';

/** All that is booked of these from `hour` on. Locks them until the transaction ends: no other books meanwhile. */
export async function holdHours(tx: Queries, whose: string[], hour: string): Promise<BookedHour[]> {
  // Every process locks in this order: two never wait for each other.
  const ordered = JSON.stringify(whose.toSorted().map((sha256) => [sha256]));
  await tx.run(
    `insert into mail_hours (whose_sha256, hour, mails)
     select value ->> 0, '${HELD}', 0 from ${tx.dialect.jsonRows('$1')} where true
     on conflict (whose_sha256, hour) do update set mails = excluded.mails`,
    [ordered],
  );
  const rows = await tx.all<BookedHour>(
    `select whose_sha256, hour, mails from mail_hours where whose_sha256 ${tx.dialect.isAmong('$1')} and hour >= $2`,
    [JSON.stringify(whose), hour],
  );
  return rows.map((row) => ({ ...row, mails: Number(row.mails) }));
}

/** Of those that are held. */
export async function writeHours(tx: Queries, booked: BookedHour[]): Promise<void> {
  await tx.run(
    `insert into mail_hours (whose_sha256, hour, mails)
     select value ->> 0, value ->> 1, cast(value ->> 2 as bigint) from ${tx.dialect.jsonRows('$1')} where true
     on conflict (whose_sha256, hour) do update set mails = excluded.mails`,
    [JSON.stringify(booked.map(({ whose_sha256, hour, mails }) => [whose_sha256, hour, mails]))],
  );
}

export async function forgetHours(db: Queries, before: string): Promise<void> {
  await db.run('delete from mail_hours where hour < $1', [before]);
}
