/**
 * Better Auth, as a library behind our own routes: it makes and uses up sign-in links, opens, renews and reads sessions,
 * and signs their cookie. Loaded by the first call that asks for a link or brings one, of a member or a stranger; a ledger that only
 * programs use never loads it.
 */
import type { Db } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import type { Logger } from '@rcpt/service/process/log.ts';

export const LINK_SECONDS = 900;
const SESSION_SECONDS = 30 * 86_400;
const RENEWED_AFTER_SECONDS = 86_400;

export interface AuthSettings {
  db: Db;
  /** Signs the cookies; the same in every process. */
  secret: string;
  /** Cookies travel over https only. */
  secure: boolean;
  logger: Logger;
}

/** RFC 6265bis: no page of a neighbouring subdomain can put its own `__Host-` cookie before this one. */
export function cookieName(secure: boolean): string {
  return `${secure ? '__Host-' : ''}rcpt_session`;
}

const IDS: Record<string, string> = { user: 'user', session: 'session', verification: 'link' };

export async function openAuth({ db, secret, secure, logger }: AuthSettings) {
  const [{ betterAuth }, { magicLink }, { peopleAdapter }] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/plugins/magic-link'),
    import('./adapter.ts'),
  ]);
  return betterAuth({
    appName: 'Receipt ledger',
    // Its addresses are never used: it answers no request itself.
    baseURL: secure ? 'https://ledger.invalid' : 'http://ledger.invalid',
    // As a list, so that no BETTER_AUTH_SECRETS of the environment goes before it.
    secrets: [{ version: 1, value: secret }],
    database: peopleAdapter(db),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    // Its messages name the fault; what comes with them may hold an address or a token.
    logger: {
      level: 'warn',
      log: (level, message) => logger[level === 'error' ? 'error' : 'warn']({ about: 'sign-in' }, message),
    },
    user: {
      modelName: 'people',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'person_id',
        token: 'token_sha256',
        expiresAt: 'expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: SESSION_SECONDS,
      updateAge: RENEWED_AFTER_SECONDS,
    },
    verification: {
      modelName: 'sign_in_links',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    advanced: {
      // It would put `__Secure-` before the name.
      useSecureCookies: false,
      defaultCookieAttributes: { secure },
      cookies: { session_token: { name: cookieName(secure) } },
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => newId(IDS[model] ?? 'other'), validateSchema: false },
    },
    plugins: [
      magicLink({
        expiresIn: LINK_SECONDS,
        disableSignUp: true,
        generateToken: () => newSecret(),
        storeToken: { type: 'custom-hasher', hash: async (token) => secretSha256(token) },
        // The mail is ours to write; the token goes to whoever asked for the link.
        sendMagicLink: ({ token, metadata }) => {
          (metadata as { take(token: string): void }).take(token);
        },
      }),
    ],
  });
}
export type Auth = Awaited<ReturnType<typeof openAuth>>;

/** Whom the link would sign in; it stays unused. Null: nobody. */
export async function recipientOf(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context;
  const link = await internalAdapter.findVerificationValue(`magic-link:${secretSha256(token)}`);
  if (link === null || link.expiresAt < new Date()) return null;
  return (JSON.parse(link.value) as { email: string }).email;
}

/** A link that signs this person in, once. Its token stands in the fragment: no server is sent it, no scanner uses it up. */
export async function makeLink(auth: Auth, base_url: string, email: string): Promise<string> {
  let token = '';
  const take = (made: string) => {
    token = made;
  };
  await auth.api.signInMagicLink({ body: { email, metadata: { take } }, headers: new Headers() });
  return `${base_url}/sign-in#token=${token}`;
}
