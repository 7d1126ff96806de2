import { existsSync } from 'node:fs';
import { RouterHealth } from '@rcpt/contract/router/admin.ts';
import { RouterReceiptPage, RouterReceiptQuery, RouterVerification } from '@rcpt/contract/router/receipts.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { instant } from '../domain/time.ts';
import { readReceipts } from '../receipts/read.ts';
import { verifyReceipts } from '../receipts/verify.ts';
import type { Router } from '../router.ts';
import { VERSION } from '../version.ts';
import { OPEN_OR_BEARER } from './shell.ts';

/** Verifications at a time: each reads every file. */
let verifying = 0;
const AT_ONCE = 2;

export function receiptRoutes(app: App, router: Router): void {
  const config = { open_to: 'member' } as const;
  const common = { tags: ['receipts'], security: OPEN_OR_BEARER };

  app.get(
    '/receipts',
    {
      config,
      schema: {
        ...common,
        summary: 'The receipts of one UTC date, as they stand in the file',
        description:
          'From the receipts folder of the process that answers: where several routers share a database, each writes a folder of its own.',
        querystring: RouterReceiptQuery,
        response: { 200: RouterReceiptPage },
      },
    },
    async (request, reply) => {
      const { date = instant(router.now()).slice(0, 10), ...query } = request.query;
      const file = router.folder.fileOf(date);
      const lines = existsSync(file) ? await readReceipts(file, query) : [];
      reply.type('application/json; charset=utf-8');
      return reply.send(`{"date":"${date}","receipts":[${lines.join(',')}]}` as never);
    },
  );

  app.get(
    '/receipts/verify',
    {
      config,
      schema: {
        ...common,
        summary: 'Verify all receipts against themselves and the database',
        response: { 200: RouterVerification },
      },
    },
    async () => {
      if (verifying >= AT_ONCE)
        throw new Refusal('overloaded', 'The receipts are being verified already. Try again shortly.');
      verifying++;
      try {
        await router.writer.markAppended();
        return await verifyReceipts(router.db, router.folder);
      } finally {
        verifying--;
      }
    },
  );
}

export function healthRoutes(app: App, router: Router): void {
  app.get(
    '/health',
    {
      config: { open_to: 'all' },
      schema: {
        tags: ['health'],
        summary: 'Is the router healthy?',
        response: { 200: RouterHealth, 503: RouterHealth },
      },
    },
    async (_, reply) => {
      const ok = await router.probe.check();
      return reply
        .code(ok ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({
          status: ok ? 'ok' : 'unavailable',
          service: 'compute-router',
          version: VERSION,
          db_status: ok ? 'ok' : 'unavailable',
          timestamp: instant(router.now()),
        });
    },
  );
}
