/** Browsers name text/html; programs that do not get JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/html\b|\bapplication\/xhtml\+xml\b/.test(accept);
}
