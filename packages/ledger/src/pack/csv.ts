/** Lines of a table that a spreadsheet opens as what they are (RFC 4180): no cell is taken for a formula. */

/** Excel takes a file for UTF-8 by it. */
export const BYTE_ORDER_MARK = '\ufeff';

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\n`;
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // An apostrophe makes it a text; the wide forms count, too.
  const text = /^\s*[=+\-@\t\r|%\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  return /^[\w.:/-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
