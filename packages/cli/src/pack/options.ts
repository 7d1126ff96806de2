/** The command line of `./rcpt pack`. */
import type { ClientSettings } from '@rcpt/contract/client/call.ts';
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import type { VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { addressOf, apiKeyOf, keysOf } from '../ledger-access.ts';

export type Environment = Record<string, string | undefined>;

export interface Options {
  ledger: ClientSettings;
  from: string | undefined;
  to: string | undefined;
  /** Undefined: as the ledger decides. */
  pdfs: boolean | undefined;
  out: string;
  /** Whether a file of that name is replaced. */
  force: boolean;
  /** Empty: those in the pack. */
  keys: VerifierKey[];
  /** An earlier pack that this one has to continue. */
  earlier: string | undefined;
  json: boolean;
}

/** Null: the help was asked for. Throws `WrongUse`. */
export function readOptions(args: string[], environment: Environment): Options | null {
  const options = {
    url: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    out: { type: 'string' },
    force: { type: 'boolean' },
    pdfs: { type: 'boolean' },
    'no-pdfs': { type: 'boolean' },
    key: { type: 'string', multiple: true },
    earlier: { type: 'string' },
    'api-key-file': { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values } = readArguments({ args, options });
  const { from, to, out = nameOf(from, to), earlier, force = false, json = false } = values;
  if (values.help) return null;
  if (out === '') throw new WrongUse('--out: got nothing, takes the file to write');
  if (values.pdfs && values['no-pdfs']) throw new WrongUse('--pdfs and --no-pdfs: got both, takes one of them');
  for (const [name, day] of Object.entries({ from, to }))
    if (day !== undefined && !/^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(day))
      throw new WrongUse(`--${name}: got ${JSON.stringify(day)}, takes a day in UTC, e.g. 2026-12-31, or an instant`);
  return {
    ledger: {
      base_url: addressOf(values.url ?? environment.RCPT_URL),
      token: apiKeyOf(values['api-key-file'], environment.RCPT_KEY),
    },
    from,
    to,
    pdfs: values.pdfs ? true : values['no-pdfs'] ? false : undefined,
    out,
    force,
    keys: keysOf('--key', values.key, 1),
    earlier,
    json,
  };
}

/** `pack-2026-01-01-2026-12-31.zip`; a period without an end is named for today. No colon: some file systems take none. */
function nameOf(from = 'start', to = new Date().toISOString().slice(0, 10)): string {
  return `pack-${from}-${to}.zip`.replaceAll(':', '');
}
