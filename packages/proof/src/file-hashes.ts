/** A file, read once and in parts: the hashes by which a receipt may know it. */
import { canonicalize } from './canonical.ts';
import { ProofError } from './error.ts';
import { decodeUtf8, parseStrict } from './parse.ts';
import { type Sha256, sha256Hex, startSha256 } from './sha256.ts';

/** Unless told otherwise, a file beyond this is known by its bytes alone: its text would have to be held in memory. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Plain data, so that a browser's worker can hand it to its page. */
export interface FileHashes {
  byte_size: number;
  /** Of its bytes. */
  sha256: string;
  /** Of all its bytes but a final LF or CRLF; null where it ends in neither. */
  without_newline_sha256: string | null;
  /** Of the canonical form (RFC 8785) of its JSON; null where it has none. */
  canonical_sha256: string | null;
  /** Why it has none: a code of `ProofError`, or `too_large`. */
  not_canonical: string | null;
  /** Of its text as a canonical JSON string, quotes and all; null where it is no UTF-8 text or too large. */
  json_string_sha256: string | null;
}

const LF = 0x0a;
const CR = 0x0d;

/** Takes the parts in order. They must not be changed before `finish`. */
export class FileHasher {
  readonly #hash: Sha256 = startSha256();
  /** The last two bytes, not yet hashed: they may be the final newline. */
  #end: Uint8Array = new Uint8Array();
  #parts: Uint8Array[] | null = [];
  #bytes = 0;
  readonly #largest_text: number;

  constructor(largest_text_bytes = MAX_TEXT_BYTES) {
    this.#largest_text = largest_text_bytes;
  }

  push(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#largest_text) this.#parts = null;
    this.#parts?.push(part);
    const end = joined([this.#end, part.subarray(-2)]);
    const before = part.subarray(0, -2);
    if (before.length > 0) {
      this.#hash.update(this.#end);
      this.#hash.update(before);
      this.#end = part.slice(-2);
    } else {
      this.#hash.update(end.subarray(0, -2));
      this.#end = end.slice(-2);
    }
  }

  finish(): FileHashes {
    const without_newline_sha256 = this.#withoutNewline();
    this.#hash.update(this.#end);
    return { byte_size: this.#bytes, sha256: this.#hash.hex(), without_newline_sha256, ...textHashes(this.#parts) };
  }

  #withoutNewline(): string | null {
    const end = this.#end;
    if (end.at(-1) !== LF) return null;
    const hash = this.#hash.copy();
    hash.update(end.subarray(0, end.at(-2) === CR ? -2 : -1));
    return hash.hex();
  }
}

type TextHashes = Pick<FileHashes, 'canonical_sha256' | 'not_canonical' | 'json_string_sha256'>;

function textHashes(parts: Uint8Array[] | null): TextHashes {
  if (parts === null) return { canonical_sha256: null, not_canonical: 'too_large', json_string_sha256: null };
  let json_string_sha256: string | null = null;
  try {
    const text = decodeUtf8(joined(parts));
    json_string_sha256 = sha256Hex(canonicalize(text));
    return { canonical_sha256: sha256Hex(canonicalize(parseStrict(text))), not_canonical: null, json_string_sha256 };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { canonical_sha256: null, not_canonical: error.code, json_string_sha256 };
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
