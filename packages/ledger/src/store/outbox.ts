/** What is still to be copied or mailed: rows arrive in the transaction that mints their receipt, and leave when the work is done. */
import type { Queries, Value } from '@rcpt/service/db/db.ts';

export const COPY_KINDS = ['mail', 'json', 'pdf'] as const;
export type CopyKind = (typeof COPY_KINDS)[number];

export interface Copy {
  organization_id: string;
  org_seq: number;
  kind: CopyKind;
  /** `''` except for mail. */
  recipient: string;
  /** Failures so far. */
  attempts: number;
  /** Of a mail: the hour it is counted in (mail-hours.ts). */
  booked_hour: string | null;
}

/** A copy that a process has taken on: until `leased_until` no other process takes it. */
export interface Claim extends Copy {
  leased_until: string;
}

/** Far longer than one copy takes: a slow copier must not lose its rows to another while it works on them. */
export const LEASE_MS = 180_000;

/** The instant of rows that are not tried again without a person. */
export const PARKED = '9999-12-31T23:59:59.999Z';

export const OUTBOX_COLUMNS = {
  organization_id: 'text',
  org_seq: 'bigint',
  kind: 'text',
  recipient: 'text',
  attempts: 'bigint',
  next_attempt_at: 'text',
  last_error: 'text',
} as const;

/** Both copies of a receipt, and one mail for each mailbox, also where it is named twice or in another case. */
export function outboxRows(organization_id: string, org_seq: number, recipients: string[], now: string): Value[][] {
  const row = (kind: CopyKind, recipient: string) => [organization_id, org_seq, kind, recipient, 0, now, null];
  const mailboxes = new Map(recipients.map((recipient) => [recipient.toLowerCase(), recipient]));
  return [row('json', ''), row('pdf', ''), ...[...mailboxes.values()].map((recipient) => row('mail', recipient))];
}

/**
 * The organizations that have something of one kind due, by their ids. Reads only: an idle copier must not take turns with the
 * mints. One look per organization that has rows at all, however many it has.
 */
export async function organizationsDue(db: Queries, kind: CopyKind, now: string): Promise<string[]> {
  const rows = await db.all<{ organization_id: string }>(
    `with recursive organizations (organization_id) as (
       select min(organization_id) from outbox where kind = $1
       union all
       select (select min(o.organization_id) from outbox o where o.kind = $1 and o.organization_id > organizations.organization_id)
       from organizations where organization_id is not null)
     select organization_id from organizations
     where exists (select 1 from outbox o where o.kind = $1 and o.organization_id = organizations.organization_id
       and o.next_attempt_at <= $2)
     order by organization_id`,
    [kind, now],
  );
  return rows.map(({ organization_id }) => organization_id);
}

/**
 * Takes on the rows of one kind and organization that are due longest, in one statement. Processes that claim at the same time
 * get different rows. A crash afterwards leaves them to the next claim after `leased_until`.
 */
export async function claimDue(
  tx: Queries,
  kind: CopyKind,
  {
    organization_id,
    now,
    leased_until,
    limit,
  }: { organization_id: string; now: string; leased_until: string; limit: number },
): Promise<Claim[]> {
  const rows = await tx.all<Copy>(
    `with due as materialized (
       select kind, next_attempt_at, organization_id, org_seq, recipient from outbox
       where kind = $1 and organization_id = $5 and next_attempt_at <= $2 order by next_attempt_at limit $3 ${tx.dialect.forUpdateSkipLocked})
     update outbox set next_attempt_at = $4 from due
     where outbox.kind = due.kind and outbox.next_attempt_at = due.next_attempt_at
       and outbox.organization_id = due.organization_id and outbox.org_seq = due.org_seq
       and outbox.recipient = due.recipient
     returning outbox.organization_id, outbox.org_seq, outbox.kind, outbox.recipient, outbox.attempts,
       outbox.booked_hour`,
    [kind, now, limit, leased_until, organization_id],
  );
  return rows.map((row) => ({ ...row, leased_until }));
}

/** A row that another process has claimed since is left to it. */
export async function deleteDone(tx: Queries, done: Claim[]): Promise<void> {
  if (done.length === 0) return;
  const rows = done.map((claim) => [
    claim.kind,
    claim.leased_until,
    claim.organization_id,
    claim.org_seq,
    claim.recipient,
  ]);
  await tx.run(
    `delete from outbox where (kind, next_attempt_at, organization_id, org_seq, recipient) in
       (select value ->> 0, value ->> 1, value ->> 2, cast(value ->> 3 as bigint), value ->> 4
        from ${tx.dialect.jsonRows('$1')})`,
    [JSON.stringify(rows)],
  );
}

export interface Postponed {
  claim: Claim;
  attempts: number;
  next_attempt_at: string;
  last_error: string | null;
  /** Absent: unchanged. */
  booked_hour?: string;
}

/** A claim that has expired changes nothing: the row is another process's by now, or gone. */
export async function postpone(tx: Queries, postponed: Postponed[]): Promise<void> {
  if (postponed.length === 0) return;
  const rows = postponed.map(({ claim, attempts, next_attempt_at, last_error, booked_hour = null }) => [
    claim.organization_id,
    claim.org_seq,
    claim.kind,
    claim.recipient,
    claim.leased_until,
    attempts,
    next_attempt_at,
    last_error,
    booked_hour,
  ]);
  await tx.run(
    `update outbox set attempts = cast(p.value ->> 5 as bigint), next_attempt_at = p.value ->> 6,
       last_error = coalesce(p.value ->> 7, last_error), booked_hour = coalesce(p.value ->> 8, booked_hour)
     from ${tx.dialect.jsonRows('$1')} as p
     where organization_id = p.value ->> 0 and org_seq = cast(p.value ->> 1 as bigint)
       and kind = p.value ->> 2 and recipient = p.value ->> 3 and next_attempt_at = p.value ->> 4`,
    [JSON.stringify(rows)],
  );
}

/** A receipt as it is stored, for the copies of it. */
export interface StoredCopy {
  organization_id: string;
  org_seq: number;
  receipt_sha256: string;
  payload: string;
}

export async function loadPayloads(
  db: Queries,
  keys: { organization_id: string; org_seq: number }[],
): Promise<StoredCopy[]> {
  return db.all<StoredCopy>(
    `select r.organization_id, r.org_seq, r.receipt_sha256, r.payload from ${db.dialect.jsonRows('$1')} as k
     join receipts r on r.organization_id = k.value ->> 0 and r.org_seq = cast(k.value ->> 1 as bigint)`,
    [JSON.stringify(keys.map(({ organization_id, org_seq }) => [organization_id, org_seq]))],
  );
}
