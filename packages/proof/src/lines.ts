/** Bytes cut into lines as they arrive. */
import { ProofError } from './error.ts';

/** Longest line held in memory; a receipt is some kilobytes, a request body at most one mebibyte. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Hands each line to `take` without its LF; a last line that has none comes with `terminated` false. The bytes are
 * only good during the call. Throws `line_too_long`.
 */
export class LineSplitter {
  readonly #take: (line: Uint8Array, terminated: boolean) => void;
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  constructor(take: (line: Uint8Array, terminated: boolean) => void) {
    this.#take = take;
  }

  write(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#take(this.#whole(chunk.subarray(start, end)), true);
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#restBytes += chunk.length - start;
    if (this.#restBytes > MAX_LINE_BYTES)
      throw new ProofError('line_too_long', `a line of over ${MAX_LINE_BYTES} bytes`);
    this.#rest.push(chunk.slice(start));
  }

  end(): void {
    if (this.#restBytes > 0) this.#take(this.#whole(new Uint8Array()), false);
  }

  #whole(tail: Uint8Array): Uint8Array {
    if (this.#restBytes === 0) return tail;
    const line = new Uint8Array(this.#restBytes + tail.length);
    let at = 0;
    for (const part of [...this.#rest, tail]) {
      line.set(part, at);
      at += part.length;
    }
    this.#rest = [];
    this.#restBytes = 0;
    return line;
  }
}
