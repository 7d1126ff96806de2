/** A person or an API key, of one organization, in one role. */
import type { Role } from '@rcpt/contract/vocabulary.ts';

export interface Principal {
  organization_id: string;
  /** `user_…` or `key_…`. */
  id: string;
  role: Role;
  /** A person's public name, a key's label; where there is none, the id. Never a mailbox: it may be stored and shown. */
  name: string;
}

export function isPerson({ id }: Pick<Principal, 'id'>): boolean {
  return id.startsWith('user_');
}

/** Which roles may do what (docs/spec.md §12). */
export const PERMISSIONS = {
  read: ['agent', 'approver', 'auditor', 'owner'],
  work: ['agent', 'approver', 'owner'],
  approve: ['approver', 'owner'],
  /** The organization's own books: what its administrators did. */
  audit: ['auditor', 'owner'],
  administer: ['owner'],
} as const satisfies Record<string, readonly Role[]>;
export type Permission = keyof typeof PERMISSIONS;

/** `rk_<organization>_<secret>`: the organization part says where to look, the secret proves it. */
export function apiKeyOf(organization_id: string, secret: string): string {
  return `rk_${organization_id.slice('org_'.length)}_${secret}`;
}
