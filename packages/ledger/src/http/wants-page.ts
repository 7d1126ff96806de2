const PAGE = /\b(text\/html|application\/xhtml\+xml)(?![\w.+-])(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;
const DATA = /\bapplication\/([\w.-]+\+)?json(?![\w.+-])/i;

/** Browsers name text/html before anything else; programs do not, and get JSON. */
export function wantsPage(accept = ''): boolean {
  const page = accept.search(PAGE);
  const data = accept.search(DATA);
  return page !== -1 && (data === -1 || page < data);
}
