/** What texts may hold, for schemas and for the console's forms. */

/** Of a line that a person reads, and of running text. */
export const LINE_CHARACTERS = 500;
export const PROSE_CHARACTERS = 20_000;

/** One line of readable text. */
export function isOneLine(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
}

/** Of a flight sheet. */
export const SLUG = /^[a-z0-9][a-z0-9._-]{0,79}$/;
export const SHEET_VERSION = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$/;
export const SHEET_RULES = 200;
export const EXPRESSION_CHARACTERS = 4000;
