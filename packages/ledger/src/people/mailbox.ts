/** How often a mailbox is written to, whoever asks: five mails of one kind in a quarter of an hour. */
import type { Queries } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { secretSha256 } from '@rcpt/service/identity.ts';
import { insertRequest, requestsSince } from '../store/people.ts';

const MAILS = 5;
const WINDOW_MS = 900_000;

/**
 * Counted in the database, so that the limit is one for all processes; two at one instant may pass it together. A mailbox
 * nobody knows is counted alike. Throws `rate_limited`.
 * @param kind_and_address e.g. `sign-in:a@example.org`
 */
export async function countMail(tx: Queries, kind_and_address: string, at: string): Promise<void> {
  const mailbox_sha256 = secretSha256(kind_and_address);
  const since = new Date(Date.parse(at) - WINDOW_MS).toISOString();
  if ((await requestsSince(tx, mailbox_sha256, since)) >= MAILS)
    throw new Refusal('rate_limited', 'This mailbox was written to too often. Wait a quarter of an hour.');
  await insertRequest(tx, mailbox_sha256, at);
}
