/** Who belongs to the organization; owners decide, signed in or by key. */
import { NewTeamMember, TeamMember, TeamMemberChange, TeamMemberList } from '@rcpt/contract/ledger/people.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { inviteAgain, inviteMember } from '../people/invitations.ts';
import { changeMember, OPERATOR, removeMember } from '../people/members.ts';
import { listMembers, loadMember } from '../store/people.ts';
import { loadOrganization } from '../store/tenancy.ts';
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
          'They may sign in from now on, and are mailed where. The mail holds no secret; when it does not arrive, POST /members/{id}/invitation sends it again. While too many who were invited have not signed in yet this is 409 `invitation_limit`, and 429 `rate_limited` when too many were invited within an hour. A mailbox that was invited too often within the hour, by whomever, is added and not mailed.',
        headers: IdempotencyHeader,
        body: NewTeamMember,
        response: { 201: TeamMember },
      },
    },
    async (request, reply) => {
      let to_mail: TeamMember | null = null;
      await createAndSend(ledger, request, reply, async (tx) => {
        const { organization_id } = request.principal;
        const by = inviterOf(request);
        const invited = await inviteMember(tx, organization_id, request.body, by, ledger.config, ledger.now());
        to_mail = invited.is_mailed ? invited.member : null;
        return { body: invited.member, location: `/members/${invited.member.id}` };
      });
      // Whoever was refused for belonging nowhere does so no longer.
      await ledger.credentials.forget();
      // A repeat under its Idempotency-Key adds nobody and mails nobody. What cannot be mailed can be sent again.
      if (to_mail !== null) await mail(request, to_mail).catch(() => undefined);
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
    async (request) => {
      const { organization_id } = request.principal;
      const member = await loadMember(ledger.db, organization_id, request.params.id);
      await ledger.db.transaction((tx) => inviteAgain(tx, organization_id, member, ledger.config, ledger.now()));
      await mail(request, member);
      return member;
    },
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
    async (request) => {
      const { organization_id } = request.principal;
      const { id } = request.params;
      const changed = await ledger.db.transaction((tx) => changeMember(tx, organization_id, id, request.body.role));
      await ledger.credentials.forget();
      return changed;
    },
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
    async (request) => {
      const { organization_id } = request.principal;
      const removed = await ledger.db.transaction((tx) => removeMember(tx, organization_id, request.params.id));
      await ledger.credentials.forget();
      return removed;
    },
  );

  async function mail({ principal }: FastifyRequest, { email, invited_by, invited_at }: TeamMember): Promise<void> {
    const organization = await loadOrganization(ledger.db, principal.organization_id);
    ledger.people.invite({ to: email, organization, invited_by, invited_at });
  }
}

/** By mailbox: it is shown to owners and to whoever is invited, who could not tell a chosen name from a borrowed one. */
function inviterOf({ person, principal }: FastifyRequest): string {
  if (person !== null) return person.email;
  return principal.name === OPERATOR ? principal.id : principal.name;
}
