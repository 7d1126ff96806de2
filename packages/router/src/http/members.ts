import {
  AccessGranted,
  AccessRequest,
  ANSWER_FOR,
  Dataset,
  DatasetQuery,
  ListedDataset,
  Member,
  MemberLogs,
  MemberQuery,
  MemberStatus,
  NewDataset,
  NewMember,
} from '@rcpt/contract/router/members.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { instant } from '../domain/time.ts';
import { activate, createDataset, createMember, grantAccess, showMember } from '../members.ts';
import type { Router } from '../router.ts';
import { memberLogBytes } from '../store/log-chunks.ts';
import { listDatasets, listMembers, loadDataset, loadMember } from '../store/members.ts';
import { createAndSend, IdempotencyHeader, OPEN_OR_BEARER } from './shell.ts';

const Id = z.object({ id: z.string() });

export function memberRoutes(app: App, router: Router): void {
  const config = { open_to: 'member' } as const;
  const common = { tags: ['members'], security: OPEN_OR_BEARER };

  app.post(
    '/members',
    {
      config,
      schema: {
        ...common,
        summary: 'Create a member',
        headers: IdempotencyHeader,
        body: NewMember,
        response: { 201: Member },
      },
    },
    (request, reply) => createAndSend(router, request, reply, (tx, batch) => createMember(tx, batch, request.body)),
  );

  app.get(
    '/members',
    {
      config,
      schema: {
        ...common,
        summary: 'Members, newest first; x-total-count says how many there are',
        querystring: MemberQuery,
        response: { 200: z.array(Member) },
      },
    },
    async (request, reply) => {
      const now = router.now();
      const { total, members } = await listMembers(router.db, request.query, instant(now));
      reply.header('x-total-count', String(total));
      return members.map((member) => showMember(member, now));
    },
  );

  app.get(
    '/members/:id',
    { config, schema: { ...common, summary: 'One member', params: Id, response: { 200: Member } } },
    async (request) => showMember(await loadMember(router.db, request.params.id), router.now()),
  );

  app.post(
    '/members/:id/activate',
    {
      config,
      schema: {
        ...common,
        summary: 'Activate for 365 days, 100.00 USD; active already: unchanged',
        params: Id,
        response: { 200: Member },
      },
    },
    (request) => router.writer.execute({ kind: 'store', run: (tx, batch) => activate(tx, batch, request.params.id) }),
  );

  app.get(
    '/members/:id/status',
    { config, schema: { ...common, summary: 'Is the member active?', params: Id, response: { 200: MemberStatus } } },
    async (request) => {
      const { id, status, annual_fee_paid, membership_expires_at } = showMember(
        await loadMember(router.db, request.params.id),
        router.now(),
      );
      return { member_id: id, status, active: status === 'active', annual_fee_paid, membership_expires_at };
    },
  );

  app.get(
    '/members/:id/logs',
    {
      config,
      schema: {
        ...common,
        summary: 'How much of logs the member has stored, and may have',
        params: Id,
        response: { 200: MemberLogs },
      },
    },
    async (request) => {
      const { id: member_id } = await loadMember(router.db, request.params.id);
      const { member_log_bytes: log_bytes_limit, job_log_bytes: job_log_bytes_limit } = router.config;
      return { member_id, log_bytes: await memberLogBytes(router.db, member_id), log_bytes_limit, job_log_bytes_limit };
    },
  );
}

export function datasetRoutes(app: App, router: Router): void {
  const config = { open_to: 'member' } as const;
  const common = { tags: ['datasets'], security: OPEN_OR_BEARER };
  /** The address of a dataset is shown only under the admin token: an open router cannot tell its callers apart. */
  const shown = ({ object_uri, ...dataset }: Dataset, { headers }: FastifyRequest): ListedDataset =>
    router.config.admin_token === undefined || headers[ANSWER_FOR] !== undefined ? dataset : { ...dataset, object_uri };

  app.post(
    '/datasets',
    {
      config,
      schema: {
        ...common,
        summary: 'Register a dataset',
        headers: IdempotencyHeader,
        body: NewDataset,
        response: { 201: Dataset },
      },
    },
    (request, reply) => createAndSend(router, request, reply, (tx, batch) => createDataset(tx, batch, request.body)),
  );

  app.get(
    '/datasets',
    {
      config,
      schema: {
        ...common,
        summary: 'Datasets; x-total-count says how many there are',
        querystring: DatasetQuery,
        response: { 200: z.array(ListedDataset) },
      },
    },
    async (request, reply) => {
      const { total, datasets } = await listDatasets(router.db, request.query);
      reply.header('x-total-count', String(total));
      return datasets.map((dataset) => shown(dataset, request));
    },
  );

  app.get(
    '/datasets/:id',
    { config, schema: { ...common, summary: 'One dataset', params: Id, response: { 200: ListedDataset } } },
    async (request) => shown(await loadDataset(router.db, request.params.id), request),
  );

  app.post(
    '/datasets/:id/access',
    {
      config,
      schema: {
        ...common,
        summary: 'Grant an active member access; 403 for an inactive one',
        description:
          'The answer says where the dataset is. A grant holds for the membership in which it was given: given again within it, it is answered unchanged; in a later one it is a new grant with a receipt of its own.',
        params: Id,
        body: AccessRequest,
        response: { 200: AccessGranted },
      },
    },
    (request) =>
      router.writer.execute({
        kind: 'store',
        run: (tx, batch) => grantAccess(tx, batch, request.params.id, request.body.member_id),
      }),
  );
}
