/** The four roles in words: what each may do here, as the ledger decides it. */
import type { Role } from '@rcpt/contract/vocabulary.ts';

export const ROLE_WORD: Record<Role, string> = {
  owner: 'Owner',
  approver: 'Approver',
  agent: 'Agent',
  auditor: 'Auditor',
};

/** Half a line, for tables. */
export const ROLE_IN_SHORT: Record<Role, string> = {
  owner: 'May do everything',
  approver: 'Works, approves and mints',
  agent: 'Works; approves nothing',
  auditor: 'Reads; changes nothing',
};

/** What it may and may not do, for the chooser of roles. */
export const ROLE_IN_WORDS: Record<Role, string> = {
  agent: 'Opens Runs, attaches evidence, posts the work and has it checked. Cannot approve it.',
  approver: 'What an agent may; also approves or rejects Runs and mints receipts.',
  auditor: 'Reads Runs, evidence and receipts and verifies the ledger. Changes nothing.',
  owner: 'What an approver may; also manages members, keys, flight sheets, agent profiles and this organization.',
};

/** In the order they are offered: what is needed most, first. */
export const ROLES_OFFERED: readonly Role[] = ['agent', 'approver', 'auditor', 'owner'];
