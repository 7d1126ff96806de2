/**
 * How many receipts are mailed in an hour: so many of one organization, so many to one mailbox, and at most half of those by
 * one organization, so that none can keep another's mails from a mailbox. A mail beyond that is booked for the next hour with
 * room, and waits in the outbox until then. Counted in the database, by hours of the clock.
 */
import type { Queries } from '@rcpt/service/db/db.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import { type BookedHour, holdHours, writeHours } from '../store/mail-hours.ts';
import { type Claim, type Postponed, postpone } from '../store/outbox.ts';

export interface MailLimits {
  organization_receipt_mails_per_hour: number;
  mailbox_receipt_mails_per_hour: number;
}

const HOUR_MS = 3_600_000;

/** The first instant of the hour. */
export function hourOf(now: number): string {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString();
}

/**
 * Of these claims, those that may go now; the mails that wait for their hour are put off, with the reason. A mail that is tried
 * again within its hour counts once; one that missed its hour is booked anew.
 */
export async function bookMails(tx: Queries, claims: Claim[], limits: MailLimits, now: number): Promise<Claim[]> {
  const this_hour = hourOf(now);
  const booking = claims.filter(({ kind, booked_hour }) => kind === 'mail' && booked_hour !== this_hour);
  if (booking.length === 0) return claims;
  const keys = new Map(booking.map((claim) => [claim, limitsOf(claim, limits)]));
  const whose = new Set([...keys.values()].flat().map(({ sha256 }) => sha256));
  const hours = new Hours(await holdHours(tx, [...whose], this_hour));
  const booked = booking.map((claim) => bookedFor(claim, hours.book(keys.get(claim)!, now), this_hour));
  await writeHours(tx, hours.changed());
  await postpone(tx, booked);
  const waiting = new Set(booked.filter(({ booked_hour }) => booked_hour !== this_hour).map(({ claim }) => claim));
  return claims.filter((claim) => !waiting.has(claim));
}

interface Limit {
  sha256: string;
  mails: number;
}

function limitsOf({ organization_id, recipient }: Claim, limits: MailLimits): Limit[] {
  const { organization_receipt_mails_per_hour: of, mailbox_receipt_mails_per_hour: to } = limits;
  const mailbox = recipient.toLowerCase();
  return [
    { sha256: secretSha256(`receipts of:${organization_id}`), mails: of },
    { sha256: secretSha256(`receipts to:${mailbox}`), mails: to },
    { sha256: secretSha256(`receipts of:${organization_id} to:${mailbox}`), mails: Math.ceil(to / 2) },
  ];
}

function bookedFor(claim: Claim, booked_hour: string, this_hour: string): Postponed {
  const { attempts, leased_until } = claim;
  if (booked_hour === this_hour)
    return { claim, attempts, next_attempt_at: leased_until, last_error: null, booked_hour };
  const last_error = 'waits for its hour: the organization or the mailbox has as many receipt mails as an hour takes';
  return { claim, attempts, next_attempt_at: booked_hour, last_error, booked_hour };
}

/** The counts while a transaction books. */
class Hours {
  readonly #counts: Map<string, BookedHour>;
  readonly #changed = new Set<BookedHour>();

  constructor(booked: BookedHour[]) {
    this.#counts = new Map(booked.map((one) => [keyOf(one.whose_sha256, one.hour), one]));
  }

  /** The first hour in which each limit has room. */
  book(limits: Limit[], now: number): string {
    let at = now;
    while (limits.some(({ sha256, mails }) => this.#at(sha256, hourOf(at)).mails >= mails)) at += HOUR_MS;
    for (const { sha256 } of limits) {
      const count = this.#at(sha256, hourOf(at));
      count.mails++;
      this.#counts.set(keyOf(sha256, count.hour), count);
      this.#changed.add(count);
    }
    return hourOf(at);
  }

  changed(): BookedHour[] {
    return [...this.#changed];
  }

  #at(whose_sha256: string, hour: string): BookedHour {
    return this.#counts.get(keyOf(whose_sha256, hour)) ?? { whose_sha256, hour, mails: 0 };
  }
}

const keyOf = (whose_sha256: string, hour: string) => `${whose_sha256} ${hour}`;
