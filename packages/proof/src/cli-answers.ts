/** `--proof`, `--checkpoint`, `--key` and their kin: the four answers on the command line. */
import { open } from 'node:fs/promises';
import { ANSWER_TITLES, type Answers, isBroken, nothingToVerify } from './answers/answer.ts';
import { answersOfExport, checkpointIn, ExportTree } from './answers/export.ts';
import { growthSince } from './answers/growth.ts';
import { policyToTrust } from './answers/policy.ts';
import { answersOfReceipt } from './answers/receipt.ts';
import type { Trust } from './answers/signer.ts';
import { WrongUse } from './cli-arguments.ts';
import { recall, remember } from './cli-memory.ts';
import type { Attached } from './cli-pdf.ts';
import { ProofError } from './error.ts';
import type { FileReport } from './judge.ts';
import { parseConsistency } from './log/consistency-file.ts';
import { parsePolicy } from './log/policy.ts';
import { parseProofFile } from './log/proof-file.ts';
import { successorsOf } from './log/succession.ts';
import { parseVerifierKey, type VerifierKey } from './log/verifier-key.ts';
import { safeForTerminal } from './one-line.ts';

/** As typed. */
export interface ProofOptions {
  proof?: string;
  checkpoint?: string;
  /** Verifier keys, or files with one a line. */
  key?: string[];
  key_beside?: string[];
  /** Files with signed successions of keys, in order. */
  succession?: string[];
  policy?: string;
  consistency?: string;
  /** Null: nothing is remembered. */
  state?: string | null;
}

/** What was brought to hold one file against. */
export interface Proving {
  /** What the options name has to be shown: not shown is not enough. */
  asked: boolean;
  proof: string | null;
  checkpoint: string | null;
  trust: Trust;
  tree: ExportTree;
  state: string | null;
}

/** What is remembered of the log from now on; null: nothing. */
export interface Remembered {
  file: string;
  size: number;
}

const LARGEST_BYTES = 1024 * 1024;

/** Throws `WrongUse` for options that do not go together, or files that are none. */
export async function readProving(options: ProofOptions, attached: Attached | null = null): Promise<Proving> {
  const { key = [], key_beside = [], succession = [], policy, consistency, state = null } = options;
  if (options.proof !== undefined && options.checkpoint !== undefined)
    throw new WrongUse('--proof is for a receipt and --checkpoint for an export: give one of them');
  const asked =
    options.proof !== undefined ||
    options.checkpoint !== undefined ||
    ((key.length > 0 || policy !== undefined) && attached?.proof != null);
  if (
    !asked &&
    attached === null &&
    (key.length > 0 ||
      key_beside.length > 0 ||
      policy !== undefined ||
      consistency !== undefined ||
      succession.length > 0)
  )
    throw new WrongUse(
      '--key, --key-beside, --succession, --policy and --consistency say how to hold --proof or --checkpoint: give one',
    );
  const proof = options.proof === undefined ? (attached?.proof ?? null) : await textOf(options.proof);
  const checkpoint = options.checkpoint === undefined ? null : await textOf(options.checkpoint);
  const trust: Trust = {
    expected: await keysOf(key),
    beside: [...(await keysOf(key_beside)), ...(attached?.keys ?? [])],
  };
  if (policy !== undefined) {
    const parsed = await read(policy, parsePolicy);
    trust.expected = [...trust.expected!, ...parsed.logs.map((log) => log.key)];
    const asks = policyToTrust(parsed);
    if (asks !== undefined) trust.policy = asks;
    else trust.beside = [...trust.beside!, ...parsed.witnesses.map((witness) => witness.key)];
  }
  if (succession.length > 0) trust.successors = await handedOn(trust.expected!, succession);
  if (consistency !== undefined) trust.consistency = await read(consistency, parseConsistency);
  const origin = noteOf({ proof, checkpoint })?.checkpoint.origin;
  if (state !== null && origin !== undefined) trust.remembered = await recall(state, origin);
  return { asked, proof, checkpoint, trust, tree: new ExportTree(checkpoint, trust), state };
}

/** @param receipt the file's bytes, where it is one receipt. Throws `WrongUse` where a file is held against what is not for its kind. */
export async function answersOf(
  { proof, checkpoint, trust, tree }: Proving,
  report: FileReport,
  receipt: Uint8Array | null,
): Promise<Answers | null> {
  const { kind, file } = report;
  if (kind === 'router') {
    if (proof !== null || checkpoint !== null)
      throw new WrongUse(`${file} holds router receipts, which stand in no tree`);
    return null;
  }
  if (kind === 'empty') return nothingToVerify();
  if (kind === 'receipt') {
    if (checkpoint !== null)
      throw new WrongUse(`${file} is one receipt: give its --proof, --checkpoint is for an export`);
    return answersOfReceipt(receipt!, proof, trust);
  }
  if (proof !== null) throw new WrongUse(`${file} is an export: give a --checkpoint, --proof is for one receipt`);
  const chain = report.violations.filter(({ kind }) => kind !== 'head_mismatch');
  const walked = { ok: chain.length === 0, receipts_checked: report.receipts_checked, violation: chain[0] ?? null };
  return answersOfExport(walked, tree, checkpoint, trust);
}

