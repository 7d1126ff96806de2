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
export const BY_RULE = 'rule';

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
