/**
 * The cost limit of the executor. Work is counted, not timed, so that the same sheet and submission are cut off at the
 * same step on every machine.
 */

/** About a second of work on a small server, for all rules and the schema together. */
export const RUN_LIMIT = 2_000_000;
/** About a second of work, too, for the schema, its patterns and all rules of one sheet. */
export const COMPILE_LIMIT = 1_000_000;
/** So that one expensive rule leaves room for the others. */
export const RULE_LIMIT = 500_000;

export class CostLimitExceeded extends Error {
  constructor() {
    super('exceeds the cost limit');
    this.name = 'CostLimitExceeded';
  }
}

/** One to compile a sheet, one to run it: `startRun` before each submission, `startRule` before each rule. Never re-entered. */
export class Meter {
  #left: number;
  #rule: number;

  constructor(limit = RUN_LIMIT) {
    this.#left = limit;
    this.#rule = limit;
  }

  startRun(): void {
    this.#left = RUN_LIMIT;
  }

  startRule(): void {
    this.#rule = RULE_LIMIT;
  }

  /** What may still be spent on this rule. */
  get left(): number {
    return Math.min(this.#left, this.#rule);
  }

  /** Throws `CostLimitExceeded`; what was asked for is not done. */
  charge(units: number): void {
    if (!(units <= this.left)) {
      this.#left -= Math.max(0, this.left);
      this.#rule = 0;
      throw new CostLimitExceeded();
    }
    this.#left -= units;
    this.#rule -= units;
  }
}
