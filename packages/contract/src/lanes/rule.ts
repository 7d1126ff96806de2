/** How a lane decides: a table of rules, each looking at the work alone. */

import { BY_RULE } from '../signer.ts';
import type { CheckCategory, CheckSeverity } from '../vocabulary.ts';
import type { Check } from '../work.ts';

/** `skip` says that the rule does not apply or cannot be decided, and its detail says why. */
export interface Finding {
  status: 'pass' | 'flag' | 'skip';
  detail: string;
}

export interface LaneRule<W> {
  key: string;
  label: string;
  category: CheckCategory;
  severity: CheckSeverity;
  decide(work: W): Finding;
}

export const pass = (detail: string): Finding => ({ status: 'pass', detail });
export const flag = (detail: string): Finding => ({ status: 'flag', detail });
export const skip = (detail: string): Finding => ({ status: 'skip', detail });

/** In the order of the table. */
export function decide<W>(rules: readonly LaneRule<W>[], work: W): Check[] {
  return rules.map(({ key, label, category, severity, decide }) => ({
    key,
    label,
    category,
    severity,
    ...decide(work),
    decided_by: BY_RULE,
  }));
}

/** What was seen, quoted for a detail: one line, at most `max` characters. */
export function quote(text: string, max = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `"${[...line.slice(0, max - 1)].join('')}…"`.toWellFormed() : `"${line}"`;
}

export function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
