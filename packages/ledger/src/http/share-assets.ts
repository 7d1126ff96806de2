/** What the share page loads, and the offline verifier: sent compressed to those who take it. */
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { loadAssets } from '../share/page/assets.ts';
import { compressed, sendCompressed } from './compressed.ts';

export function shareAssets(app: App): void {
  const assets = new Map(
    Array.from(loadAssets(), ([path, { body, content_type, etag, policy }]) => [
      path,
      { policy, file: compressed(body, content_type, etag) },
    ]),
  );
  app.get('/assets/*', { config: { may: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const asset = assets.get(request.url.split('?')[0]!);
    if (asset === undefined) throw new Refusal('not_found', 'There is no such file.');
    reply.header('cache-control', 'no-cache').header('x-content-type-options', 'nosniff');
    if (asset.policy !== undefined) reply.header('content-security-policy', asset.policy);
    return sendCompressed(request, reply, asset.file);
  });
}
