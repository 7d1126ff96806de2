#!/usr/bin/env node
/** The offline verifier: `verify PATH…`. Of this package, only it and what is named cli-… touch files. */
import type { Answers } from './answers/answer.ts';
import type { ExportTree } from './answers/export.ts';
import {
  answersInWords,
  answersOf,
  isShown,
  type ProofOptions,
  type Remembered,
  readProving,
  rememberedInWords,
  rememberIfShown,
} from './cli-answers.ts';
import {
  type ApprovalAnswer,
  type ApprovalOptions,
  answerApproval,
  approvalInWords,
  askedApproval,
} from './cli-approval.ts';
import { readArguments, WrongUse } from './cli-arguments.ts';
import { answerAll, answerInWords, askedFiles, type FileAnswer } from './cli-compare.ts';
import { answerDisclosures, askedDisclosures, type DisclosuresAnswer, disclosuresInWords } from './cli-disclosures.ts';
import { stateFolder } from './cli-memory.ts';
import { attachedTo } from './cli-pdf.ts';
import { type Output, Progress } from './cli-progress.ts';
import { reasonOf, type Source, sourcesAt } from './cli-sources.ts';
import { ProofError } from './error.ts';
import { type ExpectedHead, FileJudge, type FileReport } from './judge.ts';
import { LineSplitter } from './lines.ts';
import { safeForTerminal } from './one-line.ts';
import {
  counted,
  fileInWords,
  type Scope,
  scopeBesideAnswers,
  scopeInWords,
  scopeOf,
  skippedInWords,
} from './words.ts';

export const USAGE = `Usage: ./rcpt verify [--json] [--head [SEQ:]SHA256] PATH…
       ./rcpt verify [--json] [--output FILE] [--evidence FILE]… RECEIPT
       ./rcpt verify [--json] --disclosures FILE [--activity FILE] RECEIPT
       ./rcpt verify [--json] --proof FILE --key KEY… RECEIPT
       ./rcpt verify [--json] --checkpoint FILE --key KEY… EXPORT
       ./rcpt verify [--json] --approval FILE [--activity FILE] RECEIPT

Verifies receipts offline. PATH is a receipt, its PDF, a ledger export (one receipt per line), a router receipts
file, a folder with any of those in it (other files are skipped and counted), or - for standard input.

  --head [SEQ:]SHA256  the chain must end at this receipt
  --output FILE        FILE must be what this one receipt seals: its output, submission, dataset package or model card
  --evidence FILE      FILE must be a piece of this one receipt's evidence; may be given more than once
  --proof FILE         the receipt must stand in its ledger's signed tree, as this proof file says
  --checkpoint FILE    the export must be all that this signed checkpoint counts
  --approval FILE      a passkey must have signed exactly what this one receipt seals (GET /share/<token>/approval)
  --activity FILE      this export of the organization's activity must record that passkey as the approver's
  --disclosures FILE   what the receipt's link discloses must be what was sealed (GET /share/<token>/disclosures); with --activity, nothing
                       of it may have been erased since
  --origin URL         where it was signed, if not where the receipt's link leads
  --key KEY            a verifier key that you trust, or a file with one a line; may be given more than once
  --succession FILE    how a key that you trust handed on to the next, which is then trusted, too; may be given more than once, in order
  --key-beside KEY     a key that came with the receipt: it shows no identity
  --policy FILE        which witnesses must have signed, and which logs you trust (C2SP tlog-policy)
  --consistency FILE   leads from the checkpoint you saw last to this one, or back
  --state DIR          where the last checkpoint of each ledger is remembered (~/.local/state/rcpt)
  --no-state           remember nothing, and look at nothing remembered
  --json               the report as JSON on standard output

A file is compared by the SHA-256 of its bytes; where an output was JSON, also by that of its canonical form (RFC 8785),
up to 64 MiB.

Exit codes: 0 all is well, 1 a check failed, or what you asked for was not shown, or there was nothing to verify,
2 wrong use.
`;

export interface VerifyOptions extends ProofOptions, ApprovalOptions {
  json?: boolean;
  /** `<sha256>` or `<seq>:<sha256>`. */
  head?: string;
  /** Files that must be what the one receipt at the one path seals. */
  output?: string[];
  evidence?: string[];
  /** As `GET /share/{token}/disclosures` answered. */
  disclosures?: string;
  stdout: Output;
  stderr: Output;
}

/** Verifies every path and says what was found; the exit code: 0 all is well, 1 a check failed, 2 wrong use. */
export async function verifyPaths(paths: string[], options: VerifyOptions): Promise<0 | 1 | 2> {
  const { stdout, stderr } = options;
  try {
    if (paths.length === 0)
      throw new WrongUse('got no PATH, takes a receipt, a ledger export, a router receipts file or a folder');
    const found = await lookAt(paths, options);
    stdout.write((options.json ? asJson : inWords)(found));
    return found.ok ? 0 : 1;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    stderr.write(safeForTerminal(`verify: ${reason}\n`));
    return 2;
  }
}

