/** The router's settings (docs/spec.md §25), read once in main.ts. */
import { ConfigError, describeSettings, readConfig, setting } from '@rcpt/service/process/config.ts';
import { z } from 'zod';

const RouterSettings = z.object({
  host: setting.host('ROUTER_HOST', '127.0.0.1'),
  port: setting.port('ROUTER_PORT', 8088),
  database_url: setting.database('ROUTER_DATABASE_URL', 'sqlite:data/router.db'),
  receipts_dir: z.string().default('data/receipts').meta({ env: 'ROUTER_RECEIPTS_DIR', takes: 'a folder' }),
  admin_token: setting.bearer('ROUTER_ADMIN_TOKEN'),
  enrollment_token: setting.bearer('ROUTER_ENROLLMENT_TOKEN'),
  metering: z
    .enum(['reported', 'measured'])
    .default('reported')
    .meta({ env: 'ROUTER_METERING', takes: 'reported or measured' }),
  prices_file: setting.prices(),
  lease_seconds: z
    .string()
    .regex(/^[1-9]\d{0,6}$/)
    .transform(Number)
    .default(600)
    .meta({ env: 'ROUTER_LEASE_SECONDS', takes: 'a number of seconds, 1 to 9999999' }),
  allow_open: z
    .enum(['yes', 'no'])
    .default('no')
    .meta({ env: 'ROUTER_ALLOW_OPEN', takes: 'yes to listen beyond loopback without ROUTER_ADMIN_TOKEN, else no' }),
  allowed_hosts: z
    .string()
    .regex(/^\s*[\w.-]+(\s*,\s*[\w.-]+)*\s*$/)
    .transform((names) =>
      names
        .toLowerCase()
        .split(',')
        .map((name) => name.trim().replace(/\.$/, '')),
    )
    .optional()
    .meta({
      env: 'ROUTER_ALLOWED_HOSTS',
      takes: 'host names, separated by commas, that open endpoints answer to beside addresses and names without a dot',
    }),
  ledger_url: setting.httpUrl('LEDGER_URL'),
  ledger_api_key: z
    .string()
    .regex(/^rk_[\x21-\x7e]+$/)
    .optional()
    .meta({ env: 'LEDGER_API_KEY', takes: 'an API key of the ledger (rk_…)', secret: true }),
  json_body_bytes: setting.count('ROUTER_JSON_BODY_BYTES', 1_048_576, 'a size in bytes'),
  job_log_bytes: setting.count('ROUTER_JOB_LOG_BYTES', 67_108_864, 'how many bytes of log and events a job may have'),
  member_log_bytes: setting.count(
    'ROUTER_MEMBER_LOG_BYTES',
    4_294_967_296,
    'how many bytes of log and events all jobs of a member may have',
  ),
  write_queue: setting.count('ROUTER_WRITE_QUEUE', 20_000, 'how many changes may wait'),
  overload_delay_ms: setting.count('ROUTER_OVERLOAD_DELAY_MS', 2_000, 'milliseconds of event-loop delay'),
  trust_proxy: setting.proxies('ROUTER_TRUST_PROXY'),
  log_level: setting.logLevel('ROUTER_LOG_LEVEL'),
});

export type Config = Readonly<z.infer<typeof RouterSettings>>;

export const ROUTER_HELP = `Usage: ./rcpt router

The compute router and its API, in the foreground. SIGTERM finishes what is in hand and exits 0. It is set by the environment:

${describeSettings(RouterSettings)}
Exit codes: 0 drained, 1 cannot work, 2 wrong use.
`;

/** Throws `ConfigError`, one line. */
export function readRouterConfig(environment: Record<string, string | undefined>): Config {
  const read = readConfig(RouterSettings, environment);
  const config = Object.freeze({ ...read, host: read.host.replace(/^\[(.*)\]$/, '$1') });
  if (!isLoopback(config.host) && config.admin_token === undefined && config.allow_open !== 'yes')
    throw new ConfigError(
      `ROUTER_ADMIN_TOKEN: got nothing, takes a secret when ROUTER_HOST is ${config.host}: its endpoints are open (or say ROUTER_ALLOW_OPEN=yes)`,
    );
  if ((config.ledger_url === undefined) !== (config.ledger_api_key === undefined)) {
    const missing = config.ledger_url === undefined ? 'LEDGER_URL' : 'LEDGER_API_KEY';
    throw new ConfigError(
      `${missing}: got nothing, takes its half of the bridge: LEDGER_URL and LEDGER_API_KEY go together`,
    );
  }
  return config;
}

/** What `POST /workers/register` asks for; null: it is open, as on loopback (docs/spec.md §18). */
export function enrollmentSecret({
  host,
  allow_open,
  admin_token,
  enrollment_token,
}: Pick<Config, 'host' | 'allow_open' | 'admin_token' | 'enrollment_token'>): { token: string; name: string } | null {
  if (enrollment_token !== undefined) return { token: enrollment_token, name: 'enrollment token' };
  if (isLoopback(host) || allow_open === 'yes' || admin_token === undefined) return null;
  return { token: admin_token, name: 'admin token (this router has no ROUTER_ENROLLMENT_TOKEN)' };
}

/** Host names allowed beside addresses and names without a dot. Null: any, for a machine that is reached from elsewhere has names that are not known here. */
export function ownNames({ host, allowed_hosts }: Pick<Config, 'host' | 'allowed_hosts'>): ReadonlySet<string> | null {
  if (allowed_hosts === undefined && !isLoopback(host)) return null;
  return new Set([host.toLowerCase(), ...(allowed_hosts ?? [])]);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
