import { AgentProfileList, NewAgentProfile, StoredAgentProfile } from '@rcpt/contract/ledger/tenancy.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { Ledger } from '../ledger.ts';
import { describeAgent } from '../runs/agent-profile.ts';
import { listAgentProfiles } from '../store/tenancy.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

export function agentProfileRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['organizations'], security: [{ bearer: [] }] };

  app.post(
    '/agent-profiles',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Describe an agent once, to be named by its Runs',
        headers: IdempotencyHeader,
        body: NewAgentProfile,
        response: { 201: StoredAgentProfile },
      },
    },
    (request, reply) =>
      createAndSend(ledger, request, reply, async (tx) => ({
        body: await describeAgent(tx, request.principal, request.body, ledger.now()),
        location: '/agent-profiles',
      })),
  );

  app.get(
    '/agent-profiles',
    {
      config: { may: 'read', in_turn: true },
      schema: { ...common, summary: 'All agent profiles', response: { 200: AgentProfileList } },
    },
    async (request) => ({ agent_profiles: await listAgentProfiles(ledger.db, request.principal.organization_id) }),
  );
}
