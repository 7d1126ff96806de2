/**
 * A refusal the caller can act on. Domain and store throw it with a code; only http/ knows which status a code has.
 * `detail` is shown to the caller: it never holds a secret. `members` become extension members of the problem.
 */
export class Refusal<Code extends string = string> extends Error {
  readonly code: Code;
  readonly detail: string;
  readonly members: Record<string, unknown>;

  constructor(code: Code, detail: string, members: Record<string, unknown> = {}) {
    super(`${code}: ${detail}`);
    this.name = 'Refusal';
    this.code = code;
    this.detail = detail;
    this.members = members;
  }
}

/**
 * The database cannot be reached, is restarting or is full. Nothing was acknowledged; when it went away during a commit,
 * it is not known whether the commit was done.
 */
export class DatabaseUnavailable extends Refusal<'database_unavailable'> {
  constructor(cause: unknown) {
    super(
      'database_unavailable',
      'The database does not answer just now. Nothing is known to be done; try again shortly.',
    );
    this.cause = cause;
  }
}
