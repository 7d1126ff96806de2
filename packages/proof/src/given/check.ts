/** Files that somebody lays down together, in any order: what they are, and the four answers they give. In Node and in a browser. */

import { type Answers, nothingToVerify } from '../answers/answer.ts';
import { answersOfExport, ExportTree } from '../answers/export.ts';
import { policyToTrust } from '../answers/policy.ts';
import { answersOfReceipt } from '../answers/receipt.ts';
import type { Trust } from '../answers/signer.ts';
import { type ConsentAnswer, consentTo } from '../approval/answer.ts';
import { ProofError } from '../error.ts';
import { FileJudge, type FileReport } from '../judge.ts';
import { LineSplitter } from '../lines.ts';
import { parseConsistency } from '../log/consistency-file.ts';
import { parsePolicy } from '../log/policy.ts';
import { parseVerifierKeys, type VerifierKey } from '../log/verifier-key.ts';
import { type GivenKind, kindOf, LARGEST_TEXT_BYTES } from './kind.ts';
import { attachmentsOf } from './pdf-attachments.ts';

/** As `File` of a browser. */
export interface GivenFile {
  name: string;
  size: number;
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

export interface Checked {
  answers: Answers;
  /** Of the approver's signature; null where none came along, or no receipt. */
  consent: ConsentAnswer | null;
  /** What was read of the receipt or the export; null where there was none. */
  report: FileReport | null;
  files: { name: string; kind: GivenKind | 'unused'; detail: string }[];
  /** Keys that came with the files, or inside the PDF. */
  keys: VerifierKey[];
}

interface Pile {
  /** The one file that is verified. */
  subject: { name: string; file: GivenFile } | null;
  proof: string | null;
  approval: string | null;
  checkpoint: string | null;
  trust: Trust;
  keys: VerifierKey[];
  files: Checked['files'];
}

/** What comes along with a receipt may be the receipt's author's own. */
const RELY = 'Rely on it only if it is your own.';
const SLICE_BYTES = 1024 * 1024;

/**
 * @param trusted keys that the reader has by another way; those among the files count as come along
 * @param onRead how many bytes of the receipts were read
 */
export async function check(
  given: readonly GivenFile[],
  trusted: readonly VerifierKey[],
  onRead: (bytes: number, of: number) => void | Promise<void> = () => undefined,
): Promise<Checked> {
  const pile: Pile = { subject: null, proof: null, approval: null, checkpoint: null, trust: {}, keys: [], files: [] };
  for (const file of given) await lay(pile, file);
  // Trusted once, a key is trusted wherever it came from.
  const trust = { ...pile.trust, expected: trusted, beside: pile.keys };
  const { subject, files, keys } = pile;
  if (subject === null) return { answers: nothingToVerify(), consent: null, report: null, files, keys };
  const judge = new FileJudge(subject.name);
  const tree = new ExportTree(pile.checkpoint, trust);
  const report = await judged(subject.file, judge, pile.checkpoint === null ? null : tree, onRead);
  const answers = await answersOf(report, judge.bytes, tree, pile, trust);
  const other = report.kind === 'ledger' ? 'proof' : 'checkpoint';
  for (const file of files)
    if (file.kind === other) {
      file.kind = 'unused';
      file.detail =
        other === 'proof' ? 'A proof is of one receipt.' : 'A checkpoint is for an export: a receipt has a proof.';
    }
  const consent =
    pile.approval !== null && report.kind === 'receipt' ? await consentTo(judge.receipt, pile.approval) : null;
  return { answers, consent, report, files, keys };
}

async function answersOf(
  report: FileReport,
  receipt: Uint8Array | null,
  tree: ExportTree,
  { proof, checkpoint }: Pile,
  trust: Trust,
): Promise<Answers> {
  if (report.kind === 'receipt') return answersOfReceipt(receipt!, proof, trust);
  if (report.kind === 'ledger') return answersOfExport(report, tree, checkpoint, trust);
  return nothingToVerify();
}

/** What a PDF may bring along: what a reader trusts, a policy or what was seen before, is theirs to give. */
const ATTACHED: readonly GivenKind[] = ['receipts', 'proof', 'approval', 'keys'];

/** @param within the PDF that it is attached to; null: the reader gave it */
async function lay(pile: Pile, file: GivenFile, within: string | null = null): Promise<void> {
  const bytes = new Uint8Array(await file.slice(0, LARGEST_TEXT_BYTES + 1).arrayBuffer());
  const kind = kindOf(bytes);
  const said = (detail = '', is: Checked['files'][number]['kind'] = kind) =>
    pile.files.push({ name: file.name, kind: is, detail });
  if (within !== null && !ATTACHED.includes(kind))
    return void said(`It is attached to ${within} and is not taken from there: give it yourself.`, 'unused');
  try {
    if (kind === 'pdf') {
      said();
      const pdf = new Uint8Array(await file.slice(0, file.size).arrayBuffer());
      const attached = await attachmentsOf(pdf);
      for (const [i, one] of attached.entries())
        await lay(pile, inMemory(`${file.name}, attachment ${i + 1}`, one), file.name);
      return;
    }
    if (kind === 'receipts') {
      if (pile.subject !== null && !(await isSame(pile.subject.file, file)))
        return void said('There is another receipt or export before it: one is verified at a time.', 'unused');
      pile.subject = { name: file.name, file };
    } else take(pile, kind, new TextDecoder().decode(bytes));
    said(kind === 'policy' ? RELY : '');
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    said(error.reason, 'unused');
  }
}

function take(pile: Pile, kind: GivenKind, text: string): void {
  if (kind === 'proof') pile.proof = text;
  if (kind === 'approval') pile.approval = text;
  if (kind === 'checkpoint') pile.checkpoint = text;
  if (kind === 'keys') pile.keys.push(...parseVerifierKeys(text));
  if (kind === 'consistency') pile.trust.consistency = parseConsistency(text);
  if (kind === 'policy') {
    const parsed = parsePolicy(text);
    pile.keys.push(...parsed.logs.map(({ key }) => key));
    const policy = policyToTrust(parsed);
    if (policy !== undefined) pile.trust.policy = policy;
    else pile.keys.push(...parsed.witnesses.map(({ key }) => key));
  }
}

async function judged(
  file: GivenFile,
  judge: FileJudge,
  tree: ExportTree | null,
  onRead: (bytes: number, of: number) => void | Promise<void>,
): Promise<FileReport> {
  const splitter = new LineSplitter((line, terminated) => {
    judge.push(line, terminated);
    if (line.length > 0) tree?.push(line);
  });
  try {
    for (let at = 0; at < file.size; at += SLICE_BYTES) {
      splitter.write(new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer()));
      await onRead(Math.min(at + SLICE_BYTES, file.size), file.size);
    }
    splitter.end();
  } catch (error) {
    if (error instanceof ProofError) return judge.refuse(error);
    throw error;
  }
  return judge.finish();
}

/** A PDF and the receipt beside it are often laid down together. */
async function isSame(one: GivenFile, other: GivenFile): Promise<boolean> {
  if (one.size !== other.size || one.size > LARGEST_TEXT_BYTES) return false;
  const [first, second] = await Promise.all([one, other].map((file) => file.slice(0, file.size).arrayBuffer()));
  const bytes = new Uint8Array(second!);
  return new Uint8Array(first!).every((byte, i) => byte === bytes[i]);
}

function inMemory(name: string, bytes: Uint8Array): GivenFile {
  const slice = (from: number, to: number) => ({
    arrayBuffer: async () => bytes.slice(from, to).buffer as ArrayBuffer,
  });
  return { name, size: bytes.length, slice };
}