/** Whether nothing fails and, of what was asked, all is shown. */
export function isShown({ asked, trust }: Proving, answers: Answers): boolean {
  if (isBroken(answers)) return false;
  if (!asked) return true;
  const { inclusion_and_completeness, identity } = answers;
  return inclusion_and_completeness.state === 'holds' && (trust.expected!.length === 0 || identity.state === 'holds');
}

/** Keeps the checkpoint where it was shown to extend what was seen. */
export async function rememberIfShown(proving: Proving, answers: Answers): Promise<Remembered | null> {
  const { state, trust, tree } = proving;
  const found = noteOf(proving);
  if (state === null || found === null) return null;
  const { note, checkpoint } = found;
  const { integrity, inclusion_and_completeness, identity } = answers;
  const is_theirs = ['included', 'complete', 'beyond_checkpoint'].includes(inclusion_and_completeness.code);
  if (integrity.state !== 'holds' || identity.state !== 'holds' || !is_theirs) return null;
  const seen = trust.remembered ?? null;
  const growth = growthSince(seen, checkpoint, trust.consistency, seen && tree.rootAt(seen.size));
  const is_newer = growth === 'nothing_seen' || (growth === 'shown' && checkpoint.size > seen!.size);
  if (!is_newer) return null;
  return { file: await remember(state, checkpoint.origin, note), size: checkpoint.size };
}

const STATE_WORDS = { holds: 'holds', fails: 'FAILS', not_shown: 'not shown' };

export function answersInWords(answers: Answers): string {
  if (answers.about === 'nothing') return '';
  return ANSWER_TITLES.map(([name, title]) => {
    const { state, text, advice } = answers[name];
    const line = `${title.padEnd(28)}${STATE_WORDS[state].padEnd(11)}${text}\n`;
    return safeForTerminal(advice === '' ? line : `${line}${' '.repeat(39)}${advice}\n`);
  }).join('');
}

export function rememberedInWords({ file, size }: Remembered): string {
  return safeForTerminal(`remembered  the checkpoint of ${size}, in ${file}\n`);
}

function noteOf({ proof, checkpoint }: Pick<Proving, 'proof' | 'checkpoint'>) {
  try {
    const note = checkpoint ?? (proof === null ? null : parseProofFile(proof).checkpoint);
    const parsed = note === null ? null : checkpointIn(note);
    return parsed === null ? null : { note: note!, checkpoint: parsed };
  } catch (error) {
    if (error instanceof ProofError) return null;
    throw error;
  }
}

/** A verifier key, or a file with one a line. */
async function keysOf(given: string[]): Promise<VerifierKey[]> {
  const keys: VerifierKey[] = [];
  for (const one of given) {
    const is_key = /^[^+]+\+[0-9a-f]{8}\+/.test(one);
    const lines = is_key ? [one] : (await textOf(one)).split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) throw new WrongUse(`${one} holds no key`);
    for (const line of lines) {
      const parse = () => parseVerifierKey(line.trim());
      keys.push(is_key ? parsed('--key', parse) : parsed(one, parse));
    }
  }
  return keys;
}

/** Each file may hand on from a key that was given, or from the file before it. */
async function handedOn(trusted: readonly VerifierKey[], files: string[]): Promise<VerifierKey[]> {
  if (trusted.length === 0) throw new WrongUse('--succession hands on from a key that you trust: give it with --key');
  const successors: VerifierKey[] = [];
  for (const path of files)
    try {
      successors.push(...(await successorsOf([...trusted, ...successors], [await textOf(path)])));
    } catch (error) {
      if (error instanceof ProofError) throw new WrongUse(`${path}: ${error.code}: ${error.reason}`);
      throw error;
    }
  return successors;
}

async function read<Value>(path: string, parse: (text: string) => Value): Promise<Value> {
  const text = await textOf(path);
  return parsed(path, () => parse(text));
}

function parsed<Value>(what: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ProofError) throw new WrongUse(`${what}: ${error.reason}`);
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size > LARGEST_BYTES) throw new WrongUse(`${path} is too large for what it should be`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
