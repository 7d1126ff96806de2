#!/usr/bin/env node
/** The offline verifier: `verify PATH…`. Of this package, only it and what is named cli-… touch files. */
import type { JsonObject } from './canonical.ts';
import { readArguments, WrongUse } from './cli-arguments.ts';
import { answerAll, answerInWords, askedFiles, type FileAnswer } from './cli-compare.ts';
import { type Output, Progress } from './cli-progress.ts';
import { reasonOf, type Source, sourcesAt } from './cli-sources.ts';
import { ProofError } from './error.ts';
import { type ExpectedHead, FileJudge, type FileReport } from './judge.ts';
import { LineSplitter } from './lines.ts';
import { safeForTerminal } from './one-line.ts';
import { counted, fileInWords, type Scope, scopeInWords, scopeOf, skippedInWords } from './words.ts';

export const USAGE = `Usage: ./rcpt verify [--json] [--head [SEQ:]SHA256] PATH…
       ./rcpt verify [--json] [--output FILE] [--evidence FILE]… RECEIPT

Verifies receipts offline. PATH is a receipt, a ledger export (one receipt per line), a router receipts file,
a folder with any of those in it (other files are skipped and counted), or - for standard input.

  --head [SEQ:]SHA256  the chain must end at this receipt
  --output FILE        FILE must be what this one receipt seals: its output, submission, dataset package or model card
  --evidence FILE      FILE must be a piece of this one receipt's evidence; may be given more than once
  --json               the report as JSON on standard output

A file is compared by the SHA-256 of its bytes; where an output was JSON, also by that of its canonical form (RFC 8785),
up to 64 MiB.

Exit codes: 0 all is well, 1 a check failed or there was nothing to verify, 2 wrong use.
`;

export interface VerifyOptions {
  json?: boolean;
  /** `<sha256>` or `<seq>:<sha256>`. */
  head?: string;
  /** Files that must be what the one receipt at the one path seals. */
  output?: string[];
  evidence?: string[];
  stdout: Output;
  stderr: Output;
}

/** Verifies every path and says what was found; the exit code: 0 all is well, 1 a check failed, 2 wrong use. */
export async function verifyPaths(paths: string[], options: VerifyOptions): Promise<0 | 1 | 2> {
  const { stdout, stderr } = options;
  try {
    if (paths.length === 0)
      throw new WrongUse('got no PATH, takes a receipt, a ledger export, a router receipts file or a folder');
    const head = options.head === undefined ? undefined : parseHead(options.head);
    const asked = await askedFiles(paths, options.output ?? [], options.evidence ?? []);
    const sources = (await Promise.all(paths.map(sourcesAt))).flat();
    const reports: FileReport[] = [];
    const skipped: string[] = [];
    let receipt: JsonObject | null = null;
    for (const source of sources) {
      const judge = new FileJudge(source.name, head);
      const report = await verifySource(source, judge, head, stderr);
      receipt = judge.receipt;
      if (source.found && report.kind === 'empty' && report.violation === null) skipped.push(source.name);
      else reports.push(report);
      if (head && reports.length > 1) throw new WrongUse('--head is the end of one chain: give one file');
    }
    const [only] = reports;
    if (asked.length > 0 && only?.ok && receipt === null)
      throw new WrongUse(`--output and --evidence compare with one receipt, which ${only.file} is not`);
    const matches = await answerAll(asked, receipt, stderr);
    const ok = reports.length > 0 && [...reports, ...matches].every((one) => one.ok);
    const scope = scopeOf(reports, head !== undefined, asked.length > 0);
    stdout.write((options.json ? asJson : inWords)({ ok, reports, skipped, matches, scope }));
    return ok ? 0 : 1;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    stderr.write(safeForTerminal(`verify: ${reason}\n`));
    return 2;
  }
}

interface Found {
  ok: boolean;
  reports: FileReport[];
  /** Names of files without receipts. */
  skipped: string[];
  matches: FileAnswer[];
  scope: Scope;
}

function asJson({ ok, reports, skipped, matches, scope }: Found): string {
  const receipts_checked = reports.reduce((sum, report) => sum + report.receipts_checked, 0);
  const violation = reports.find((report) => report.violation)?.violation ?? null;
  return `${JSON.stringify({ ok, receipts_checked, violation, files: reports, skipped, matches, ...scope }, null, 2)}\n`;
}

function inWords({ ok, reports, skipped, matches, scope }: Found): string {
  return [
    ...reports.map((report) => safeForTerminal(fileInWords(report, reports.length === 1))),
    ...matches.map(answerInWords),
    reports.length === 0 ? 'nothing to verify\n' : '',
    skipped.length > 0 ? skippedInWords(skipped.length) : '',
    ok ? scopeInWords(scope) : '',
  ].join('');
}

async function verifySource(
  source: Source,
  judge: FileJudge,
  head: ExpectedHead | undefined,
  stderr: Output,
): Promise<FileReport> {
  let receipts = 0;
  const progress = new Progress(source, stderr, () => counted(receipts));
  const splitter = new LineSplitter((line, terminated) => {
    receipts++;
    judge.push(line, terminated);
  });
  try {
    for await (const chunk of source.open()) {
      splitter.write(chunk);
      progress.bytes(chunk.length);
    }
    splitter.end();
  } catch (error) {
    if (error instanceof ProofError) return judge.refuse(error);
    throw error;
  } finally {
    progress.clear();
  }
  const report = judge.finish();
  if (head && report.kind === 'router') throw new WrongUse(`--head: ${source.name} is not a chain`);
  return report;
}

function parseHead(text: string): ExpectedHead {
  const found = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/.exec(text);
  if (!found) throw new WrongUse(`--head takes SHA256 or SEQ:SHA256 (64 lower-case hex digits), got ${text}`);
  const head = { receipt_sha256: found[2]! };
  return found[1] === undefined ? head : { org_seq: Number(found[1]), ...head };
}

function readWords(args: string[]) {
  const options = {
    json: { type: 'boolean' },
    head: { type: 'string' },
    output: { type: 'string', multiple: true },
    evidence: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  } as const;
  return readArguments({ args, options, allowPositionals: true });
}

/** `verify [options] PATH…` as typed; the word `verify` may be left out. */
export async function main(args: string[], stdout: Output, stderr: Output): Promise<0 | 1 | 2> {
  let given: ReturnType<typeof readWords>;
  try {
    given = readWords(args[0] === 'verify' ? args.slice(1) : args);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    stderr.write(`verify: ${error.message}\n\n${USAGE}`);
    return 2;
  }
  const { json = false, head, output = [], evidence = [], help } = given.values;
  if (help) {
    stdout.write(USAGE);
    return 0;
  }
  return verifyPaths(given.positionals, {
    json,
    output,
    evidence,
    stdout,
    stderr,
    ...(head === undefined ? {} : { head }),
  });
}

if (import.meta.main) {
  // The reader may stop reading (`| head -1`): the verdict is the exit code all the same.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.exitCode = await main(process.argv.slice(2), process.stdout, process.stderr);
}
