/** A person's own passkeys, in the organization where their session works. */
import { CreationOptions, NewPasskey, Passkey, PasskeyChange, PasskeyList } from '@rcpt/contract/ledger/passkeys.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { askToEnrol, changePasskey, enrolPasskey, ownPasskeys, removePasskey } from '../passkeys/passkeys.ts';

const PasskeyParams = z.object({ id: z.string() });

export function passkeyRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['people'] };
  const config = { may: 'person' } as const;

  app.post(
    '/passkeys/options',
    {
      config,
      schema: {
        ...common,
        summary: 'What the browser is asked to make: `navigator.credentials.create`',
        description:
          'In WebAuthn’s JSON form. The challenge counts once, for five minutes, for this session. 409 `passkey_address`, with `open_at`, where the ledger’s address is one to which browsers give no passkeys.',
        response: { 200: CreationOptions },
      },
    },
    ({ person }) => askToEnrol(ledger, person!),
  );

  app.post(
    '/passkeys',
    {
      config,
      schema: {
        ...common,
        summary: 'Enrol the passkey that the browser made',
        description:
          'In WebAuthn’s JSON form, and a `name` of one’s own choice. The authenticator has to have verified the person. It signs approvals in this organization alone, whose activity records it.',
        body: NewPasskey,
        response: { 201: Passkey },
      },
    },
    async (request, reply) => {
      const passkey = await enrolPasskey(ledger, request.person!, request.body);
      return reply.code(201).header('location', `/passkeys/${passkey.id}`).send(passkey);
    },
  );

  app.get(
    '/passkeys',
    { config, schema: { ...common, summary: 'One’s own passkeys', response: { 200: PasskeyList } } },
    ({ person }) => ownPasskeys(ledger.db, person!),
  );

  app.patch(
    '/passkeys/:id',
    {
      config,
      schema: {
        ...common,
        summary: 'Rename a passkey',
        params: PasskeyParams,
        body: PasskeyChange,
        response: { 200: Passkey },
      },
    },
    ({ person, params, body }) => changePasskey(ledger, person!, params.id, body.name),
  );

  app.delete(
    '/passkeys/:id',
    {
      config,
      schema: {
        ...common,
        summary: 'Remove a passkey: it signs no more; what it signed stays signed',
        params: PasskeyParams,
        response: { 200: Passkey },
      },
    },
    ({ person, params }) => removePasskey(ledger, person!, params.id),
  );
}
