/** Who belongs to the organization; owners decide, signed in or by key. */
import { NewTeamMember, TeamMember, TeamMemberChange, TeamMemberList } from '@rcpt/contract/ledger/people.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { actorOf } from '../activity/actor.ts';
import type { Ledger } from '../ledger.ts';
import { announceInvitation, type Invited, inviteAgain, inviteMember } from '../people/invitations.ts';
import { changeMember, OPERATOR, removeMember } from '../people/members.ts';
import { listMembers } from '../store/people.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

const MemberParams = z.object({ id: z.string() });

export function memberRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['people'] };
  const config = { may: 'administer' } as const;

  app.get(
    '/members',
    {
      config: { ...config, in_turn: true },
      schema: { ...common, summary: 'The people of the organization', response: { 200: TeamMemberList } },
    },
    async (request) => ({ members: await listMembers(ledger.db, request.principal.organization_id) }),
  );

  app.post(
    '/members',
    {
      config,
      schema: {
        ...common,
        summary: 'Invite a person in a role',
        description:
          'They may sign in from now on, and are mailed where. The mail holds no secret; when it does not arrive, POST /members/{id}/invitation sends it again. While too many who were invited have not signed in yet this is 409 `invitation_limit`, and 429 `rate_limited` when too many were invited within an hour. A mailbox that was invited too often within the hour, by all organizations together, is added and not mailed.',
        headers: IdempotencyHeader,
        body: NewTeamMember,
        response: { 201: TeamMember },
      },
    },
    async (request, reply) => {
      const { principal, body } = request;
      const { organization_id } = principal;
      let invited: Invited | null = null;
      await createAndSend(ledger, request, reply, async (tx) => {
        invited = await inviteMember(tx, organization_id, actorOf(principal), body, inviterOf(request), ledger);
        return { body: invited.member, location: `/members/${invited.member.id}` };
      });
      // Null: a repeat under its Idempotency-Key, which invites no second time.
      if (invited !== null) await announceInvitation(ledger, organization_id, invited);
      return reply;
    },
  );

  app.post(
    '/members/:id/invitation',
    {
      config,
      schema: {
        ...common,
        summary: 'Mail the invitation again; a mailbox is sent five within an hour, or what the operator has set',
        params: MemberParams,
        response: { 200: TeamMember },
      },
    },
    ({ principal, params }) => inviteAgain(ledger, principal.organization_id, actorOf(principal), params.id),
  );

  app.patch(
    '/members/:id',
    {
      config,
      schema: {
        ...common,
        summary: 'Give a member another role; it counts everywhere within five seconds',
        params: MemberParams,
        body: TeamMemberChange,
        response: { 200: TeamMember },
      },
    },
    ({ principal, params, body }) =>
      changeMember(ledger, principal.organization_id, actorOf(principal), params.id, body.role),
  );

  app.delete(
    '/members/:id',
    {
      config,
      schema: {
        ...common,
        summary: 'Remove a member; their sessions are refused here everywhere within five seconds',
        params: MemberParams,
        response: { 200: TeamMember },
      },
    },
    ({ principal, params }) => removeMember(ledger, principal.organization_id, actorOf(principal), params.id),
  );
}

/** A person by their mailbox: owners and the invited person see it, and could not tell a chosen name from a borrowed one. */
function inviterOf({ person, principal }: FastifyRequest): string {
  if (person !== null) return person.email;
  return principal.name === OPERATOR ? principal.id : principal.name;
}
