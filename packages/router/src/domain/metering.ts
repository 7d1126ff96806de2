/** How long a job is charged for (docs/spec.md §22). Pure. */
import { decimal, multiply } from '@rcpt/contract/money.ts';

/** `measured` ignores the seconds that a worker reports. */
export type Metering = 'reported' | 'measured';

/** As in the receipt, which shows how the billed seconds are computed. */
export interface Metered {
  billed_seconds: number;
  measured_milliseconds: number;
  /** Null when none were reported. */
  reported_milliseconds: number | null;
  metering: Metering;
}

/**
 * The smaller of what the router measured and what the worker reported, in whole seconds that are over, at least 1: a worker
 * can lower its bill and never raise it.
 */
export function meter(
  measured_milliseconds: number,
  reported_seconds: number | undefined,
  metering: Metering,
): Metered {
  const reported_milliseconds = reported_seconds === undefined ? null : wholeMilliseconds(reported_seconds);
  const taken = takenMilliseconds({ measured_milliseconds, reported_milliseconds, metering });
  const billed_seconds = Math.max(1, Math.floor(taken / 1000));
  return { billed_seconds, measured_milliseconds, reported_milliseconds, metering };
}

/** How long it ran, as exact as the clock that was taken. */
export function takenMilliseconds({
  measured_milliseconds,
  reported_milliseconds,
  metering,
}: Omit<Metered, 'billed_seconds'>): number {
  if (metering === 'measured' || reported_milliseconds === null) return measured_milliseconds;
  return Math.min(measured_milliseconds, reported_milliseconds);
}

/** Cut, never rounded up: 1.9999 seconds are not 2. */
function wholeMilliseconds(seconds: number): number {
  // Whole milliseconds already: what most report.
  const milliseconds = seconds * 1000;
  if (Number.isSafeInteger(milliseconds) && milliseconds / 1000 === seconds) return milliseconds;
  const { unscaled, scale } = multiply(decimal(seconds), decimal(1000));
  return Number(unscaled / 10n ** BigInt(scale));
}
