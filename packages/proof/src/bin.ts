#!/usr/bin/env node
/** The offline verifier: `verify PATH…`. The only file of this package that touches files. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readArguments, WrongUse } from './cli-arguments.ts';
import { ProofError } from './error.ts';
import { type ExpectedHead, FileJudge, type FileReport } from './judge.ts';
import { LineSplitter } from './lines.ts';
import { counted, fileInWords, safeForTerminal, scopeInWords, scopeOf, skippedInWords } from './words.ts';

export const USAGE = `Usage: verify [--json] [--head [SEQ:]SHA256] PATH…

Verifies receipts offline. PATH is a receipt, a ledger export (one receipt per line), a router receipts file,
a folder with any of those in it (other files are skipped and counted), or - for standard input.

  --head [SEQ:]SHA256  the chain must end at this receipt
  --json               the report as JSON on standard output

Exit codes: 0 all is well, 1 a check failed or there was nothing to verify, 2 wrong use.
`;

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

export interface VerifyOptions {
  json?: boolean;
  /** `<sha256>` or `<seq>:<sha256>`. */
  head?: string;
  stdout: Output;
  stderr: Output;
}

interface Source {
  name: string;
  size: number | null;
  open: () => AsyncIterable<Uint8Array>;
  /** Found in a folder: it may be something else. */
  found?: true;
}

/** Verifies every path and says what was found; the exit code: 0 all is well, 1 a check failed, 2 wrong use. */
export async function verifyPaths(paths: string[], options: VerifyOptions): Promise<0 | 1 | 2> {
  const { stdout, stderr } = options;
  try {
    if (paths.length === 0)
      throw new WrongUse('got no PATH, takes a receipt, a ledger export, a router receipts file or a folder');
    const head = options.head === undefined ? undefined : parseHead(options.head);
    const sources = (await Promise.all(paths.map(sourcesAt))).flat();
    const reports: FileReport[] = [];
    const skipped: string[] = [];
    for (const source of sources) {
      const report = await verifySource(source, head, stderr);
      if (source.found && report.kind === 'empty' && report.violation === null) skipped.push(source.name);
      else reports.push(report);
      if (head && reports.length > 1) throw new WrongUse('--head is the end of one chain: give one file');
    }
    const ok = reports.length > 0 && reports.every((report) => report.ok);
    const scope = scopeOf(reports, head !== undefined);
    if (options.json) {
      const receipts_checked = reports.reduce((sum, report) => sum + report.receipts_checked, 0);
      const violation = reports.find((report) => report.violation)?.violation ?? null;
      stdout.write(
        `${JSON.stringify({ ok, receipts_checked, violation, files: reports, skipped, ...scope }, null, 2)}\n`,
      );
    } else {
      for (const report of reports) stdout.write(safeForTerminal(fileInWords(report)));
      if (reports.length === 0) stdout.write('nothing to verify\n');
      if (skipped.length > 0) stdout.write(skippedInWords(skipped.length));
      if (ok) stdout.write(scopeInWords(scope));
    }
    return ok ? 0 : 1;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    stderr.write(safeForTerminal(`verify: ${reason}\n`));
    return 2;
  }
}

async function verifySource(source: Source, head: ExpectedHead | undefined, stderr: Output): Promise<FileReport> {
  const judge = new FileJudge(source.name, head);
  const progress = new Progress(source, stderr);
  const splitter = new LineSplitter((line, terminated) => {
    progress.receipts++;
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

/** A folder stands for the files in it, at any depth, that are named like receipts; their order is by name. */
async function sourcesAt(path: string): Promise<Source[]> {
  if (path === '-') return [{ name: 'standard input', size: null, open: () => process.stdin }];
  const found = await stat(path);
  if (!found.isDirectory()) return [fileSource(path, found.size)];
  const names = (await readdir(path, { recursive: true })).filter((name) => /\.(json|jsonl|ndjson)$/.test(name)).sort();
  const sources: Source[] = [];
  for (const name of names.map((inside) => join(path, inside))) {
    // Gone since, or a link to nowhere: a folder that is in use changes while it is looked through.
    const file = await stat(name).catch(() => null);
    if (file?.isFile()) sources.push({ ...fileSource(name, file.size), found: true });
  }
  return sources;
}

function fileSource(name: string, size: number): Source {
  return { name, size, open: () => createReadStream(name, { highWaterMark: 1 << 20 }) };
}

function parseHead(text: string): ExpectedHead {
  const found = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/.exec(text);
  if (!found) throw new WrongUse(`--head takes SHA256 or SEQ:SHA256 (64 lower-case hex digits), got ${text}`);
  const head = { receipt_sha256: found[2]! };
  return found[1] === undefined ? head : { org_seq: Number(found[1]), ...head };
}

/** What the user did or gave that cannot be used; null: a fault of ours. */
function reasonOf(error: unknown): string | null {
  if (error instanceof WrongUse) return error.message;
  const { syscall, code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `${path}: there is no such file or folder`;
  if (code === 'EACCES' || code === 'EPERM') return `${path}: may not be read by you`;
  return syscall === undefined ? null : message;
}

/** A bar on a terminal, nothing elsewhere. */
class Progress {
  receipts = 0;
  readonly #source: Source;
  readonly #out: Output;
  #read = 0;
  #drawn = 0;

  constructor(source: Source, out: Output) {
    this.#source = source;
    this.#out = out;
  }

  bytes(count: number): void {
    this.#read += count;
    if (!this.#out.isTTY || Date.now() - this.#drawn < 100) return;
    this.#drawn = Date.now();
    this.#out.write(`\r\u001b[K${this.#bar()}${counted(this.receipts)}`);
  }

  clear(): void {
    if (this.#drawn > 0) this.#out.write('\r\u001b[K');
  }

  #bar(): string {
    if (!this.#source.size) return '';
    const done = Math.min(1, this.#read / this.#source.size);
    const filled = Math.round(done * 30);
    return `[${'#'.repeat(filled)}${' '.repeat(30 - filled)}] ${String(Math.floor(done * 100)).padStart(3)} %  `;
  }
}

function readWords(args: string[]) {
  const options = {
    json: { type: 'boolean' },
    head: { type: 'string' },
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
  const { json = false, head, help } = given.values;
  if (help) {
    stdout.write(USAGE);
    return 0;
  }
  return verifyPaths(given.positionals, { json, stdout, stderr, ...(head === undefined ? {} : { head }) });
}

if (import.meta.main) {
  // Whoever reads may stop reading (`| head -1`): the verdict is the exit code all the same.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.exitCode = await main(process.argv.slice(2), process.stdout, process.stderr);
}