/** Throws `WrongUse`. */
async function lookAt(paths: string[], options: VerifyOptions): Promise<Found> {
  const { stderr } = options;
  const head = options.head === undefined ? undefined : parseHead(options.head);
  const asked = await askedFiles(paths, options.output ?? [], options.evidence ?? []);
  const pdf = paths.length === 1 ? await attachedTo(paths[0]!) : null;
  const approving = await askedApproval(paths, options, pdf?.approval ?? null, options.disclosures !== undefined);
  const listed = await askedDisclosures(paths, options);
  const proving = await readProving(options, pdf);
  const sources = pdf === null ? (await Promise.all(paths.map(sourcesAt))).flat() : [pdf.receipt];
  const is_one = paths.length === 1 && sources.length === 1 && !sources[0]!.found;
  if (proving.asked && !is_one) throw new WrongUse('--proof and --checkpoint go with one file: give one PATH');
  const reports: FileReport[] = [];
  const skipped: string[] = [];
  let judge: FileJudge | null = null;
  for (const source of sources) {
    judge = new FileJudge(source.name, head);
    const report = await verifySource(source, judge, head, proving.checkpoint === null ? null : proving.tree, stderr);
    if (source.found && report.kind === 'empty' && report.violation === null) skipped.push(source.name);
    else reports.push(report);
    if (head && reports.length > 1) throw new WrongUse('--head is the end of one chain: give one file');
  }
  const [only] = reports;
  const receipt = judge?.receipt ?? null;
  if (asked.length > 0 && only?.ok && receipt === null)
    throw new WrongUse(`--output and --evidence compare with one receipt, which ${only.file} is not`);
  const answers = is_one ? await answersOf(proving, only!, judge!.bytes) : null;
  const matches = await answerAll(asked, receipt, stderr);
  if (approving !== null && only?.ok && receipt === null)
    throw new WrongUse(`--approval is of one receipt, which ${only.file} is not`);
  const approval = approving === null ? null : await answerApproval(approving, receipt);
  const disclosures = listed === null ? null : await answerDisclosures(listed, receipt);
  const beside_it = [...matches, ...[approval, disclosures].filter((one) => one !== null)];
  const all_hold = reports.length > 0 && [...reports, ...beside_it].every((one) => one.ok);
  const ok = all_hold && (answers === null || isShown(proving, answers));
  const scope = scopeOf(reports, head !== undefined, asked.length > 0, answers);
  const beside = answers === null ? scope : scopeBesideAnswers(head !== undefined, asked.length > 0);
  const remembered = answers === null ? null : await rememberIfShown(proving, answers);
  return { ok, reports, skipped, matches, approval, disclosures, answers, scope, beside, remembered };
}

interface Found {
  ok: boolean;
  reports: FileReport[];
  /** Names of files without receipts. */
  skipped: string[];
  matches: FileAnswer[];
  /** Null: it was not asked. */
  approval: ApprovalAnswer | null;
  disclosures: DisclosuresAnswer | null;
  /** Of one receipt or one export. */
  answers: Answers | null;
  scope: Scope;
  /** What of it the answers do not say. */
  beside: Scope;
  remembered: Remembered | null;
}

function asJson({ ok, reports, skipped, matches, approval, disclosures, answers, scope, remembered }: Found): string {
  const receipts_checked = reports.reduce((sum, report) => sum + report.receipts_checked, 0);
  const violation = reports.find((report) => report.violation)?.violation ?? null;
  const report = {
    ok,
    answers,
    receipts_checked,
    violation,
    files: reports,
    skipped,
    matches,
    approval,
    ...(disclosures && { disclosures }),
    remembered,
    ...scope,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function inWords({ ok, reports, skipped, matches, approval, disclosures, answers, beside, remembered }: Found): string {
  return [
    ...reports.map((report) => safeForTerminal(fileInWords(report, reports.length === 1))),
    ...matches.map(answerInWords),
    approval === null ? '' : approvalInWords(approval),
    disclosures === null ? '' : disclosuresInWords(disclosures),
    reports.length === 0 ? 'nothing to verify\n' : '',
    skipped.length > 0 ? skippedInWords(skipped.length) : '',
    answers === null ? '' : answersInWords(answers),
    ok ? scopeInWords(beside) : '',
    remembered === null ? '' : rememberedInWords(remembered),
  ].join('');
}

async function verifySource(
  source: Source,
  judge: FileJudge,
  head: ExpectedHead | undefined,
  tree: ExportTree | null,
  stderr: Output,
): Promise<FileReport> {
  let receipts = 0;
  const progress = new Progress(source, stderr, () => counted(receipts));
  const splitter = new LineSplitter((line, terminated) => {
    receipts++;
    judge.push(line, terminated);
    if (line.length > 0) tree?.push(line);
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
    proof: { type: 'string' },
    checkpoint: { type: 'string' },
    key: { type: 'string', multiple: true },
    'key-beside': { type: 'string', multiple: true },
    succession: { type: 'string', multiple: true },
    approval: { type: 'string' },
    disclosures: { type: 'string' },
    activity: { type: 'string' },
    origin: { type: 'string' },
    policy: { type: 'string' },
    consistency: { type: 'string' },
    state: { type: 'string' },
    'no-state': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  return readArguments({ args, options, allowPositionals: true });
}

/** `verify [options] PATH…` as typed; the word `verify` may be left out. @param environment of the process */
export async function main(
  args: string[],
  stdout: Output,
  stderr: Output,
  environment: Record<string, string | undefined> = {},
): Promise<0 | 1 | 2> {
  let given: ReturnType<typeof readWords>;
  try {
    given = readWords(args[0] === 'verify' ? args.slice(1) : args);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    stderr.write(`verify: ${error.message}\n\n${USAGE}`);
    return 2;
  }
  const { help, state: folder, 'no-state': no_state, 'key-beside': key_beside, ...options } = given.values;
  if (help) {
    stdout.write(USAGE);
    return 0;
  }
  const state = no_state ? null : (folder ?? stateFolder(environment));
  return verifyPaths(given.positionals, { ...options, key_beside, state, stdout, stderr } as VerifyOptions);
}

if (import.meta.main) {
  // The reader may stop reading (`| head -1`): the verdict is the exit code all the same.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.exitCode = await main(process.argv.slice(2), process.stdout, process.stderr, process.env);
}
