/** What hangs on a public link beside the receipt itself: for programs, under the link's own rules. */
import { Problem } from '@rcpt/contract/problem.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { FastifyReply } from 'fastify';
import type { Ledger } from '../ledger.ts';
import { refuse } from '../problems.ts';
import { findShared, type Shared } from '../store/shares.ts';

/** 22 random characters; since they sort by time, 9 before them. */
export const SHARE_TOKEN = /^(?:[0-9a-z]{9})?[\w-]{22}$/;

const ABSENT = { 'application/problem+json': { schema: Problem } };
export const SHARED_GONE = {
  404: { description: 'No receipt is shared under this link', content: ABSENT },
  410: { description: 'The organization has switched this link off', content: ABSENT },
};

/** Throws `not_found`, `share_revoked`. */
export async function openShared({ db }: Pick<Ledger, 'db'>, token: string, reply: FastifyReply): Promise<Shared> {
  reply.header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex');
  const found = SHARE_TOKEN.test(token) ? await findShared(db, token) : null;
  if (!found?.enabled) {
    reply.header('cache-control', 'no-store');
    throw absent(found);
  }
  reply.header('cache-control', 'no-cache').header('x-content-type-options', 'nosniff');
  return found;
}

export function absent(found: Shared | null): Refusal {
  return found === null
    ? new Refusal('not_found', 'No receipt is shared under this link.')
    : refuse('share_revoked', 'The organization has switched this link off. Ask the person who sent it to you.');
}
