/**
 * The one rule by which texts and numbers that others wrote are shown: on the page, on paper, on the card, in mails and in
 * the console. What one does not see is written by its code in brackets, `[U+202E]`, a run of one character once with its
 * number, `[U+00AD×20000]`. A `[` before `U+` is written by its own code, so two different texts are never shown alike, and
 * `sealedText` reads back what was shown.
 *
 * Written by code is:
 * - every control, format, private-use, unassigned and lone surrogate character, and every one that Unicode calls ignorable;
 * - every space but the common one, every end of a line but the newline, and the few letters and signs that draw nothing;
 * - the common space at the beginning of a text, at the end of a line, and in a run of more than 16;
 * - a combining mark without a base, one that its base bears already, and each beyond three on one base.
 * It stands as it is where it changes what one sees:
 * - within an emoji that Unicode recommends for interchange (RGI): joiner, variation selector and tags;
 * - the non-joiner between two Arabic letters that would join (RFC 5892, appendix A.1);
 * - either joiner between a virama and a letter, and the joiner between a letter and a virama, within one script of India
 *   or Sri Lanka.
 */

/** A stretch of a text as it stands, or the codes of what stands there unseen: `[U+202E][U+200B×3]`. */
export interface Stretch {
  text: string;
  coded: boolean;
}

/**
 * `line`: a place where no line can end; newlines, and runs of spaces that a browser would close up, are written by code.
 * `part`: a part of a text, whose ends are not the text's own; spaces are kept there.
 */
export type Place = 'text' | 'line' | 'part';

const MOST_SPACES = { text: 16, line: 1, part: 64 } as const;
const MOST_MARKS = 3;
/** They draw nothing, although Unicode calls them letters, signs or marks. */
const BLANK = '\\u2800\\u2d7f\\ufffc\\u{1107f}\\u{16fe4}\\u{1d159}';
const HIDDEN = `\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}${BLANK}`;
const find = (place: Place) => {
  const kept = place === 'line' ? '' : '(?!\\n)';
  const before_selector = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}?(?=[\\ufe0f\\u200d\\u{e0020}-\\u{e007f}])';
  return new RegExp(
    `${kept}[${HIDDEN}]|(?! )\\p{Zs}|\\p{M}|\\[(?=U\\+)|^ +| +(?![^\\n])| {2,}|${before_selector}|[0-9#*](?=\\ufe0f)`,
    'gu',
  );
};
const FIND: Record<Place, RegExp> = { text: find('text'), line: find('line'), part: find('part') };
const MARK = /^\p{M}/u;
const SPACING = /^\p{Mc}/u;
const UNSEEN = new RegExp(`^(?:[${HIDDEN}]|\\p{Zs})`, 'u');
const BASE = /[^\s\p{C}]$/u;
const EMOJI = /\p{RGI_Emoji}/vy;

/** Arabic letters that join the next one, and those that join the one before. */
const DUAL =
  '\\u0620\\u0626\\u0628\\u062a-\\u062e\\u0633-\\u063f\\u0641-\\u0647\\u0649\\u064a\\u066e\\u066f\\u0678-\\u0687\\u069a-\\u06bf\\u06c1\\u06c2\\u06cc\\u06ce\\u06d0\\u06d1\\u06fa-\\u06fc\\u06ff\\u0750-\\u0758\\u075c-\\u076a\\u076d-\\u0770\\u0772\\u0775-\\u0777\\u077a-\\u077f';
const RIGHT =
  '\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef\\u0759-\\u075b\\u076b\\u076c\\u0771\\u0773\\u0774\\u0778\\u0779';
const NON_JOINER = `(?<=[${DUAL}]\\p{Mn}{0,3})\\u200c(?=[${DUAL}${RIGHT}])`;
/** Devanagari to Sinhala: each has 128 places, its virama at the same one; Sinhala has its own. */
const CONJUNCTS = Array.from({ length: 10 }, (_, script) => {
  const at = (place: number) => `\\u{${(0x900 + 0x80 * script + place).toString(16)}}`;
  const letter = `[[${at(0)}-${at(0x7f)}]&&\\p{L}]`;
  const virama = at(script === 9 ? 0x4a : 0x4d);
  return `(?<=${letter}\\p{Mn}?${virama})[\\u200c\\u200d](?=${letter})|(?<=${letter})\\u200d(?=${virama}${letter})`;
});
const JOINER = new RegExp([NON_JOINER, ...CONJUNCTS].join('|'), 'vy');

/** One pass over the text; most texts are one stretch. */
export function stretchesOf(text: string, place: Place = 'text'): Stretch[] {
  const finder = FIND[place];
  finder.lastIndex = 0;
  if (!finder.test(text)) return [{ text, coded: false }];
  const reading = new Reading(text);
  finder.lastIndex = 0;
  for (let found = finder.exec(text); found; found = finder.exec(text)) {
    finder.lastIndex = reading.take(found[0], found.index, place);
  }
  return reading.end();
}

/** The whole of it as one string. */
export function shownText(text: string, place: Place = 'text'): string {
  return stretchesOf(text, place)
    .map((stretch) => stretch.text)
    .join('');
}

/** One line of at most `most` characters, ended with an ellipsis where more was said; no code is cut in two. */
export function shownLine(text: string, most: number): string {
  let line = '';
  for (const stretch of stretchesOf(text, 'line')) {
    for (const [part] of stretch.coded ? stretch.text.matchAll(/\[[^\]]*\]/g) : [[stretch.text]]) {
      if (line.length + part!.length <= most) line += part;
      else return `${line}${stretch.coded ? '' : beginning(part!, most - line.length - 1)}…`;
    }
  }
  return line;
}

