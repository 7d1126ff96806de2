import { Health } from '@rcpt/contract/ledger/receipts.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { Ledger } from '../ledger.ts';
import { VERSION } from '../version.ts';

export function healthRoutes(app: App, { probes }: Ledger): void {
  app.get(
    '/healthz',
    {
      config: { may: 'public' },
      schema: {
        tags: ['health'],
        summary: 'Database, storage and e-mail; 200 while the database answers',
        response: { 200: Health, 503: Health },
      },
    },
    async (_, reply) => {
      const [db, storage, email] = await Promise.all([probes.db.check(), probes.storage.check(), probes.email.check()]);
      return reply
        .code(db ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ ok: db && storage && email, db, storage, email, version: VERSION });
    },
  );
}
