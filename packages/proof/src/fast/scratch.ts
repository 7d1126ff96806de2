/**
 * Skip this folder at a first reading: it changes no verdict.
 *
 * A reused buffer that one receipt at a time is judged in, without making strings of it.
 */

import { sha256Hex } from '../sha256.ts';
import {
  CREATED_AT,
  ORG_SEQ,
  ORGANIZATION_ID,
  PARENT_HASH,
  RECEIPT_ID,
  RECEIPT_SHA256,
  SCHEMA,
  SHARE_URL,
  Spans,
  scanCanonical,
} from './scan.ts';

const isUtf8 = globalThis.process?.getBuiltinModule?.('node:buffer').isUtf8 ?? decodes;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const ENVELOPE = [CREATED_AT, ORG_SEQ, ORGANIZATION_ID, PARENT_HASH, RECEIPT_ID, RECEIPT_SHA256, SCHEMA, SHARE_URL];
/** `,"receipt_sha256":"` */
const BEFORE_SEAL = 19;

/** Every answer that a method gives is certain when it is yes; a no means "not seen to be so". */
export class Scratch {
  #bytes = new Uint8Array(1 << 14);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  readonly #spans = new Spans();

  /** Takes a receipt in: yes when it is canonical JSON with every member of the envelope, of the right type. */
  read(receipt: string | Uint8Array): boolean {
    const most = typeof receipt === 'string' ? receipt.length * 3 : receipt.length;
    if (most * 2 + 8 > this.#bytes.length) this.#grow(most * 2 + 8);
    if (typeof receipt === 'string') {
      if (!receipt.isWellFormed()) return false;
      this.#length = encoder.encodeInto(receipt, this.#bytes).written;
    } else {
      if (!isUtf8(receipt)) return false;
      this.#bytes.set(receipt);
      this.#length = receipt.length;
    }
    this.#bytes[this.#length] = 0;
    if (!scanCanonical(this.#bytes, this.#view, this.#length, this.#spans)) return false;
    for (const place of ENVELOPE) if (!this.has(place)) return false;
    return true;
  }

  has(place: number): boolean {
    return this.#spans.start[place] !== 0;
  }

  /** Whether a noted string is this one; its bytes and the text must be plain ASCII without escapes. */
  is(place: number, text: string): boolean {
    return this.#same(this.#spans.start[place]!, this.#spans.end[place]!, text);
  }

  /** Whether a noted string ends in this one. */
  endsIn(place: number, text: string): boolean {
    const end = this.#spans.end[place]!;
    return end - text.length >= this.#spans.start[place]! && this.#same(end - text.length, end, text);
  }

  /** Whether what follows the last slash of a noted string is this text. */
  lastSegmentIs(place: number, text: string): boolean {
    const first = this.#spans.start[place]!;
    const end = this.#spans.end[place]!;
    let start = end;
    while (start > first && this.#bytes[start - 1] !== 0x2f) start--;
    return this.#same(start, end, text);
  }

  /** A noted number when it is a whole one, else NaN; the scan let through at most 15 digits. */
  number(place: number): number {
    let value = 0;
    for (let i = this.#spans.start[place]!; i < this.#spans.end[place]!; i++) {
      const digit = this.#bytes[i]! - 48;
      if (digit < 0) return Number.NaN; // a decimal point
      value = value * 10 + digit;
    }
    return value;
  }

  /** A noted string. */
  text(place: number): string {
    const raw = this.#bytes.subarray(this.#spans.start[place]!, this.#spans.end[place]!);
    return JSON.parse(`"${decoder.decode(raw)}"`);
  }

  /** The hash of the receipt without its `receipt_sha256` member: cut out of a copy behind the original. */
  hashWithoutSeal(): string {
    const cut = this.#spans.start[RECEIPT_SHA256]! - BEFORE_SEAL;
    const resume = this.#spans.end[RECEIPT_SHA256]! + 1;
    const copy = this.#length;
    this.#bytes.copyWithin(copy, 0, cut);
    this.#bytes.copyWithin(copy + cut, resume, this.#length);
    return sha256Hex(this.#bytes.subarray(copy, copy + cut + this.#length - resume));
  }

  #same(start: number, end: number, text: string): boolean {
    if (end - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) {
      const byte = this.#bytes[start + i]!;
      if (byte !== text.charCodeAt(i) || byte >= 0x80 || byte === 0x5c) return false;
    }
    return true;
  }

  #grow(size: number): void {
    this.#bytes = new Uint8Array(size * 2);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

function decodes(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
