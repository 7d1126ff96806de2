/** What a role may do, as the ledger decides it. The console uses it to say why a button is disabled. */

import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { WorkingSession } from '../api/queries.ts';

const MAY = {
  read: ['agent', 'approver', 'auditor', 'owner'],
  work: ['agent', 'approver', 'owner'],
  approve: ['approver', 'owner'],
  audit: ['auditor', 'owner'],
  administer: ['owner'],
} as const satisfies Record<string, readonly Role[]>;
type Permission = keyof typeof MAY;

/** Why this session may not decide on the Run: its role, or four eyes. Null when it may. */
export function deniedDecision(session: WorkingSession, run: Pick<Run, 'stages'>): string | null {
  const executed_by = run.stages.find(({ stage }) => stage === 'Execution')?.by;
  return (
    deniedReason(session.role, 'approve') ??
    (session.organization.four_eyes && executed_by === session.id
      ? 'Four eyes: you posted the execution, so somebody else decides.'
      : null)
  );
}

/** Null when the role may; else one sentence that says which roles may. */
export function deniedReason(role: Role, act: Permission): string | null {
  const roles: readonly Role[] = MAY[act];
  if (roles.includes(role)) return null;
  return `Your role here is ${role}; this takes ${roles.join(' or ')}.`;
}
