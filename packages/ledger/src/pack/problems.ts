/** What was not as it should be while a pack was made: told in it, never left out. */
import { oneLine } from '@rcpt/proof/one-line.ts';

/** A chain that was altered throughout is told with its first ones. */
const MOST = 1_000;

export class Problems {
  readonly #lines: string[] = [];
  count = 0;

  add(line: string): void {
    this.count++;
    if (this.#lines.length < MOST) this.#lines.push(oneLine(line));
  }

  /** A line each. */
  text(): string {
    const left_out = this.count - this.#lines.length;
    return [...this.#lines, ...(left_out > 0 ? [`and ${left_out} more like these`] : [])]
      .map((line) => `${line}\n`)
      .join('');
  }
}
