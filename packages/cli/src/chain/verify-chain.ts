/** `./rcpt verify-chain`: what a schedule calls. It is silent when all is well, because cron mails what is printed. */
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { safeForTerminal } from '@rcpt/proof/one-line.ts';
import { ChainFault, checkChain, NotVerified, type Question } from './chain-check.ts';
import { readSeen, writeSeen } from './seen.ts';

const HELP = `Usage: ./rcpt verify-chain [--url URL] [--seen FILE] [--holds SEQ:SHA256] [--timeout SECONDS] [--json]

Asks a running ledger to verify an organization's chain, then fetches and hashes here every receipt since the one that was
seen last, the first time all of them. Prints nothing when all is well, and one paragraph when not: when the chain was
altered, rewritten or cut, and when it could not be verified at all.

  --url URL           the ledger, e.g. https://receipts.example.org (default: RCPT_URL)
  --seen FILE         where the head that was seen last is kept; without it nothing is compared with an earlier look
  --holds SEQ:SHA256  the chain must hold this receipt, e.g. the head that was noted with a backup
  --timeout SECONDS   how long each answer may take, 1 to 300 (default: 300)
  --json              the result as one JSON line on stdout, also when all is well
RCPT_KEY is an API key of the organization; the role auditor is enough.
Exit codes: 0 all is well, 1 something is wrong or it could not be verified, 2 wrong use.
`;

const WHAT_NEXT = 'docs/operations.md says what to do next, under "When verification fails".';

type Environment = Record<string, string | undefined>;
type Options = Omit<Question, 'seen'> & { file: string | undefined; json: boolean };

/** Resolves with the exit code. */
export async function verifyChain(args: string[], environment: Environment): Promise<0 | 1 | 2> {
  let options: Options | null;
  try {
    options = readOptions(args, environment);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    process.stderr.write(`rcpt verify-chain: ${error.message}\n\n${HELP}`);
    return 2;
  }
  if (options !== null) return verify(options);
  process.stdout.write(HELP);
  return 0;
}

async function verify({ file, json, ...question }: Options): Promise<0 | 1> {
  const { base_url } = question.ledger;
  try {
    const seen = await checkChain({ ...question, seen: file === undefined ? null : readSeen(file) });
    if (file !== undefined) writeSeen(file, seen, new Date().toISOString());
    if (json) process.stdout.write(`${JSON.stringify({ ok: true, ...seen, reason: null })}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ChainFault) && !(error instanceof NotVerified)) throw error;
    const said = safeForTerminal(error.message.replace(/\s+/g, ' '));
    const verdict = error instanceof ChainFault ? said : `the chain could not be verified: ${said}`;
    process.stderr.write(`rcpt verify-chain: ${base_url}: ${verdict}. ${WHAT_NEXT}\n`);
    if (json)
      process.stdout.write(`${JSON.stringify({ ok: false, verified: error instanceof ChainFault, reason: said })}\n`);
    return 1;
  }
}

/** Null: the help was asked for. Throws `WrongUse`. */
function readOptions(args: string[], environment: Environment): Options | null {
  const options = {
    url: { type: 'string' },
    seen: { type: 'string' },
    holds: { type: 'string' },
    timeout: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { url, seen, holds, timeout = '300', json = false, help } = readArguments({ args, options }).values;
  if (help) return null;
  if (!/^[1-9]\d{0,2}$/.test(timeout) || Number(timeout) > 300)
    throw new WrongUse(`--timeout: got ${JSON.stringify(timeout)}, takes a number of seconds from 1 to 300`);
  return {
    ledger: { base_url: addressOf(url ?? environment.RCPT_URL), token: keyOf(environment.RCPT_KEY) },
    holds: holds === undefined ? undefined : headOf(holds),
    timeout_ms: Number(timeout) * 1000,
    file: seen,
    json,
  };
}

function addressOf(url: string | undefined): string {
  if (!url) throw new WrongUse('got no --url and no RCPT_URL, takes the address of a ledger');
  if (/^https?:\/\/[^\s?#@\\]+$/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new WrongUse(`--url: got ${JSON.stringify(url)}, takes an http:// or https:// address`);
}

/** Never in the words: those every account on the machine can read. */
function keyOf(key: string | undefined): string {
  if (!key) throw new WrongUse('RCPT_KEY: got nothing, takes an API key of the organization (rk_…)');
  if (!/^rk_[\x21-\x7e]+$/.test(key)) throw new WrongUse('RCPT_KEY: got (not shown), takes an API key (rk_…)');
  return key;
}

function headOf(text: string): { org_seq: number; receipt_sha256: string } {
  const [, seq, receipt_sha256] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (receipt_sha256 !== undefined) return { org_seq: Number(seq), receipt_sha256 };
  throw new WrongUse(`--holds: got ${JSON.stringify(text)}, takes SEQ:SHA256 (64 lower-case hex digits)`);
}
