/** Verdicts and checks, worded and marked as on the receipt's page. */

import type { Outcome } from '@rcpt/contract/vocabulary.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { OUTCOME_WORD } from '../format/vocabulary.ts';
import { StatusBadge, type StatusIconName, type Tone } from './status-badge.tsx';

export const OUTCOME_LOOKS: Record<Outcome, { mark: StatusIconName; tone: Tone }> = {
  pass: { mark: 'tick', tone: 'good' },
  review: { mark: 'warning', tone: 'caution' },
  fail: { mark: 'cross', tone: 'bad' },
};

export function OutcomeStatus({ outcome }: { outcome: Outcome }) {
  return <StatusBadge {...OUTCOME_LOOKS[outcome]}>{OUTCOME_WORD[outcome]}</StatusBadge>;
}

const CHECK_WORD: Record<Check['status'], string> = { pass: 'Pass', flag: 'Flag', open: 'Open', skip: 'Skipped' };

/** A flag of low severity is a caution; the others are bad. */
export function CheckStatusMark({ check }: { check: Pick<Check, 'status' | 'severity'> }) {
  const looks: Record<Check['status'], { mark: StatusIconName; tone: Tone }> = {
    pass: { mark: 'tick', tone: 'good' },
    flag: { mark: 'warning', tone: check.severity === 'low' ? 'caution' : 'bad' },
    open: { mark: 'ring', tone: 'accent' },
    skip: { mark: 'dash', tone: 'neutral' },
  };
  return <StatusBadge {...looks[check.status]}>{CHECK_WORD[check.status]}</StatusBadge>;
}
