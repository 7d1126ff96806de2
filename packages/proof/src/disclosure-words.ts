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
  const { state, erased_at = '', reason = '' } = item;
  if (state === 'erased') return { tone: 'neutral', said: `Erased on ${instant(erased_at)}, because: ${reason}` };
  if (state === 'withheld') return { tone: 'neutral', said: 'Withheld' };
  if (checked === null) return { tone: 'neutral', said: 'Disclosed, not checked' };
  if (checked.ok) return { tone: 'good', said: 'Disclosed and matching' };
  if (checked.fault === 'not_read') return { tone: 'neutral', said: 'Disclosed, and could not be read just now' };
  return { tone: 'bad', said: `Not what this receipt sealed: ${FAULTS[checked.fault]}` };
}

const FAULTS: Record<DisclosureFault | 'bytes_differ', string> = {
  not_committed: 'nothing was committed there',
  digests_malformed: 'the digests in the receipt are malformed',
  digest_differs: 'its digest is not in the receipt',
  not_a_disclosure: 'it is no disclosure',
  another_name: 'it discloses another member',
  member_in_clear: 'the receipt has that member in clear as well',
  bytes_differ: 'its bytes have another hash',
};
