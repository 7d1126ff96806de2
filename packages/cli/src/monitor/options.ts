/** The command line of `./rcpt monitor`. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { stateFolder } from '@rcpt/proof/cli-memory.ts';

import { addressOf, apiKeyOf, keysOf } from '../ledger-access.ts';
import { MAIL_URL } from './mail.ts';
import type { Question } from './question.ts';

export type Environment = Record<string, string | undefined>;

/** Unless told otherwise. What administrators did may well be nothing for weeks. */
const STALE_HOURS = '48';

export interface Options extends Omit<Question, 'seen'> {
  /** True: the address is a share link, and no credential is used. */
  shared: boolean;
  /** Undefined: nothing is kept, and nothing compared with an earlier look. */
  file: string | undefined;
  /** Of that file where it was not named: made when it is missing. */
  folder: string | null;
  mail: { url: string; from: string; to: string[] } | null;
  json: boolean;
}

/** Null: the help was asked for. Throws `WrongUse`. */
export function readOptions(args: string[], environment: Environment): Options | null {
  const options = {
    key: { type: 'string', multiple: true },
    witness: { type: 'string', multiple: true },
    seen: { type: 'string' },
    'no-seen': { type: 'boolean' },
    holds: { type: 'string' },
    stale: { type: 'string' },
    'checkpoint-only': { type: 'boolean' },
    activity: { type: 'boolean' },
    mail: { type: 'string', multiple: true },
    'api-key-file': { type: 'string' },
    timeout: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments({ args, options, allowPositionals: true });
  const { timeout = '300', stale = values.activity ? '0' : STALE_HOURS, json = false } = values;
  if (values.help) return null;
  if (positionals.length > 1) throw new WrongUse(`takes one address, got ${positionals.length}`);
  if (!/^[1-9]\d{0,2}$/.test(timeout) || Number(timeout) > 300)
    throw new WrongUse(`--timeout: got ${JSON.stringify(timeout)}, takes a number of seconds from 1 to 300`);
  if (!/^(?:0|[1-9]\d{0,4})$/.test(stale))
    throw new WrongUse(
      `--stale: got ${JSON.stringify(stale)}, takes a number of hours from 1 to 99999, or 0 for never`,
    );
  if (values.seen !== undefined && values['no-seen']) throw new WrongUse('--seen and --no-seen: takes one of them');
  const base_url = addressOf(positionals[0] ?? environment.RCPT_URL);
  const shared = /\/share\/[\w-]+$/.test(base_url);
  if (shared && values.holds !== undefined)
    throw new WrongUse('--holds: takes the address of a ledger, not a share link');
  if (shared && values.activity) throw new WrongUse('--activity: takes the address of a ledger, not a share link');
  const token = shared ? undefined : apiKeyOf(values['api-key-file'], environment.RCPT_KEY);
  const root = values.activity ? '/activity' : '/ledger';
  const keys = keysOf('--key', values.key, 1);
  const mail = mailOf(values.mail, environment);
  const folder = values['no-seen'] || values.seen !== undefined ? null : folderIn(environment);
  const whose = keys.length > 0 ? keys[0]!.name : token;
  return {
    ledger: { base_url, ...(token === undefined ? {} : { token }) },
    shared,
    root,
    keys,
    witnesses: keysOf('--witness', values.witness, 4),
    holds: values.holds === undefined ? undefined : headOf(values.holds),
    stale_hours: stale === '0' ? null : Number(stale),
    receipts: !values['checkpoint-only'],
    timeout_ms: Number(timeout) * 1000,
    now: Date.now,
    file: folder === null ? values.seen : defaultFile(folder, base_url, [root, whose]),
    folder,
    mail,
    json,
  };
}

/** One for each log: of the `--key` where one is given, else of the address and the API key, which is of one organization. */
function defaultFile(folder: string, base_url: string, of: readonly (string | undefined)[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([base_url, ...of]))
    .digest('hex');
  const host = new URL(base_url).host.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, 100);
  return join(folder, `monitor-${host}.${hash.slice(0, 16)}.seen`);
}

function folderIn(environment: Environment): string {
  const folder = stateFolder(environment);
  if (folder !== null) return folder;
  throw new WrongUse('got no XDG_STATE_HOME and no HOME to keep what was seen in, takes --seen FILE, or --no-seen');
}

function mailOf(to: string[] | undefined, environment: Environment): Options['mail'] {
  if (to === undefined) return null;
  const { RCPT_SMTP_URL: url, RCPT_EMAIL_FROM: from = 'Receipt monitor <monitor@localhost>' } = environment;
  const wrong = to.find((one) => !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(one));
  if (wrong !== undefined) throw new WrongUse(`--mail: got ${JSON.stringify(wrong)}, takes an e-mail address`);
  if (url === undefined || !MAIL_URL.test(url))
    throw new WrongUse(
      `RCPT_SMTP_URL: got ${url ? '(not shown)' : 'nothing'}, takes smtp://…, smtps://… or file:<folder>, with --mail`,
    );
  return { url, from, to };
}

function headOf(text: string): { org_seq: number; receipt_sha256: string } {
  const [, seq, receipt_sha256] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (receipt_sha256 !== undefined) return { org_seq: Number(seq), receipt_sha256 };
  throw new WrongUse(`--holds: got ${JSON.stringify(text)}, takes SEQ:SHA256 (64 lower-case hex digits)`);
}
