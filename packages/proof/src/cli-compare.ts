/** `--output FILE` and `--evidence FILE`: is that file what the receipt seals? */
import type { JsonObject } from './canonical.ts';
import { WrongUse } from './cli-arguments.ts';
import { type Output, Progress } from './cli-progress.ts';
import { type Source, sourceAt } from './cli-sources.ts';
import { FileHasher, type FileHashes } from './file-hashes.ts';
import { oneLine } from './one-line.ts';
import { type MatchForm, type SealedFile, type SealedFiles, sealedFilesOf } from './sealed-files.ts';
import { bytes, compare } from './sealed-words.ts';

export interface Asked {
  role: SealedFile['role'];
  source: Source;
}

/** One file that was asked about. */
export interface FileAnswer {
  asked: SealedFile['role'];
  file: string;
  ok: boolean;
  /** Null: it was not read. */
  byte_size: number | null;
  sha256: string | null;
  /** Which of what the receipt seals it is, and in which form it has the hash. */
  is: { name: string; label: string | null; sha256: string; form: MatchForm }[];
  /** In plain sentences, with what may help. */
  detail: string;
  /** What the receipt seals in its place, where that is one file. */
  expected: { sha256: string; byte_size: number | null } | null;
}

/** Throws `WrongUse` for what can never be compared, before anything is verified or read. */
export async function askedFiles(paths: string[], outputs: string[], evidence: string[]): Promise<Asked[]> {
  if (outputs.length > 1) throw new WrongUse('--output is given once: a receipt seals one output');
  const files = [...outputs, ...evidence];
  if (files.length === 0) return [];
  if (paths.length !== 1) throw new WrongUse('--output and --evidence compare with one receipt: give one PATH');
  if ([...paths, ...files].filter((path) => path === '-').length > 1)
    throw new WrongUse('- is standard input, which can be read once');
  await sourceAt(paths[0]!);
  const asked = (role: Asked['role'], of: string[]) =>
    Promise.all(of.map(async (path) => ({ role, source: await sourceAt(path) })));
  return [...(await asked('output', outputs)), ...(await asked('evidence', evidence))];
}

/** @param receipt the payload of the receipt; null: it was not verified, so nothing is compared with it */
export async function answerAll(asked: Asked[], receipt: JsonObject | null, stderr: Output): Promise<FileAnswer[]> {
  const answers: FileAnswer[] = [];
  for (const { role, source } of asked) {
    const unread = { asked: role, file: source.name, ok: false, byte_size: null, sha256: null, is: [], expected: null };
    if (receipt === null) {
      answers.push({ ...unread, detail: 'Not compared: the receipt does not verify.' });
      continue;
    }
    const sealed = sealedFilesOf(receipt);
    const none = role === 'output' ? sealed.no_output : sealed.no_evidence;
    if (none === null) answers.push(answer(role, source.name, sealed, await hashesOf(source, stderr)));
    else answers.push({ ...unread, detail: `Not compared: the receipt ${none}.` });
  }
  return answers;
}

function answer(role: SealedFile['role'], file: string, sealed: SealedFiles, hashes: FileHashes): FileAnswer {
  const quoted = (label: string) => `evidence ${JSON.stringify(label.slice(0, 200))}`;
  const output = sealed.output === null ? [] : [sealed.output];
  const [candidates, others] = role === 'output' ? [output, sealed.evidence] : [sealed.evidence, output];
  const { matched, sentences } = compare(candidates, hashes, quoted);
  const is = matched.map(({ sealed: { name, label, sha256 }, form }) => ({ name, label, sha256, form }));
  const { byte_size, sha256 } = hashes;
  const found = { asked: role, file, ok: is.length > 0, byte_size, sha256, is };
  if (found.ok) return { ...found, detail: sentences.join(' '), expected: null };

  const elsewhere = compare(others, hashes, quoted);
  const helpful = elsewhere.matched.length > 0 ? elsewhere.sentences : sentences;
  const expected = candidates.length === 1 ? candidates[0]! : null;
  return {
    ...found,
    detail: [`This file is not ${missed(candidates)}.`, ...helpful].join(' '),
    expected: expected && { sha256: expected.sha256, byte_size: expected.byte_size },
  };
}

function missed(candidates: SealedFile[]): string {
  const [only, second] = candidates;
  if (only?.role === 'output') return `the sealed ${only.name}`;
  return second === undefined ? 'the sealed evidence' : `one of the ${candidates.length} pieces of sealed evidence`;
}

async function hashesOf(source: Source, stderr: Output): Promise<FileHashes> {
  const hasher = new FileHasher();
  const progress = new Progress(source, stderr, () => oneLine(source.name));
  try {
    for await (const chunk of source.open()) {
      hasher.push(chunk);
      progress.bytes(chunk.length);
    }
  } finally {
    progress.clear();
  }
  return hasher.finish();
}

/** What was found of one file. */
export function answerInWords({ file, ok, detail, sha256, byte_size, expected }: FileAnswer): string {
  const said = `${oneLine(file)}: ${ok ? 'OK' : 'FAILED'}. ${oneLine(detail, 1000)}\n`;
  if (sha256 === null) return said;
  const sized = (hash: string, size: number | null) => `${hash}${size === null ? '' : `, ${bytes(size)}`}\n`;
  if (ok) return `${said}  sha256    ${sized(sha256, byte_size)}`;
  const wanted = expected === null ? '' : `  expected  ${sized(expected.sha256, expected.byte_size)}`;
  return `${said}${wanted}  actual    ${sized(sha256, byte_size)}`;
}
