/** Plain text → lines of measured pieces. Knows faces and widths, nothing of pages. */
import { codeOf, stretchesOf } from '@rcpt/contract/shown.ts';
import { type Face, type FontStack, face, facesOf } from './fonts.ts';

/**
 * A stretch of one face, its width in em. `coded`: the code of what is not seen, or of a character no face has; the latter is what
 * a reader copies or is read out (`actual`).
 */
export interface Piece {
  face: Face;
  text: string;
  width: number;
  coded: boolean;
  actual?: string;
  rtl: boolean;
}

interface Token {
  text: string;
  coded: boolean;
}

export interface Line {
  pieces: Piece[];
  /** In points. */
  width: number;
}

/** A code is set smaller than its neighbours: its size in em of the text around it. */
export const CODE_SCALE = 0.72;

const REMEMBERED_WORDS = 8_000;
const LONGEST_TOKEN = 256;
/** Letters written from right to left; their digits are not among them, they run left to right. */
const RTL = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+/u;
const MARK = /^\p{M}/u;
const PLAIN = /^[\x20-\x7e]*$/;
/** What the rule leaves within an emoji or a script draws nothing on paper; but the non-joiner shapes Arabic letters. */
const DRAWS_NOTHING = /[\ufe0f\u{e0020}-\u{e007f}]|\u200d|\u200c/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words: Record<FontStack, Map<string, Piece[]>> = { text: new Map(), strong: new Map(), mono: new Map() };

/** Lines no wider than `width` points. Breaks at spaces, and inside a word only where the word alone is too wide. */
export function wrap(text: string, stack: FontStack, size: number, width: number): Line[] {
  const lines: Line[] = [];
  for (const paragraph of paragraphsOf(text)) wrapParagraph(paragraph, stack, size, width, lines);
  return lines;
}

/** The first line alone, ended with an ellipsis where there is more. */
export function oneLine(text: string, stack: FontStack, size: number, width: number): Line {
  const [first, ...more] = wrap(text, stack, size, width);
  return more.length === 0 ? first! : ended(first!, stack, size, width);
}

/** A line that goes on where there is no room for it. */
export function ended(line: Line, stack: FontStack, size: number, most: number): Line {
  const dots = wrap('…', stack, size, most)[0]!;
  const pieces = [...line.pieces];
  let width = line.width;
  while (pieces.length > 0 && width + dots.width > most) width -= pieces.pop()!.width * size;
  while (pieces.at(-1)?.text.trim() === '') width -= pieces.pop()!.width * size;
  return { pieces: [...pieces, ...dots.pieces], width: width + dots.width };
}

export function measure(text: string, stack: FontStack, size: number): number {
  return widthOf(piecesOf(text, stack)) * size;
}

/** The words and codes of each line that was sealed. */
function paragraphsOf(text: string): Token[][] {
  const paragraphs: Token[][] = [[]];
  for (const stretch of stretchesOf(text)) {
    if (stretch.coded) {
      for (const [code] of stretch.text.matchAll(/\[[^\]]*\]/g)) paragraphs.at(-1)!.push({ text: code, coded: true });
      continue;
    }
    for (const [i, line] of stretch.text.split('\n').entries()) {
      if (i > 0) paragraphs.push([]);
      for (const word of tokensOf(line)) paragraphs.at(-1)!.push({ text: word, coded: false });
    }
  }
  return paragraphs;
}

function wrapParagraph(paragraph: Token[], stack: FontStack, size: number, width: number, lines: Line[]): void {
  const limit = width / size;
  let pieces: Piece[] = [];
  let used = 0;
  /** The token before was only the beginning of its word. */
  let last_cut = false;
  const finish = () => {
    const blank = pieces.at(-1)?.text.startsWith(' ') ? pieces.pop() : undefined;
    lines.push({ pieces: inVisualOrder(pieces), width: (used - (blank?.width ?? 0)) * size });
    pieces = [];
    used = 0;
    if (blank) begin(blank.text);
  };
  /** A line break stands for one space. Several are written by their code, because a reader could not see how many there were. */
  const begin = (blank: string) => {
    if (blank.length > 1) pieces.push(coded(codeOf(' ', blank.length)));
    used = widthOf(pieces);
  };
  for (const token of paragraph) {
    const next = token.coded ? [coded(token.text)] : piecesOf(token.text, stack);
    const next_width = widthOf(next);
    const blank = token.text.startsWith(' ');
    const cut = token.text.length >= LONGEST_TOKEN || last_cut;
    last_cut = token.text.length >= LONGEST_TOKEN;
    if (used + next_width <= limit) {
      pieces.push(...next);
      used += next_width;
      continue;
    }
    if (blank) {
      if (used > 0) finish();
      begin(token.text);
      continue;
    }
    if (used > 0 && !cut && (next_width <= limit || used > limit / 2)) finish();
    for (const bit of next_width <= limit && !cut ? next : breakable(next)) {
      if (used > 0 && used + bit.width > limit) finish();
      pieces.push(bit);
      used += bit.width;
    }
  }
  finish();
}

