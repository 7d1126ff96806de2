/** How many mails of one kind a mailbox is sent in a time, and how many invitations an organization makes. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import { holdMailbox, insertRequest, requestsSince } from '../store/mailbox-requests.ts';

export interface MailLimit {
  mails: number;
  /** An hour at most: what is older may be forgotten. */
  window_ms: number;
}

/**
 * Counts a mail. False, and not counted: the limit is reached. The database counts, one mail after the other, so that the limit
 * is exact for any number of processes. A mailbox of no member is counted alike.
 * @param kind_and_whose e.g. `sign-in:a@example.org`
 */
export async function countMail(
  tx: Queries,
  kind_and_whose: string,
  { mails, window_ms }: MailLimit,
  at: string,
): Promise<boolean> {
  const mailbox_sha256 = secretSha256(kind_and_whose);
  await holdMailbox(tx, mailbox_sha256, at);
  const since = new Date(Date.parse(at) - window_ms).toISOString();
  if ((await requestsSince(tx, mailbox_sha256, since)) >= mails) return false;
  await insertRequest(tx, mailbox_sha256, at);
  return true;
}

export function tooManyMails(wait: string): Refusal {
  return new Refusal('rate_limited', `This mailbox was written to too often. Wait ${wait}.`);
}
