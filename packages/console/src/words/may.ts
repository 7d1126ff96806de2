/** What a role may do, as the ledger decides it; here only so that a button can say why it would be refused. */
import type { Role } from './vocabulary.ts';

const MAY = {
  read: ['agent', 'approver', 'auditor', 'owner'],
  work: ['agent', 'approver', 'owner'],
  approve: ['approver', 'owner'],
  administer: ['owner'],
} as const satisfies Record<string, readonly Role[]>;
export type Act = keyof typeof MAY;

/** Null when `role` may; else one sentence for whoever wonders. */
export function whyNot(role: Role, act: Act): string | null {
  const roles: readonly Role[] = MAY[act];
  if (roles.includes(role)) return null;
  return `Your role here is ${role}; this takes ${roles.join(' or ')}.`;
}
