/** Mails that were asked for lately, so that no mailbox is flooded. A row names its mailbox by SHA-256, known or not. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';

/** Locks the counting of this mailbox's requests until the transaction ends, by a row of its own that counts as no request. */
export async function holdMailbox(tx: Queries, mailbox_sha256: string, at: string): Promise<void> {
  await tx.run(
    `insert into mailbox_requests (id, mailbox_sha256, requested_at) values ($1, '', $2)
     on conflict (id) do update set requested_at = excluded.requested_at`,
    [mailbox_sha256, at],
  );
}

export async function requestsSince(tx: Queries, mailbox_sha256: string, since: string): Promise<number> {
  const row = await tx.get<{ requests: number }>(
    'select count(*) as requests from mailbox_requests where mailbox_sha256 = $1 and requested_at >= $2',
    [mailbox_sha256, since],
  );
  return Number(row?.requests ?? 0);
}

export async function insertRequest(tx: Queries, mailbox_sha256: string, at: string): Promise<void> {
  await tx.run('insert into mailbox_requests (id, mailbox_sha256, requested_at) values ($1, $2, $3)', [
    newId('request'),
    mailbox_sha256,
    at,
  ]);
}

/** Run now and then: no limit counts what is older than an hour. */
export async function forgetRequests(db: Queries, before: string): Promise<void> {
  await db.run('delete from mailbox_requests where requested_at < $1', [before]);
}
