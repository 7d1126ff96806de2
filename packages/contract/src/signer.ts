/**
 * Who approved or decided, as it is sealed. Whether it was a person or a program follows from the id, which the ledger
 * gives, and never from the name, which they chose.
 */

export interface Signer {
  name: string;
  /** `user_…` or `key_…`. */
  id: string;
}

/** What a rule decided. */
export const BY_RULE = 'rule' as const;

/** `Ada Lovelace (user_01…)`. */
export const signed = ({ name, id }: Signer): string => `${name} (${id})`;

const SIGNED = /^([\s\S]*) \(((?:user|key)_\w+)\)$/;

/** The reverse of `signed`; null for what is no signature. */
export function signerOf(text: string): Signer | null {
  const [, name, id] = SIGNED.exec(text) ?? [];
  return name === undefined || id === undefined ? null : { name, id };
}

/** Null: the id is none of the ledger's. */
export function kindOfSigner(id: string): 'person' | 'API key' | null {
  if (id.startsWith('user_')) return 'person';
  return id.startsWith('key_') ? 'API key' : null;
}

/** `Ada Lovelace (person)`, `nightly (API key)`. */
export function signerInWords({ name, id }: Signer): string {
  const kind = kindOfSigner(id);
  return kind === null ? name : `${name} (${kind})`;
}

export type Decider = 'rule' | 'person' | 'API key';

/** `all by rule`, or `12 by rule, 1 by a person`; empty where a check does not say. */
export function decidersInWords(deciders: readonly (Decider | null)[]): string {
  const counts: Record<Decider, number> = { rule: 0, person: 0, 'API key': 0 };
  for (const decider of deciders) {
    if (decider === null) return '';
    counts[decider] += 1;
  }
  if (counts.rule === deciders.length) return deciders.length === 0 ? '' : 'all by rule';
  const by = [`${counts.rule} by rule`, `${counts.person} by a person`, `${counts['API key']} by an API key`];
  return by.filter((words) => !words.startsWith('0 ')).join(', ');
}

/** Of a check's `decided_by`; null while it is open, and for what is no signature. */
export function deciderOf(decided_by: string): Decider | null {
  const signer = signerOf(decided_by);
  return decided_by === BY_RULE ? BY_RULE : signer && kindOfSigner(signer.id);
}

const DECIDED = /^Decided by ([\s\S]*?) \(((?:user|key)_\w+)\)(?:: ([\s\S]*)|\.)$/;

/**
 * The detail of a finding whose receipt has no place for who decided: a signature goes before the words, and nothing else
 * begins like one.
 */
export function signedDetail(decided_by: string, detail: string): string {
  if (decided_by !== BY_RULE)
    return detail === '' ? `Decided by ${decided_by}.` : `Decided by ${decided_by}: ${detail}`;
  return detail.startsWith('Decided by ') ? `By rule: ${detail}` : detail;
}

/** The reverse of `signedDetail`. */
export function unsignedDetail(detail: string): { decided_by: string; detail: string } {
  const [, name, id, words = ''] = DECIDED.exec(detail) ?? [];
  if (name === undefined || id === undefined) return { decided_by: BY_RULE, detail };
  return { decided_by: signed({ name, id }), detail: words };
}
