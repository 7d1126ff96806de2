/** The log over the receipts: checkpoints, consistency proofs, tiles, keys (docs/spec.md §34). */
import { toBase64 } from '@rcpt/proof/log/bytes.ts';
import { parseTilePath } from '@rcpt/proof/log/tiles.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import type { LogName } from '../store/logs.ts';

const TEXT = 'text/plain; charset=utf-8';

const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });
const Size = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** @param root where its calls stand, `/ledger` or `/activity` */
export function logRoutes(
  app: App,
  { logs }: Pick<Ledger, 'logs'>,
  root: string,
  log: LogName,
  may: 'read' | 'audit',
): void {
  const config = { may: may as 'read', in_turn: true } as const;
  const common = { tags: [root.slice(1)], security: [{ bearer: [] }] };

  app.get(
    `${root}/checkpoint`,
    {
      config,
      schema: {
        ...common,
        summary: 'The signed checkpoint of all entries that there are',
        description:
          'A signed note (C2SP tlog-checkpoint). Of an empty log its size is 0; 409 `log_inconsistent` where what is stored does not continue what was signed.',
        response: { 200: text('Origin, size, root hash, signatures') },
      },
    },
    async ({ principal }, reply) => {
      const { checkpoint } = await logs.checkpoint(principal.organization_id, log);
      return reply.type(TEXT).send(checkpoint);
    },
  );

  app.get(
    `${root}/consistency`,
    {
      config,
      schema: {
        ...common,
        summary: 'That the tree of `to` entries begins with the tree of `from`',
        description:
          'RFC 6962 hashes in base64, one per line; none where both are the same. 404 `not_found` for more entries than are signed.',
        querystring: z.object({ from: Size, to: Size }),
        response: { 200: text('The hashes') },
      },
    },
    async ({ principal, query: { from, to } }, reply) => {
      if (from > to) throw new Refusal('invalid', `from: got ${from}, takes a size up to that of to, ${to}.`);
      const hashes = await logs.consistency(principal.organization_id, log, from, to);
      return reply.type(TEXT).send(hashes.map((hash) => `${toBase64(hash)}\n`).join(''));
    },
  );

  app.get(
    `${root}/tile/*`,
    {
      config,
      schema: {
        ...common,
        summary: 'A tile of hashes, or a bundle of entries',
        description:
          'C2SP tlog-tiles: `tile/<level>/<number>[.p/<width>]`, `tile/entries/<number>[.p/<width>]`. 409 `entry_too_large` for a bundle with an entry of more than 65,535 bytes: its length does not fit the format.',
        params: z.object({ '*': z.string() }),
        response: { 200: binary('The tile', 'application/octet-stream') },
      },
    },
    async ({ principal, params }, reply) => {
      const tile = parseTilePath(params['*']);
      if (tile === null) throw new Refusal('not_found', 'This is no path of a tile: tile/0/x001/067 is one.');
      const bytes = await logs.tile(principal.organization_id, log, tile);
      return reply
        .type('application/octet-stream')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .send(bytes as never);
    },
  );

  app.get(
    `${root}/key`,
    {
      config,
      schema: {
        ...common,
        summary: 'The keys that sign, the newest first',
        description: 'Verifier keys (C2SP signed-note), one per line. Keep them where the operator cannot change them.',
        response: { 200: text('The keys') },
      },
    },
    async ({ principal }, reply) => {
      const keys = await logs.verifierKeys(principal.organization_id, log);
      return reply.type(TEXT).send(keys.map((key) => `${key}\n`).join(''));
    },
  );
}
