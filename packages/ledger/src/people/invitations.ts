/** Inviting people, within the limits of an organization and of a mailbox. */
import type { Actor } from '@rcpt/contract/activity.ts';
import type { NewTeamMember, TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { z } from 'zod';
import { changes } from '../changes/transaction.ts';
import type { Config } from '../config.ts';
import type { BackgroundMail } from '../mail/background.ts';
import { invitationMail } from '../mail/people-mail.ts';
import { refuse } from '../problems.ts';
import { countInvited, loadMember } from '../store/people.ts';
import { loadOrganization, lockOrganization } from '../store/tenancy.ts';
import { countMail, tooManyMails } from './mail-limit.ts';
import { addMember, recordMember } from './members.ts';
import type { People } from './people.ts';

type Limits = Pick<Config, 'open_invitations' | 'organization_invitations_per_hour' | 'mailbox_invitations_per_hour'>;

export interface Invitations extends People {
  config: Limits;
  base_url: string;
  mails: BackgroundMail;
}

const HOUR_MS = 3_600_000;

/** A person who was added. `is_mailed` is false for a mailbox that had too many invitations: the person may sign in all the same. */
export interface Invited {
  member: TeamMember;
  is_mailed: boolean;
}

/** Throws `member_exists`, `invitation_limit`, `rate_limited`. */
export async function inviteMember(
  tx: Queries,
  organization_id: string,
  by: Actor,
  asked: z.infer<typeof NewTeamMember>,
  invited_by: string,
  { config, now }: Pick<Invitations, 'config' | 'now'>,
): Promise<Invited> {
  const at = now();
  await lockOrganization(tx, organization_id);
  const member = await addMember(tx, organization_id, asked, invited_by, at);
  if ((await countInvited(tx, organization_id)) > config.open_invitations)
    throw refuse(
      'invitation_limit',
      `${config.open_invitations} people are invited and have not signed in yet, which is the limit. Remove some of them, or wait until some have signed in.`,
    );
  await countInvitation(tx, organization_id, config, at);
  const is_mailed = await takeInvitation(tx, member.email, config, at);
  await recordMember(tx, organization_id, by, 'member_added', member, at);
  return { member, is_mailed };
}

/** After the commit: the person is mailed, best effort, since an invitation can be sent again. */
export async function announceInvitation(
  ledger: Invitations,
  organization_id: string,
  { member, is_mailed }: Invited,
): Promise<void> {
  // The person may have been refused for belonging nowhere.
  await ledger.credentials.invalidate();
  if (is_mailed) await mailInvitation(ledger, organization_id, member).catch(() => undefined);
}

/** Throws `not_found`, `rate_limited`. */
export async function inviteAgain(
  ledger: Invitations,
  organization_id: string,
  by: Actor,
  id: string,
): Promise<TeamMember> {
  const { db, config, now } = ledger;
  const member = await db.transaction(async (tx) => {
    const invited = await loadMember(tx, organization_id, id);
    const at = now();
    await countInvitation(tx, organization_id, config, at);
    if (!(await takeInvitation(tx, invited.email, config, at))) throw tooManyMails('an hour');
    changes(tx, organization_id, { settings: true });
    await recordMember(tx, organization_id, by, 'invitation_sent', invited, at);
    return invited;
  });
  await mailInvitation(ledger, organization_id, member);
  return member;
}

async function mailInvitation(
  { db, base_url, mails }: Invitations,
  organization_id: string,
  { email, invited_by, invited_at }: TeamMember,
): Promise<void> {
  const organization = await loadOrganization(db, organization_id);
  mails.send(() => invitationMail({ to: email, link: `${base_url}/sign-in`, organization, invited_by, invited_at }));
}

async function countInvitation(tx: Queries, organization_id: string, limits: Limits, at: string): Promise<void> {
  const limit = { mails: limits.organization_invitations_per_hour, window_ms: HOUR_MS };
  if (await countMail(tx, `invitations of:${organization_id}`, limit, at)) return;
  throw new Refusal('rate_limited', 'This organization has invited as often as it may within an hour. Go on later.');
}

function takeInvitation(tx: Queries, email: string, limits: Limits, at: string): Promise<boolean> {
  const limit = { mails: limits.mailbox_invitations_per_hour, window_ms: HOUR_MS };
  return countMail(tx, `invitation:${email}`, limit, at);
}
