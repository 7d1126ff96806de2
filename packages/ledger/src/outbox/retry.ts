/** What becomes of a row after an attempt. Pure. */
import { type Claim, PARKED, type Postponed } from '../store/outbox.ts';
import { type Backoff, backoffMs } from './circuit.ts';
import type { Outcome } from './copy-receipt.ts';
import { errorText } from './error-text.ts';

export interface RetryPolicy {
  backoff: Backoff;
  /** For a mail that the server does not accept, and a PDF that cannot be drawn: twenty attempts make about three days. */
  mail_backoff: Backoff;
}

const ATTEMPTS = 20;
/** An outage is not the mail's fault: it counts no further than to where the wait is longest. */
const OUTAGE_ATTEMPTS = 11;

/**
 * What a destination does not take is tried for ever. A mail that its server has refused twenty times, what could not be
 * drawn as often, and every copy of an altered receipt, is parked: the row stays, with the reason, for a person to look
 * at. What was not tried because too much was being drawn is tried soon, and counts as no attempt.
 */
export function postponed({ claim, failure }: Outcome, now: number, chance: number, policy: RetryPolicy): Postponed {
  const last_error = errorText(failure?.error);
  const { attempts: before } = claim;
  const later = (attempts: number, backoff: Backoff, failures = attempts): Postponed => {
    const next_attempt_at = new Date(now + backoffMs(failures, backoff, chance)).toISOString();
    return { claim, attempts, next_attempt_at, last_error };
  };
  const parked: Postponed = { claim, attempts: before + 1, next_attempt_at: PARKED, last_error };
  switch (failure?.fault) {
    case 'receipt':
      return parked;
    case 'copy':
      return before + 1 >= ATTEMPTS ? parked : later(before + 1, policy.mail_backoff);
    case 'busy':
      return later(before, policy.backoff, 1);
    default:
      return later(Math.max(before, Math.min(before + 1, OUTAGE_ATTEMPTS)), policy.backoff);
  }
}

/** A row that was claimed and not tried: the next claim may take it. */
export function released(claim: Claim, now: number): Postponed {
  return { claim, attempts: claim.attempts, next_attempt_at: new Date(now).toISOString(), last_error: null };
}
