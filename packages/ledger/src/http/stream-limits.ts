/**
 * Limits on open event streams: a number per credential and per organization, so that one leaves room for the others. A stream
 * ends when its credential is withdrawn.
 */
import { Refusal } from '@rcpt/service/error.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../ledger.ts';
import { worksIn } from '../store/sessions.ts';
import { findCredential } from '../store/tenancy.ts';

/** Windows of one browser share a session; more is a client that forgets to hang up. */
export const OF_ONE_CREDENTIAL = 20;
/** An organization can make itself any number of keys. */
export const OF_ONE_ORGANIZATION = 200;

export interface StreamLimits {
  /** Counts this answer as a stream until it is over. Throws `rate_limited`. */
  enter(request: FastifyRequest, reply: FastifyReply): void;
  /** Whether the credential still is what it was when it was presented. Throws `database_unavailable`. */
  mayStay(request: FastifyRequest): Promise<boolean>;
}

export function createStreamLimits(db: Ledger['db']): StreamLimits {
  const present = new Map<string, number>();

  function count(who: string, change: 1 | -1): void {
    const now = (present.get(who) ?? 0) + change;
    if (now === 0) present.delete(who);
    else present.set(who, now);
  }

  return {
    enter({ person, principal }, reply) {
      const credential = person?.session_id ?? principal.id;
      const { organization_id } = principal;
      if ((present.get(credential) ?? 0) >= OF_ONE_CREDENTIAL)
        throw new Refusal('rate_limited', `This credential has ${OF_ONE_CREDENTIAL} event streams open already.`);
      if ((present.get(organization_id) ?? 0) >= OF_ONE_ORGANIZATION)
        throw new Refusal('rate_limited', `This organization has ${OF_ONE_ORGANIZATION} event streams open already.`);
      for (const who of [credential, organization_id]) count(who, 1);
      whenOver(reply, () => {
        for (const who of [credential, organization_id]) count(who, -1);
      });
    },

    async mayStay({ person, principal, credential }) {
      const { organization_id } = principal;
      if (person === null) return (await findCredential(db, organization_id, secretSha256(credential))) !== null;
      return worksIn(db, person.session_id, organization_id, new Date().toISOString());
    },
  };
}

/** Calls `act` when the answer has left or its caller has gone; at once, when the caller has gone already. */
export function whenOver({ raw }: FastifyReply, act: () => void): void {
  if (raw.destroyed) act();
  else raw.once('close', act);
}
