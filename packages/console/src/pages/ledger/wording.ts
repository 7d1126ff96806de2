/** What a verification found, spelled out. */
import { isHash } from '@rcpt/proof/receipt.ts';
import { count } from '../../format/numbers.ts';
import type { Slot } from './chain.ts';
import type { Report } from './verification.ts';

export type Violation = Report['violations'][number];
export type ViolationKind = Violation['kind'];

/** A heading, what it means, and what `expected` and `actual` are. */
export const KIND: Record<ViolationKind, { title: string; means: string; expected: string; actual: string }> = {
  payload_altered: {
    title: 'Content altered',
    means: 'What is stored here is not what was sealed.',
    expected: 'Sealed as',
    actual: 'Now',
  },
  sequence_gap: {
    title: 'Number missing or out of order',
    means: 'The numbers of a chain follow each other without a gap. Here they do not.',
    expected: 'Next number',
    actual: 'Found',
  },
  broken_parent_link: {
    title: 'Broken link',
    means: 'This receipt does not continue the one before it.',
    expected: 'Before it',
    actual: 'It names',
  },
  record_mismatch: {
    title: 'Record altered',
    means: 'The receipt is as it was sealed, but what is stored beside it says something else.',
    expected: 'Sealed',
    actual: 'Beside it',
  },
  head_mismatch: {
    title: 'Wrong end',
    means: 'The chain does not end where the last mint recorded its end: receipts were cut off, or put behind it.',
    expected: 'Recorded',
    actual: 'Found',
  },
};

/** One sentence for the whole report. Nothing that was checked is nothing that holds. */
export function verdictOf(report: Report): { tone: 'good' | 'bad' | 'neutral'; words: string } {
  if (!report.ok)
    return { tone: 'bad', words: `The chain does not hold: ${count(report.violations.length, 'violation')}` };
  if (report.receipts_checked === 0) return { tone: 'neutral', words: 'There was nothing to verify' };
  return { tone: 'good', words: 'The chain holds' };
}

/** `1.3 s`, `2 min 5 s`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0.1, Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** By the number they are pinned to. */
export function violationsBySeq(violations: readonly Violation[]): ReadonlyMap<number, Violation[]> {
  const found = new Map<number, Violation[]>();
  for (const violation of violations) {
    if (violation.org_seq === null) continue;
    found.set(violation.org_seq, [...(found.get(violation.org_seq) ?? []), violation]);
  }
  return found;
}

export function has(found: readonly Violation[], ...kinds: ViolationKind[]): boolean {
  return found.some(({ kind }) => kinds.includes(kind));
}

/** A receipt whose content was altered has another hash than is recorded: the one that the verification computed. */
export function asFound(receipt: Slot, found: readonly Violation[]): Slot {
  const altered = found.find(({ kind, actual }) => kind === 'payload_altered' && isHash(actual));
  return receipt && altered ? { ...receipt, receipt_sha256: String(altered.actual) } : receipt;
}
