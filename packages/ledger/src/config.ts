/** The ledger's settings (docs/spec.md §25), read once in main.ts. */
import { isUnspecified } from '@rcpt/contract/address.ts';
import { ConfigError, describeSettings, readConfig, setting } from '@rcpt/service/process/config.ts';
import { STORAGE_URL } from '@rcpt/storage/open.ts';
import { z } from 'zod';
import { MAIL_FROM, MAIL_URL } from './mail/mail.ts';

/** A path, or an address that can be one, its port included. A database in memory would be another for each connection. */
const isPlace = (url: string) => url !== 'sqlite::memory:' && (/^(file|sqlite):/.test(url) || URL.canParse(url));

const BASE_URL_TAKES =
  'an http:// or https:// address that people can open, not 0.0.0.0 or ::, without credentials, query and fragment';

const LedgerSettings = z.object({
  host: setting.host('LEDGER_HOST', '127.0.0.1'),
  port: setting.port('LEDGER_PORT', 8080),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s?#@\\]+$/)
    .refine((url) => URL.canParse(url) && !isUnspecified(new URL(url).hostname))
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .meta({ env: 'LEDGER_BASE_URL', takes: BASE_URL_TAKES }),
  database_url: setting.database('LEDGER_DATABASE_URL', 'sqlite:data/ledger.db').refine(isPlace),
  storage_url: setting.matching(
    'LEDGER_STORAGE_URL',
    STORAGE_URL,
    'file:data/objects',
    'file:<folder> or s3://bucket/prefix?endpoint=…&region=…',
  ),
  smtp_url: setting
    .matching('LEDGER_SMTP_URL', MAIL_URL, 'file:data/outbox', 'file:<folder>, smtp://host:port or smtps://host:port')
    .refine(isPlace),
  email_from: z
    .string()
    .regex(MAIL_FROM)
    .default('Receipt Ledger <receipts@localhost>')
    .meta({ env: 'LEDGER_EMAIL_FROM', takes: 'an e-mail address' }),
  prices_file: setting.prices(),
  admin_token: setting.bearer('LEDGER_ADMIN_TOKEN'),
  router_token: setting.bearer('LEDGER_ROUTER_TOKEN', 'the admin token of the routers, a secret'),
  master_key: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/)
    .optional()
    .meta({ env: 'LEDGER_MASTER_KEY', takes: '32 bytes in base64 (openssl rand -base64 32)', secret: true }),
  master_key_file: z.string().optional().meta({
    env: 'LEDGER_MASTER_KEY_FILE',
    takes:
      'a file that holds the master key; made where there is none (default: master.key beside the SQLite file, else data/master.key)',
  }),
  tsa_url: z
    .string()
    .refine((url) => URL.canParse(url) && /^https?:\/\//.test(url) && new URL(url).username === '')
    .optional()
    .meta({ env: 'LEDGER_TSA_URL', takes: 'the http:// or https:// address of a time-stamp authority (RFC 3161)' }),
  tsa_interval_seconds: setting.count(
    'LEDGER_TSA_INTERVAL_SECONDS',
    3_600,
    'how many seconds pass between two time stamps of one log',
  ),
  json_body_bytes: setting.count('LEDGER_JSON_BODY_BYTES', 1_048_576, 'a size in bytes'),
  evidence_bytes: setting.count('LEDGER_EVIDENCE_BYTES', 26_214_400, 'a size in bytes'),
  organization_storage_bytes: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .default(10_737_418_240)
    .meta({
      env: 'LEDGER_ORGANIZATION_STORAGE_BYTES',
      takes:
        'how many bytes an organization may store (evidence, what Runs are sent, flight sheets), 0 for without end',
    }),
  share_requests_per_minute: setting.count(
    'LEDGER_SHARE_REQUESTS_PER_MINUTE',
    600,
    'a number of requests per minute and address',
  ),
  sign_in_requests_per_minute: setting.count(
    'LEDGER_SIGN_IN_REQUESTS_PER_MINUTE',
    60,
    'a number of requests per minute and address',
  ),
  open_invitations: setting.count(
    'LEDGER_OPEN_INVITATIONS',
    200,
    'how many people of an organization may be invited and not have signed in yet',
  ),
  organization_invitations_per_hour: setting.count(
    'LEDGER_ORGANIZATION_INVITATIONS_PER_HOUR',
    200,
    'a number of invitations per hour and organization',
  ),
  mailbox_invitations_per_hour: setting.count(
    'LEDGER_MAILBOX_INVITATIONS_PER_HOUR',
    5,
    'a number of invitation mails per hour and mailbox, of all organizations',
  ),
  organization_receipt_mails_per_hour: setting.count(
    'LEDGER_ORGANIZATION_RECEIPT_MAILS_PER_HOUR',
    100,
    'a number of receipt mails per hour and organization',
  ),
  mailbox_receipt_mails_per_hour: setting.count(
    'LEDGER_MAILBOX_RECEIPT_MAILS_PER_HOUR',
    30,
    'a number of receipt mails per hour and mailbox, of all organizations; one may send half of them',
  ),
  mint_queue: setting.count('LEDGER_MINT_QUEUE', 10_000, 'how many mints may wait'),
  overload_delay_ms: setting.count('LEDGER_OVERLOAD_DELAY_MS', 2_000, 'milliseconds of event-loop delay'),
  witness_private_addresses: z.enum(['yes', 'no']).optional().meta({
    env: 'LEDGER_WITNESS_PRIVATE_ADDRESSES',
    takes:
      'yes or no: whether witnesses are called at addresses that are not public (default: yes for a ledger that only this machine reaches, else no)',
  }),
  trust_proxy: setting.proxies('LEDGER_TRUST_PROXY'),
  log_level: setting.logLevel('LEDGER_LOG_LEVEL'),
});

export type Config = Readonly<z.infer<typeof LedgerSettings>>;

export const LEDGER_HELP = `Usage: ./rcpt ledger

The receipt ledger, its API and its console, in the foreground. SIGTERM finishes what is in hand and exits 0. It is set by the environment:

${describeSettings(LedgerSettings)}
Exit codes: 0 drained, 1 cannot work, 2 wrong use.
`;

/** For what listens nowhere: the commands beside the ledger. Throws `ConfigError`, one line. */
export function readLedgerSettings(environment: Record<string, string | undefined>): Config {
  return readConfig(LedgerSettings, environment);
}

/** Throws `ConfigError`, one line: also where sealed links would start with an address that cannot be opened. */
export function readLedgerConfig(environment: Record<string, string | undefined>): Config {
  const config = readLedgerSettings(environment);
  if (isUnspecified(config.host)) requireBaseUrl(config);
  return config;
}

/** `share_url` is sealed into every receipt, for good. Throws `ConfigError`. */
export function requireBaseUrl({ base_url, host }: Pick<Config, 'base_url' | 'host'>): void {
  if (base_url !== undefined) return;
  throw new ConfigError(`LEDGER_BASE_URL: got nothing, takes ${BASE_URL_TAKES}, when LEDGER_HOST is ${host}`);
}

/**
 * A ledger that others reach would call, for an owner, what stands beside it. One on loopback behind a proxy is reached by others, too: its
 * public address says so.
 */
export function mayCallPrivate({ witness_private_addresses: set, host, base_url, trust_proxy }: Config): boolean {
  if (set !== undefined) return set === 'yes';
  if (trust_proxy !== undefined || (base_url !== undefined && !isLoopback(new URL(base_url).hostname))) return false;
  return isLoopback(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
