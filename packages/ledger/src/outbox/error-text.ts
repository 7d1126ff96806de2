/** An error as it is kept beside the row that failed: short, one line, and without the secrets of an address. */

const LENGTH = 300;

export function errorText(error: unknown): string {
  const { name, code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
  const words = [code ?? (name === 'Error' ? undefined : name), message || innerMessage(error)]
    .filter(Boolean)
    .join(': ');
  return words
    .replace(/\/\/[^/@\s]*@/g, '//')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, LENGTH)
    .toWellFormed();
}

/** A connection refused on every address of a host is an AggregateError without a message. */
function innerMessage(error: unknown): string | undefined {
  return error instanceof AggregateError ? (error.errors[0] as Error | undefined)?.message : undefined;
}
