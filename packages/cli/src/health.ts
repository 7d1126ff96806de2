/** `./rcpt health URL`: what a supervisor, a timer or a container engine asks every 30 seconds. Silent when all is well. */
import { readArguments, WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { safeForTerminal } from '@rcpt/proof/one-line.ts';

const HELP = `Usage: ./rcpt health URL

Asks a health endpoint once, for five seconds at most: http://127.0.0.1:8080/healthz of a ledger, http://127.0.0.1:8088/health of a
router. Prints nothing when it answers 200, and a line when not.
Exit codes: 0 healthy, 1 not, 2 wrong use.
`;

const TIMEOUT_MS = 5_000;
const SHOWN_CHARACTERS = 300;

/** Resolves with the exit code. */
export async function health(args: string[]): Promise<0 | 1 | 2> {
  let url: string | null;
  try {
    url = readUrl(args);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    process.stderr.write(`rcpt health: ${error.message}\n\n${HELP}`);
    return 2;
  }
  if (url === null) {
    process.stdout.write(HELP);
    return 0;
  }
  const fault = await ask(url);
  if (fault === null) return 0;
  process.stderr.write(
    safeForTerminal(`rcpt health: ${url}: ${fault.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS)}\n`),
  );
  return 1;
}

/** Null: healthy. */
async function ask(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
    const body = await answer.text();
    return answer.status === 200 ? null : `HTTP ${answer.status} ${body}`;
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: Error };
    return name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1000} s` : cause?.message || message;
  }
}

function readUrl(args: string[]): string | null {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = readArguments({ args, options, allowPositionals: true });
  if (values.help) return null;
  const [url, more] = positionals;
  if (more !== undefined) throw new WrongUse(`takes no ${JSON.stringify(more)}`);
  if (url === undefined) throw new WrongUse('got no URL, takes a health endpoint, e.g. http://127.0.0.1:8080/healthz');
  if (!URL.canParse(url) || !/^https?:\/\//.test(url))
    throw new WrongUse(`got ${JSON.stringify(url)}, takes an http:// or https:// address`);
  return url;
}
