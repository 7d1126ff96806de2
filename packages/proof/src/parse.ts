/** JSON read so that no second reader can see another value: the refusals RFC 8785 presumes (I-JSON, RFC 7493; docs/spec.md §2). */
import { checkNumber, integerTooLarge, type Json, type JsonObject, MAX_DEPTH } from './canonical.ts';
import { ProofError } from './error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Without point and exponent: readers with exact integers take it for one. */
const INTEGER = /^-?[0-9]+$/;

/** The text of UTF-8 bytes, a byte order mark kept as a character; `not_utf8` otherwise. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ProofError('not_utf8', 'not valid UTF-8');
  }
}

/**
 * The value of a JSON text (RFC 8259), from text or UTF-8 bytes. Throws `not_utf8`, `not_json`, `duplicate_key`,
 * `lone_surrogate` (raw or as an escape), `integer_too_large`, `not_finite` (a number too large for a double) and
 * `too_deep`. No stack depth, time or memory beyond linear in the text, whatever it holds.
 */
export function parseStrict(source: string | Uint8Array): Json {
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  if (!text.isWellFormed()) throw new ProofError('lone_surrogate', 'the text holds half a surrogate pair');
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** Recursive descent over one text. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    if (this.#space() !== -1) throw this.#unexpected();
  }

  value(depth: number): Json {
    switch (this.#space()) {
      case 0x7b:
        return this.#object(depth);
      case 0x5b:
        return this.#array(depth);
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const object: JsonObject = {};
    if (this.#space() === 0x7d) return this.#leave(object);
    for (;;) {
      if (this.#space() !== 0x22) throw this.#unexpected();
      const key = this.#string();
      if (Object.hasOwn(object, key)) throw new ProofError('duplicate_key', 'the same member twice').under(key);
      if (this.#space() !== 0x3a) throw this.#unexpected();
      this.#at++;
      let value: Json;
      try {
        value = this.value(depth + 1);
      } catch (error) {
        throw error instanceof ProofError ? error.under(key) : error;
      }
      if (key === '__proto__')
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      else object[key] = value;
      const next = this.#space();
      if (next === 0x7d) return this.#leave(object);
      if (next !== 0x2c) throw this.#unexpected();
      this.#at++;
    }
  }

  #array(depth: number): Json[] {
    this.#enter(depth);
    const array: Json[] = [];
    if (this.#space() === 0x5d) return this.#leave(array);
    for (;;) {
      try {
        array.push(this.value(depth + 1));
      } catch (error) {
        throw error instanceof ProofError ? error.under(array.length) : error;
      }
      const next = this.#space();
      if (next === 0x5d) return this.#leave(array);
      if (next !== 0x2c) throw this.#unexpected();
      this.#at++;
    }
  }

  #enter(depth: number): void {
    if (depth === MAX_DEPTH) throw new ProofError('too_deep', `nested deeper than ${MAX_DEPTH} levels`);
    this.#at++;
  }

  #leave<T>(value: T): T {
    this.#at++;
    return value;
  }

  /** A string without escapes is a slice; one with escapes goes to JSON.parse, which alone decodes them. */
  #string(): string {
    const open = this.#at;
    for (let i = open + 1; ; i++) {
      const unit = this.#text.charCodeAt(i);
      if (unit === 0x22) {
        this.#at = i + 1;
        return this.#text.slice(open + 1, i);
      }
      if (unit === 0x5c) return this.#escapedString(open, i);
      if (!(unit >= 0x20)) throw this.#unexpected(i);
    }
  }

  #escapedString(open: number, from: number): string {
    let close = from;
    for (let unit = 0x5c; unit !== 0x22; unit = this.#text.charCodeAt(close)) {
      if (Number.isNaN(unit)) throw this.#unexpected(close);
      close += unit === 0x5c ? 2 : 1;
    }
    this.#at = close + 1;
    let value: string;
    try {
      value = JSON.parse(this.#text.slice(open, close + 1));
    } catch {
      throw new ProofError('not_json', `a malformed string at character ${open}`);
    }
    if (!value.isWellFormed()) throw new ProofError('lone_surrogate', 'an escape names half a surrogate pair');
    return value;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text);
    if (!found) throw this.#unexpected();
    this.#at = NUMBER.lastIndex;
    const value = Number(found[0]);
    checkNumber(value);
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER && INTEGER.test(found[0])) throw integerTooLarge();
    return value;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected();
    this.#at += word.length;
    return value;
  }

  /** Past whitespace; the code unit there, -1 at the end. */
  #space(): number {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) this.#at++;
      else return Number.isNaN(unit) ? -1 : unit;
    }
  }

  #unexpected(at = this.#at): ProofError {
    const found = at < this.#text.length ? JSON.stringify(this.#text.charAt(at)) : 'the end';
    return new ProofError('not_json', `unexpected ${found} at character ${at}`);
  }
}
