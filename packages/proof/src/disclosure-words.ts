/** What a verifier says of what stands beside a receipt, in sentences: the same on the page, on paper and in the console. */
import type { DisclosureFault } from './disclosures.ts';

export interface BesideState {
  path: string;
  state: 'disclosed' | 'withheld' | 'erased';
  erased_at?: string | undefined;
  reason?: string | undefined;
}

/** `null`: nobody has looked. */
export type Checked = { ok: true } | { ok: false; fault: DisclosureFault | 'bytes_differ' | 'not_read' } | null;

export interface BesideWords {
  tone: 'good' | 'bad' | 'neutral';
  said: string;
}

/** @param instant how a person reads an instant */
export function besideInWords(item: BesideState, checked: Checked, instant: (at: string) => string): BesideWords {
  const { state, erased_at = '', reason } = item;
  const neutral = (said: string): BesideWords => ({ tone: 'neutral', said });
  if (state === 'erased') return neutral(`Erased on ${instant(erased_at)}, because: ${reason}`);
  if (state === 'withheld') return neutral('Withheld');
  if (checked === null) return neutral('Disclosed, not checked');
  if (checked.ok) return { tone: 'good', said: 'Disclosed and matching' };
  if (checked.fault === 'not_read') return neutral('Disclosed, and could not be read just now');
  return { tone: 'bad', said: `Not what this receipt sealed: ${checked.fault.replaceAll('_', ' ')}` };
}
