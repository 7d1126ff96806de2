/** The pack of a period, for an auditor (docs/spec.md §39). */
import { Readable } from 'node:stream';
import { PackQuery } from '@rcpt/contract/ledger/pack.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import type { Ledger } from '../ledger.ts';
import { createPacks } from '../pack/pack.ts';

const ZIP = 'application/zip';

export function packRoutes(app: App, ledger: Ledger): void {
  const packs = createPacks(ledger);

  app.get(
    '/ledger/pack',
    {
      config: { may: 'audit' },
      schema: {
        tags: ['ledger'],
        security: [{ bearer: [] }],
        summary: 'All that an auditor needs of a period, in one zip',
        description:
          'The list of all receipts, the signed checkpoints before and at the end of the period and the proof between them, every receipt as stored with its proof, approvals, disclosures, PDFs, the administrators’ chain, the keys, the offline verifier, and a README. Days end with their last millisecond, in UTC. `pdfs` is `true` for periods of up to 1,000 receipts unless you say otherwise. What was altered or is missing stands in `PROBLEMS.txt`. Streamed, without a length: a zip that is cut off does not open. 429 `rate_limited` while another pack of this organization is taken. Recorded in the activity chain.',
        querystring: PackQuery,
        response: { 200: binary('The zip', ZIP) },
      },
    },
    async ({ principal, query, method }, reply) => {
      // Nothing is made of an answer to HEAD, and nothing recorded.
      if (method === 'HEAD') return reply.type(ZIP).send(Readable.from([]) as never);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { name, zip } = await packs.take(principal, query, gone.signal);
      return reply
        .header('content-disposition', `attachment; filename="${name}"`)
        .type(ZIP)
        .send(zip as never);
    },
  );
}
