/** A job's log as lines: chunks in, each once and in their order; what a terminal would act on is taken out. Pure. */

export interface Chunk {
  id: string;
  stream: string;
  lines: string[];
  created_at: string;
}

export interface LogLine {
  /** From 1, over the whole log. */
  number: number;
  stream: string;
  text: string;
  at: string;
}

export interface Lines {
  /** The last ones, at most `most`. */
  kept: readonly LogLine[];
  /** How many came before the first that is kept. */
  dropped: number;
  /** Of the chunk that came last: where to go on. */
  last_id: string;
}

export const NO_LINES: Lines = { kept: [], dropped: 0, last_id: '' };

/** Chunks that are there already, as after a reconnect, change nothing. Keeps the array while nothing is dropped. */
export function append(before: Lines, chunks: readonly Chunk[], most: number): Lines {
  let { last_id } = before;
  let number = before.dropped + before.kept.length;
  const added: LogLine[] = [];
  for (const chunk of chunks) {
    // Ids sort by the order in which the chunks came.
    if (chunk.id <= last_id) continue;
    last_id = chunk.id;
    for (const line of chunk.lines.flatMap(visibleLines))
      added.push({ number: ++number, stream: chunk.stream, text: line, at: chunk.created_at });
  }
  if (added.length === 0) return last_id === before.last_id ? before : { ...before, last_id };
  const all = before.kept.concat(added);
  const over = Math.max(0, all.length - most);
  return { kept: over > 0 ? all.slice(over) : all, dropped: before.dropped + over, last_id };
}

// Colours and cursor movements (ECMA-48), window titles, and other characters that cannot be seen.
const CONTROL =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-_]|[\0-\u0008\u000b-\u001f\u007f]/g;
const LONGEST = 5_000;

/** What a terminal would have shown in the end: a progress bar that overwrote itself is its last state. */
export function visibleLines(raw: string): string[] {
  return raw.split('\n').map((line) => {
    const states = line.replace(/\r+$/, '').split('\r');
    const text = (states.at(-1) ?? '').replaceAll(CONTROL, '');
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters)` : text;
  });
}

/** As a terminal draws it: a tab goes on to the next eighth column. */
export function withoutTabs(line: string): string {
  let drawn = '';
  for (const part of line.split(/(\t)/)) drawn += part === '\t' ? ' '.repeat(8 - (drawn.length % 8)) : part;
  return drawn;
}

/** Lines that hold `words`, upper and lower case alike. */
export function matching(lines: readonly LogLine[], words: string): readonly LogLine[] {
  const sought = words.trim().toLowerCase();
  return sought === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(sought));
}

export function asText(lines: readonly LogLine[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}
