/** How long to leave alone what has just failed. Pure: clock and chance come in as arguments. */

export interface Backoff {
  first_ms: number;
  longest_ms: number;
}

/** Doubles with every failure; half of it is chance, so that processes which failed together do not return together. */
export function backoffMs(failures: number, { first_ms, longest_ms }: Backoff, chance: number): number {
  const full = Math.min(longest_ms, first_ms * 2 ** Math.min(failures - 1, 40));
  return Math.round(full / 2 + (chance * full) / 2);
}

/** One dependency as seen from here. After a failure it is left alone; then one attempt decides. */
export class Circuit {
  #failures = 0;
  #rests_until = 0;
  readonly #backoff: Backoff;

  constructor(backoff: Backoff) {
    this.#backoff = backoff;
  }

  /** How much may be tried at once: nothing while it is left alone, one thing after that, `many` when it is well. */
  allows(now: number, many: number): number {
    if (now < this.#rests_until) return 0;
    return this.#failures > 0 ? 1 : many;
  }

  /** Returns true when it was down until now. */
  succeeded(): boolean {
    const recovered = this.#failures > 0;
    this.#failures = 0;
    this.#rests_until = 0;
    return recovered;
  }

  failed(now: number, chance: number): void {
    this.#failures += 1;
    this.#rests_until = now + backoffMs(this.#failures, this.#backoff, chance);
  }
}