/** Words and the spaces between them; monsters are cut into lengths the shaper is quick with. */
function tokensOf(paragraph: string): string[] {
  const tokens = paragraph.match(/ {1,80}|[^ ]+/g) ?? [];
  if (!tokens.some((token) => token.length > LONGEST_TOKEN)) return tokens;
  return tokens.flatMap((token) => {
    if (token.length <= LONGEST_TOKEN) return [token];
    const cut: string[] = [];
    let part = '';
    for (const { segment } of graphemes.segment(token)) {
      part += segment;
      if (part.length >= LONGEST_TOKEN) {
        cut.push(part);
        part = '';
      }
    }
    return part ? [...cut, part] : cut;
  });
}

/** A word too wide for any line, in pieces of one grapheme. */
function breakable(pieces: Piece[]): Piece[] {
  return pieces.flatMap((piece) =>
    piece.coded
      ? [piece]
      : Array.from(graphemes.segment(piece.text), ({ segment }) => ({
          ...piece,
          text: segment,
          width: piece.face.width(segment),
        })),
  );
}

function widthOf(pieces: Piece[]): number {
  let width = 0;
  for (const piece of pieces) width += piece.width;
  return width;
}

function piecesOf(token: string, stack: FontStack): Piece[] {
  const known = words[stack].get(token);
  if (known) return known;
  const pieces = PLAIN.test(token) ? [inFace(facesOf(stack)[0]!, token)] : covered(token, stack);
  if (words[stack].size >= REMEMBERED_WORDS) words[stack].clear();
  if (token.length <= 40) words[stack].set(token, pieces);
  return pieces;
}

/** Cuts a token where the face changes: each grapheme goes to the first face that has all of it. */
function covered(token: string, stack: FontStack): Piece[] {
  const faces = facesOf(stack);
  const pieces: Piece[] = [];
  let pending: { face: Face; text: string; rtl: boolean } | null = null;
  const flush = () => {
    if (pending) pieces.push(...shaped(pending.face, pending.text, pending.rtl));
    pending = null;
  };
  for (const { segment } of graphemes.segment(token)) {
    const characters = Array.from(segment);
    const font_face =
      drawsNothing(segment) || piled(characters)
        ? undefined
        : faces.find((candidate) => characters.every((character) => candidate.has(character.codePointAt(0)!)));
    if (!font_face) {
      flush();
      for (const character of characters) {
        const single =
          DRAWS_NOTHING.test(character) || MARK.test(character)
            ? undefined
            : faces.find((f) => f.has(character.codePointAt(0)!));
        pieces.push(...(single ? shaped(single, character, RTL.test(character)) : [faceless(character)]));
      }
      continue;
    }
    const rtl = RTL.test(segment);
    if (pending && pending.face === font_face && pending.rtl === rtl) pending.text += segment;
    else {
      flush();
      pending = { face: font_face, text: segment, rtl };
    }
  }
  flush();
  return pieces;
}

function drawsNothing(segment: string): boolean {
  return DRAWS_NOTHING.test(RTL.test(segment) ? segment.replaceAll('\u200c', '') : segment);
}

/** Marks without a letter, or so many on one that they would be drawn over the neighbouring lines. */
function piled(characters: string[]): boolean {
  return MARK.test(characters[0] ?? '') || characters.length > 4;
}

function inFace(font_face: Face, text: string, rtl = false): Piece {
  return { face: font_face, text, width: font_face.width(text), coded: false, rtl };
}

/** A text the shaper cannot cope with is shown by its codes as well. */
function shaped(font_face: Face, text: string, rtl: boolean): Piece[] {
  try {
    return [inFace(font_face, text, rtl)];
  } catch {
    return Array.from(text, faceless);
  }
}

function coded(code: string): Piece {
  const mono = face('Mono');
  return { face: mono, text: code, width: mono.width(code) * CODE_SCALE, coded: true, rtl: false };
}

function faceless(character: string): Piece {
  return { ...coded(codeOf(character)), actual: character };
}

/**
 * Stretches of right-to-left words change places, what stands between them stays between them. Less than the Unicode
 * bidirectional algorithm: the line itself always runs left to right.
 */
function inVisualOrder(pieces: Piece[]): Piece[] {
  if (!pieces.some((piece) => piece.rtl)) return pieces;
  const ordered: Piece[] = [];
  for (let i = 0; i < pieces.length; ) {
    if (!pieces[i]!.rtl) {
      ordered.push(pieces[i++]!);
      continue;
    }
    let end = i;
    for (let j = i; j < pieces.length && (pieces[j]!.rtl || isNeutral(pieces[j]!)); j++) if (pieces[j]!.rtl) end = j;
    ordered.push(...pieces.slice(i, end + 1).reverse());
    i = end + 1;
  }
  return ordered;
}

function isNeutral(piece: Piece): boolean {
  return !piece.coded && !/\p{L}/u.test(piece.text);
}
