/** Inviting, within what an organization may ask and a mailbox has to bear. */
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { changes } from '../changes/transaction.ts';
import type { Config } from '../config.ts';
import { refuse } from '../problems.ts';
import { countInvited } from '../store/people.ts';
import { lockOrganization } from '../store/tenancy.ts';
import { takeMail, writtenTooOften } from './mailbox.ts';
import { addMember } from './members.ts';

type Limits = Pick<Config, 'open_invitations' | 'organization_invitations_per_hour' | 'mailbox_invitations_per_hour'>;

const HOUR_MS = 3_600_000;

/**
 * `is_mailed` is false for a mailbox that was asked too often, by whomever: they may sign in all the same. Throws
 * `member_exists`, `invitation_limit`, `rate_limited`.
 */
export async function inviteMember(
  tx: Queries,
  organization_id: string,
  asked: { email: string; role: Role },
  invited_by: string,
  limits: Limits,
  at: string,
): Promise<{ member: TeamMember; is_mailed: boolean }> {
  await lockOrganization(tx, organization_id);
  const member = await addMember(tx, organization_id, asked, invited_by, at);
  if ((await countInvited(tx, organization_id)) > limits.open_invitations)
    throw refuse(
      'invitation_limit',
      `${limits.open_invitations} people are invited and have not signed in yet, as many as may be. Remove those who will not, or wait until some have.`,
    );
  await countInvitation(tx, organization_id, limits, at);
  return { member, is_mailed: await takeInvitation(tx, member.email, limits, at) };
}

/** Throws `rate_limited`. */
export async function inviteAgain(
  tx: Queries,
  organization_id: string,
  { email }: TeamMember,
  limits: Limits,
  at: string,
): Promise<void> {
  await countInvitation(tx, organization_id, limits, at);
  if (!(await takeInvitation(tx, email, limits, at))) throw writtenTooOften('an hour');
  changes(tx, organization_id, { settings: true });
}

async function countInvitation(tx: Queries, organization_id: string, limits: Limits, at: string): Promise<void> {
  const limit = { mails: limits.organization_invitations_per_hour, window_ms: HOUR_MS };
  if (await takeMail(tx, `invitations of:${organization_id}`, limit, at)) return;
  throw new Refusal('rate_limited', 'This organization has invited as often as it may within an hour. Go on later.');
}

function takeInvitation(tx: Queries, email: string, limits: Limits, at: string): Promise<boolean> {
  const limit = { mails: limits.mailbox_invitations_per_hour, window_ms: HOUR_MS };
  return takeMail(tx, `invitation:${email}`, limit, at);
}
