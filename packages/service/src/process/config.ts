/** Environment → frozen Config. What is wrong is said in one line that names the variable, what it got and what it takes. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { DATABASE_URL } from '../db/open.ts';

export class ConfigError extends Error {}

/**
 * A member `port` of the schema's shape with `.meta({ env: 'LEDGER_PORT', takes: 'a port, 0 to 65535', secret?: true })`
 * is read from that variable. An empty variable counts as unset.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Record<string, string | undefined>,
): Readonly<z.infer<z.ZodObject<Shape>>> {
  const raw: Record<string, string> = {};
  for (const [member, type] of Object.entries(schema.shape)) {
    const value = environment[settingOf(type as z.ZodType).env];
    if (value !== undefined && value !== '') raw[member] = value;
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return Object.freeze(parsed.data);
  const member = String(parsed.error.issues[0]?.path[0]);
  const { env, takes, secret } = settingOf(schema.shape[member] as z.ZodType);
  const got = raw[member] === undefined ? 'nothing' : secret ? '(not shown)' : JSON.stringify(raw[member]);
  throw new ConfigError(`${env}: got ${got}, takes ${takes}`);
}

/** One line per setting, for a component's --help: the variable, what it takes, and what holds without it. */
export function describeSettings(schema: z.ZodObject): string {
  const lines = Object.values(schema.shape).map((type) => {
    const { env, takes } = settingOf(type as z.ZodType);
    return [env, type instanceof z.ZodDefault ? `${takes} (default: ${type.def.defaultValue})` : takes] as const;
  });
  const width = Math.max(...lines.map(([env]) => env.length));
  return lines.map(([env, said]) => `  ${env.padEnd(width)}  ${said}\n`).join('');
}

interface Setting {
  env: string;
  takes: string;
  secret?: boolean;
}

function settingOf(type: z.ZodType): Setting {
  const setting = type.meta() as unknown as Setting | undefined;
  if (setting?.env === undefined) throw new Error('a member of a configuration schema lacks its .meta({ env, takes })');
  return setting;
}

/** Building blocks, each with the words for its one-line refusal. */
export const setting = {
  host: (env: string, fallback: string) =>
    z
      .string()
      .regex(/^[\w.:[\]-]+$/)
      .default(fallback)
      .meta({ env, takes: 'a host name or an IP address' }),
  port: (env: string, fallback: number) =>
    z
      .string()
      .regex(/^\d{1,5}$/)
      .transform(Number)
      .refine((port) => port <= 65_535)
      .default(fallback)
      .meta({ env, takes: 'a port, 0 to 65535 (0 picks a free one)' }),
  count: (env: string, fallback: number, takes: string) =>
    z
      .string()
      .regex(/^[1-9]\d{0,11}$/)
      .transform(Number)
      .default(fallback)
      .meta({ env, takes }),
  database: (env: string, fallback: string) =>
    z
      .string()
      .regex(DATABASE_URL)
      .default(fallback)
      .meta({ env, takes: 'sqlite:<path> or postgres://user:password@host:port/database', secret: true }),
  httpUrl: (env: string) =>
    z
      .string()
      .refine((url) => URL.canParse(url) && /^https?:\/\//.test(url))
      .transform((url) => url.replace(/\/+$/, ''))
      .optional()
      .meta({ env, takes: 'an http:// or https:// address' }),
  /** What a bearer can be: visible ASCII. */
  bearer: (env: string, takes = 'a secret') =>
    z
      .string()
      .regex(/^[\x21-\x7e]{16,}$/)
      .optional()
      .meta({ env, takes: `${takes} of at least 16 characters, of letters, digits and signs`, secret: true }),
  proxies: (env: string) =>
    z
      .string()
      .refine((list) => list.split(',').every(isNetwork))
      .optional()
      .meta({ env, takes: 'addresses or networks of reverse proxies, separated by commas' }),
  logLevel: (env: string) =>
    z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .meta({ env, takes: 'debug, info, warn, error or silent' }),
  /** The name alone: the file is read as the service starts (prices.ts). */
  prices: () =>
    z.string().optional().meta({
      env: 'PRICES_FILE',
      takes:
        'a JSON file of hourly rates that adds to the price table or replaces rows; the same for ledger and router',
    }),
  matching: (env: string, pattern: RegExp, fallback: string, takes: string) =>
    z.string().regex(pattern).default(fallback).meta({ env, takes, secret: true }),
};

/** An address, or a network such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...more] = text.trim().split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return isIP(bits) === version || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
