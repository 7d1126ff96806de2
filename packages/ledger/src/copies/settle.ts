/** What becomes of a row after an attempt. Pure. */
import { type Claim, PARKED, type Postponed } from '../store/outbox.ts';
import { type Backoff, backoffMs } from './circuit.ts';
import type { Outcome } from './copy-receipt.ts';
import { errorText } from './error-text.ts';

export interface Patience {
  backoff: Backoff;
  /** For a mail that the server does not accept: twenty attempts make about three days. */
  mail_backoff: Backoff;
}

const MAIL_ATTEMPTS = 20;
/** An outage is not the mail's fault: it counts no further than to where the wait is longest. */
const OUTAGE_ATTEMPTS = 11;

/**
 * Copies are tried for ever. A mail that its server has refused twenty times, and whatever belongs to an altered
 * receipt, is parked: the row stays, with the reason, for a person to look at.
 */
export function postponed({ claim, failure }: Outcome, now: number, chance: number, patience: Patience): Postponed {
  const last_error = errorText(failure?.error);
  const { attempts: before } = claim;
  if (failure?.fault === 'receipt') return { claim, attempts: before + 1, next_attempt_at: PARKED, last_error };
  const of_mail = failure?.fault === 'copy' && claim.kind === 'mail';
  const outage = failure?.fault === 'destination';
  const attempts = outage ? Math.max(before, Math.min(before + 1, OUTAGE_ATTEMPTS)) : before + 1;
  if (of_mail && attempts >= MAIL_ATTEMPTS) return { claim, attempts, next_attempt_at: PARKED, last_error };
  const wait_ms = backoffMs(attempts, of_mail ? patience.mail_backoff : patience.backoff, chance);
  return { claim, attempts, next_attempt_at: new Date(now + wait_ms).toISOString(), last_error };
}

/** A row that was claimed and not tried: whoever comes next may have it. */
export function released(claim: Claim, now: number): Postponed {
  return { claim, attempts: claim.attempts, next_attempt_at: new Date(now).toISOString(), last_error: null };
}
