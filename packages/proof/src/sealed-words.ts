/** What was found of a file, in sentences: the same on the command line and on the page. */
import type { FileHashes } from './file-hashes.ts';
import { type MatchForm, matchForm, type NearMiss, nearMiss, type SealedFile } from './sealed-files.ts';

export interface FileMatch {
  sealed: SealedFile;
  form: MatchForm;
}

/** A file held against some of what a receipt seals; it is in the receipt when `matched` is not empty. */
export interface Comparison {
  matched: FileMatch[];
  /** One for each match; else none, or what the file was nearly. */
  sentences: string[];
}

/** `evidence` names a piece of evidence within a sentence; its label is what anybody may have written. */
export function compare(
  candidates: SealedFile[],
  file: FileHashes,
  evidence: (label: string) => string = () => 'evidence',
): Comparison {
  const what = ({ role, name, label }: SealedFile) =>
    role === 'evidence' ? evidence(label ?? '') : `the sealed ${name}`;
  const matched = candidates.flatMap((sealed): FileMatch[] => {
    const form = matchForm(sealed, file);
    return form === null ? [] : [{ sealed, form }];
  });
  if (matched.length > 0)
    return { matched, sentences: matched.map((match) => matchInWords(match, file, what(match.sealed))) };
  for (const sealed of candidates) {
    const near = nearMiss(sealed, file);
    if (near !== null) return { matched, sentences: [nearMissInWords(near, what(sealed))] };
  }
  return { matched, sentences: [] };
}

function matchInWords({ sealed, form }: FileMatch, file: FileHashes, it: string): string {
  if (form === 'canonical_json') return `Its JSON content is ${it}; the file is formatted differently.`;
  if (form === 'json_string') return `Its text is ${it}, which was sealed as a JSON string.`;
  const { byte_size } = sealed;
  if (byte_size === null || byte_size === file.byte_size) return `This file is ${it}.`;
  return `This file is ${it}. It has ${bytes(file.byte_size)}; the receipt states ${byte_size.toLocaleString('en')}.`;
}

function nearMissInWords(near: NearMiss, it: string): string {
  switch (near) {
    case 'final_newline':
      return `It ends in a newline that was not sealed: without that newline it would be ${it}.`;
    case 'formatting':
      return `Its JSON content is that of ${it}; its bytes are others, and bytes are what was sealed.`;
    case 'not_compared_as_json':
      return 'It is too large to be compared by its JSON content: only its bytes were.';
  }
}

export function bytes(count: number): string {
  return count === 1 ? '1 byte' : `${count.toLocaleString('en')} bytes`;
}