/** How much of a text is shown by at most `most` characters: what one does not see takes no room from what one does. */
export function fitting(text: string, most: number): number {
  let length = 0;
  for (const { text: part, coded } of stretchesOf(text)) {
    const kept =
      part.length <= most ? part : coded ? part.slice(0, part.lastIndexOf(']', most - 1) + 1) : beginning(part, most);
    length += coded ? sealedText(kept).length : kept.length;
    if (kept !== part) break;
    most -= kept.length;
  }
  return length;
}

function beginning(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, '');
}

/** The stretches of Unicode that hold its letters written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether a text has to be isolated within a line, so that it turns nothing around beside it. */
export function runsLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** What `shownText` shows, read back. */
export function sealedText(shown: string): string {
  return shown.replace(/\[U\+([0-9A-F]+)(?:×(\d+))?\]/g, (_, code: string, times = '1') =>
    String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
  );
}

/** A number as it is sealed (RFC 8785): every digit, never rounded or grouped. */
export function exact(value: number): string {
  return JSON.stringify(value);
}

/** The same, its thousands grouped: `1,234,567.25`. */
export function grouped(value: number): string {
  return exact(value).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** Cents at least, and every digit: `1,234.50 USD`, `0.125 USD`. */
export function usdInWords(value: number): string {
  const [, whole, cents = ''] = /^(-?[\d,]+)(?:\.(\d))?$/.exec(grouped(value)) ?? [];
  return `${whole === undefined ? grouped(value) : `${whole}.${cents.padEnd(2, '0')}`} USD`;
}

/** `1.5 MB (1,500,000 bytes)`: rounded only beside the exact number. */
export function byteSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = bytes >= 1000 ? Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3)) : 0;
  if (power === 0) return `${grouped(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return `${Math.round(bytes / 10 ** (power * 3 - 1)) / 10} ${units[power]} (${grouped(bytes)} bytes)`;
}

/** `[U+202E]`, `[U+00AD×3]`. */
export function codeOf(character: string, times = 1): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `[U+${code}${times > 1 ? `×${times}` : ''}]`;
}

class Reading {
  readonly #text: string;
  readonly #stretches: Stretch[] = [];
  /** Up to here everything is in a stretch, or in `#codes`. */
  #done = 0;
  #codes = '';
  #last = { character: '', times: 0 };
  /** Where the marks of a base end, and which it bears. */
  #base = { end: -1, marks: '' };

  constructor(text: string) {
    this.#text = text;
  }

  /** Decides what was found at `at`. Returns where to go on. */
  take(found: string, at: number, place: Place): number {
    const end = at + found.length;
    if (found.startsWith(' ')) {
      const outer = at === 0 || end === this.#text.length || this.#text[end] === '\n';
      if ((outer && place !== 'part') || found.length > MOST_SPACES[place]) this.#write(' ', found.length, at);
      return end;
    }
    if (found === '[') this.#write('[', 1, at);
    else if (UNSEEN.test(found)) {
      if (this.#joins(at)) this.#base.end = end;
      else this.#write(found, 1, at);
    } else if (MARK.test(found)) {
      if (this.#bears(found, at)) this.#base.end = end;
      else this.#write(found, 1, at);
    } else return this.#emoji(at) ?? end;
    return end;
  }

  end(): Stretch[] {
    this.#keep(this.#text.length);
    this.#flush();
    return this.#stretches;
  }

  /** An emoji of several characters is seen as one. */
  #emoji(at: number): number | null {
    EMOJI.lastIndex = at;
    const [emoji] = EMOJI.exec(this.#text) ?? [];
    if (emoji === undefined) return null;
    this.#base = { end: at + emoji.length, marks: '' };
    return at + emoji.length;
  }

  /** Whether the mark at `at` is seen on the base before it, which bears it then. */
  #bears(mark: string, at: number): boolean {
    if (this.#base.end !== at) {
      if (at === this.#done || !BASE.test(this.#text.slice(Math.max(0, at - 2), at))) return false;
      this.#base = { end: at, marks: '' };
    }
    if (SPACING.test(mark)) return true;
    const { marks } = this.#base;
    if (marks.includes(mark) || [...marks].length >= MOST_MARKS) return false;
    this.#base.marks = marks + mark;
    return true;
  }

  /** Whether what is unseen itself changes how its neighbours are written. */
  #joins(at: number): boolean {
    JOINER.lastIndex = at;
    return at !== this.#done && JOINER.test(this.#text);
  }

  #write(character: string, times: number, at: number): void {
    this.#keep(at);
    if (this.#last.character === character) this.#last.times += times;
    else {
      this.#pend();
      this.#last = { character, times };
    }
    this.#done = at + character.length * times;
  }

  /** What stands since the last code is shown as it is. */
  #keep(to: number): void {
    if (to === this.#done) return;
    this.#flush();
    this.#stretches.push({ text: this.#text.slice(this.#done, to), coded: false });
  }

  #pend(): void {
    if (this.#last.times > 0) this.#codes += codeOf(this.#last.character, this.#last.times);
    this.#last = { character: '', times: 0 };
  }

  #flush(): void {
    this.#pend();
    if (this.#codes !== '') this.#stretches.push({ text: this.#codes, coded: true });
    this.#codes = '';
  }
}
