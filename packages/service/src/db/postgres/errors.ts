/** Which errors mean "run it again", which "the database is away", and which are the statement's own. */
import { DatabaseUnavailable } from '../../error.ts';

/** Serialization failure and deadlock: the transaction did nothing and may simply run again. */
export function isConflict(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === '40001' || code === '40P01';
}

/** Connection errors (class 08), shutdowns (57P0x), too many connections, disk full, read-only standby. */
export function unavailableOr(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !(error instanceof Error)) return error;
  const code = (error as { code?: string }).code ?? '';
  const away =
    /^(08|53|57P0|57014|25006|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENOENT)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout/.test(
      error.message,
    );
  return away ? new DatabaseUnavailable(error) : error;
}
