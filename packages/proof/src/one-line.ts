/** Texts that others wrote, as a line of a report. */

/** Values come from files that anyone may have written: none of them can put a line of its own into a report. */
export function oneLine(text: string, longest = 200): string {
  return safeForTerminal(text.slice(0, longest)).replaceAll('\n', '\u{fffd}');
}

/** What draws nothing, ends a line or turns its direction, made visible. */
export function safeForTerminal(text: string): string {
  return text.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '\u{fffd}');
}
