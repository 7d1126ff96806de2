/** `./rcpt pack`: fetches the pack of a period, checks it, and gives it its name: whole or not at all. */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { safeForTerminal } from '@rcpt/proof/one-line.ts';
import { checkPack, type PackReport } from './check-pack.ts';
import { breakSince } from './earlier.ts';
import { fetchPack } from './fetch-pack.ts';
import { type Environment, type Options, readOptions } from './options.ts';
import { BrokenPack } from './read-pack.ts';

const HELP = `Usage: ./rcpt pack [--out FILE] [--force] [--url URL] [--from DAY] [--to DAY] [--pdfs | --no-pdfs] [--key KEY]… [--earlier FILE] [--json]

Fetches one zip of a period: the list of all receipts, each as stored with its proof, the signed checkpoints before and at its end, approvals,
disclosures, PDFs, what administrators did, the keys, an offline verifier, and a README for an auditor. Checks it here: every checksum, every
receipt's hash and its place in the signed tree, that none is left out between the checkpoints, and their signatures. The file appears under its name
only when it is whole. The ledger records that it was taken.

  --out FILE          the file to write (default: pack-FROM-TO.zip in the current folder); it must not be there yet
  --force             replace a file that is there
  --url URL           the ledger, e.g. https://receipts.example.org (default: RCPT_URL)
  --from DAY          the first day, in UTC, or an instant; without it, from the first receipt on
  --to DAY            the last day, or an instant before which; without it, until now
  --pdfs, --no-pdfs   with or without PDFs; otherwise with them in a period of up to 1,000 receipts
  --key KEY           verifier key of the log, as the organization told you; may be given again. Without it those in the pack count, which shows
                      that the pack agrees with itself, not whose it is
  --earlier FILE      an earlier pack of this ledger: what its checkpoints count must still be there, unchanged
  --api-key-file FILE holds the API key; without it, RCPT_KEY does. The role auditor is enough
  --json              the result as one JSON line on stdout
Exit codes: 0 fetched, and everything holds; 1 it could not be fetched, or something does not hold; 2 wrong use.
`;

/** Resolves with the exit code. */
export async function pack(args: string[], environment: Environment): Promise<0 | 1 | 2> {
  let options: Options | null;
  try {
    options = readOptions(args, environment);
    if (options !== null && !options.force && existsSync(options.out))
      throw new WrongUse(`--out: ${options.out} is there already, takes the name of a new file, or --force`);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    process.stderr.write(`rcpt pack: ${error.message}\nSee ./rcpt pack --help\n`);
    return 2;
  }
  if (options !== null) return take(options);
  process.stdout.write(HELP);
  return 0;
}

async function take(options: Options): Promise<0 | 1> {
  const { ledger, from, to, pdfs, out, keys, json } = options;
  const part = `${out}.part`;
  try {
    const bytes = await fetchPack(ledger, { from, to, pdfs }, part);
    const report = await checkPack(part, keys);
    const since = await sinceEarlier(options, report);
    if (since !== null) report.faults.unshift(since);
    // What does not hold is kept: it is the evidence.
    await rename(part, out);
    const ok = report.faults.length === 0 && report.problems === 0;
    if (json) process.stdout.write(`${JSON.stringify({ ok, file: out, bytes, ...plain(report) })}\n`);
    else process.stdout.write(safeForTerminal(inWords(options, report, bytes)));
    return ok ? 0 : 1;
  } catch (error) {
    if (error instanceof BrokenPack) await rm(part, { force: true });
    const { message, cause } = error as Error;
    const reason = error instanceof BrokenPack ? `what came is no whole zip: ${message}` : reasonOf(message, cause);
    process.stderr.write(safeForTerminal(`rcpt pack: ${ledger.base_url}: ${reason}. Nothing was written to ${out}\n`));
    if (json) process.stdout.write(`${JSON.stringify({ ok: false, reason })}\n`);
    return 1;
  }
}

async function sinceEarlier({ earlier, keys, ledger }: Options, report: PackReport): Promise<string | null> {
  if (earlier === undefined) return null;
  try {
    const before = await checkPack(earlier, keys);
    if (before.faults.length > 0) return `the earlier pack itself does not hold: ${before.faults[0]}`;
    return await breakSince(before, report, ledger);
  } catch (error) {
    return `that it continues ${earlier} was not shown: ${(error as Error).message}`;
  }
}

function inWords({ out, keys, earlier }: Options, report: PackReport, bytes: number): string {
  const { receipts, end, before, faults, problems } = report;
  const places = receipts === 0 ? '' : `, ${before?.size ?? 0} to ${(end?.size ?? receipts) - 1}`;
  const lines = [
    `${out}: ${receipts} ${receipts === 1 ? 'receipt' : 'receipts'}${places}; ${bytes} bytes, each checksum holds`,
  ];
  lines.push(...faults.map((fault) => `FAILS: ${fault}`));
  if (problems > 0)
    lines.push(
      `PROBLEMS.txt names ${problems} ${problems === 1 ? 'problem' : 'problems'} that the ledger itself found`,
    );
  if (faults.length === 0 && end !== null)
    lines.push(
      `every receipt stands at its place in the signed tree of ${end.origin}, and none is left out`,
      keys.length > 0
        ? 'the checkpoints are signed by the key that you gave'
        : 'the checkpoints are signed by the key in the pack: give --key, the one that you have from elsewhere',
    );
  if (faults.length === 0 && earlier !== undefined) lines.push(`it continues ${earlier}`);
  return `${lines.join('\n')}\n`;
}

function plain({ end, before, newest, ...report }: PackReport): object {
  return { ...report, before_size: before?.size ?? 0, end_size: end?.size ?? null, newest_size: newest?.size ?? null };
}

function reasonOf(message: string, cause: unknown): string {
  return cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
}
