/** What the ledger refuses: every code of its rules and stores, with its answer on the wire (docs/spec.md §26). */
import { Refusal } from '@rcpt/service/error.ts';
import type { ProblemRow } from '@rcpt/service/http/problem.ts';

export const LEDGER_PROBLEMS = {
  run_stage_conflict: { status: 409, title: 'The Run is at another stage' },
  run_not_approved: { status: 409, title: 'The Run is not approved' },
  approval_mismatch: { status: 409, title: 'The Run is not what was approved' },
  pin_damaged: { status: 409, title: 'The pin of the base model was changed after it was sealed' },
  checks_open: { status: 409, title: 'A check is still open' },
  check_decided: { status: 409, title: 'The check is decided already' },
  four_eyes: { status: 403, title: 'Four eyes: another credential has to approve' },
  public_name_needed: { status: 409, title: 'A public name has to be chosen first' },
  passkey_required: { status: 409, title: 'The approval has to be signed with a passkey' },
  passkey_missing: { status: 409, title: 'No passkey is enrolled' },
  passkey_address: { status: 409, title: 'This address can have no passkeys' },
  passkey_limit: { status: 409, title: 'Too many passkeys' },
  passkey_exists: { status: 409, title: 'This passkey was enrolled before' },
  passkey_invalid: { status: 422, title: 'The passkey was not enrolled' },
  passkeys_off: { status: 409, title: 'The organization signs no approvals with passkeys' },
  assertion_invalid: { status: 422, title: 'The signature does not count' },
  evidence_mismatch: { status: 422, title: 'The bytes do not have the declared hash' },
  evidence_limit: { status: 422, title: 'Too much evidence on one Run' },
  evidence_altered: { status: 409, title: 'The stored bytes are not those that were recorded' },
  storage_quota: { status: 409, title: 'The organization stores as much as it may' },
  storage_unavailable: { status: 503, title: 'Object storage away', retry_after: 5 },
  flight_sheet_unknown: { status: 422, title: 'Unknown flight sheet' },
  flight_sheet_invalid: { status: 422, title: 'The flight sheet does not compile' },
  flight_sheet_exists: { status: 409, title: 'This version of the flight sheet exists already' },
  agent_profile_unknown: { status: 422, title: 'Unknown agent profile' },
  receipt_invalid: { status: 422, title: 'The Run does not make a valid receipt' },
  disclosure_unknown: { status: 422, title: 'There is no such thing beside this receipt' },
  disclosure_withheld: { status: 403, title: 'The organization does not show this' },
  disclosure_not_stored: { status: 409, title: 'Nothing of this is stored' },
  disclosure_erased: { status: 410, title: 'This was erased' },
  private_refused: { status: 422, title: 'This cannot be private' },
  log_inconsistent: { status: 409, title: 'What is stored is not what was signed' },
  entry_too_large: { status: 409, title: 'An entry is too large for a bundle' },
  receipt_not_drawn: { status: 422, title: 'The receipt cannot be drawn' },
  share_revoked: { status: 410, title: 'The organization has switched this link off' },
  router_not_connected: { status: 404, title: 'No compute router is connected' },
  router_unavailable: { status: 503, title: 'The compute router is away', retry_after: 5 },
  last_owner: { status: 409, title: 'An organization keeps its last owner' },
  member_exists: { status: 409, title: 'This person is a member already' },
  key_limit: { status: 409, title: 'Too many API keys' },
  agent_profile_limit: { status: 409, title: 'Too many agent profiles' },
  invitation_limit: { status: 409, title: 'Too many invitations are open' },
  signed_in_as_another: { status: 409, title: 'Somebody else is signed in here' },
  sign_in_link_invalid: { status: 401, title: 'The sign-in link does not count' },
  organization_not_chosen: { status: 409, title: 'An organization has to be chosen first' },
  no_organization: { status: 403, title: 'This person belongs to no organization' },
  cross_site: { status: 403, title: 'The request came from another site' },
} as const satisfies Record<string, ProblemRow>;

export type LedgerCode = keyof typeof LEDGER_PROBLEMS;

export const refuse = (code: LedgerCode, detail: string, members?: Record<string, unknown>) =>
  new Refusal<LedgerCode>(code, detail, members);
