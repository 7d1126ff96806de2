/** Rules on attached evidence, the same for every lane that looks at it. */
import type { CheckSeverity } from '../vocabulary.ts';
import type { EvidenceFact } from '../work.ts';
import { flag, type LaneRule, pass, plural, quote, skip } from './rule.ts';

interface WithEvidence {
  evidence: EvidenceFact[];
}

/** SHA-256 of no bytes at all. */
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export function evidenceAttached(severity: CheckSeverity): LaneRule<WithEvidence> {
  return {
    key: 'evidence_attached',
    label: 'Evidence is attached',
    category: 'evidence',
    severity,
    decide({ evidence }) {
      if (evidence.length === 0) return flag('No evidence is attached, so nothing here can be re-examined later.');
      if (evidence.every((item) => item.kind === 'note')) {
        return skip(
          `Only notes are attached (${plural(evidence.length, 'note')}): whether they are evidence is for a person to say.`,
        );
      }
      return pass(`${plural(evidence.length, 'item')} attached: ${kinds(evidence)}.`);
    },
  };
}

/** A declared hash proves nothing until its bytes are brought. */
export const evidenceBytesKnown: LaneRule<WithEvidence> = {
  key: 'evidence_bytes_known',
  label: 'The bytes of the evidence were seen, not only their hash',
  category: 'evidence',
  severity: 'low',
  decide({ evidence }) {
    if (evidence.length === 0) return skip('No evidence is attached.');
    const empty = evidence.filter((item) => item.sha256 === EMPTY_SHA256);
    if (empty.length > 0)
      return flag(`${plural(empty.length, 'item')} of evidence with nothing in it: ${labels(empty)}.`);
    const declared = evidence.filter((item) => item.byte_size === 0);
    if (declared.length > 0)
      return flag(`Only the hash was declared of ${labels(declared)}; its bytes were not seen here.`);
    return pass(`The bytes of ${plural(evidence.length, 'item')} were hashed here.`);
  },
};

export const evidenceDistinct: LaneRule<WithEvidence> = {
  key: 'evidence_distinct',
  label: 'No evidence is attached twice',
  category: 'evidence',
  severity: 'low',
  decide({ evidence }) {
    if (evidence.length < 2) return skip('Fewer than two items of evidence: nothing to compare.');
    const seen = new Map<string, EvidenceFact>();
    for (const item of evidence) {
      const first = seen.get(item.sha256);
      if (first) return flag(`${quote(item.label)} has the same bytes as ${quote(first.label)}.`);
      seen.set(item.sha256, item);
    }
    return pass(`${evidence.length} items, ${evidence.length} different hashes.`);
  },
};

function kinds(evidence: EvidenceFact[]): string {
  return [...new Set(evidence.map((item) => item.kind.replace('_', ' ')))].sort().join(', ');
}

function labels(evidence: EvidenceFact[]): string {
  const named = evidence.slice(0, 3).map((item) => quote(item.label, 60));
  return evidence.length > 3 ? `${named.join(', ')} and ${evidence.length - 3} more` : named.join(', ');
}
