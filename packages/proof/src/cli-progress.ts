/** How far a file has been read: a bar on a terminal, nothing elsewhere. */
import type { Source } from './cli-sources.ts';

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

export class Progress {
  readonly #source: Source;
  readonly #out: Output;
  readonly #counted: () => string;
  #read = 0;
  #drawn = 0;

  /** @param counted what stands behind the bar */
  constructor(source: Source, out: Output, counted: () => string) {
    this.#source = source;
    this.#out = out;
    this.#counted = counted;
  }

  bytes(count: number): void {
    this.#read += count;
    if (!this.#out.isTTY || Date.now() - this.#drawn < 100) return;
    this.#drawn = Date.now();
    this.#out.write(`\r\u001b[K${this.#bar()}${this.#counted()}`);
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
