/** Plain text → lines of measured pieces. Knows faces and widths, nothing of pages. */
import { chain, type Face, face, type Voice } from './fonts.ts';
import { codeOf, isUnseen } from './unseen.ts';

/** A stretch of one face. With `code` it is a character no face has, drawn as its boxed code. Width in em. */
export interface Piece {
  face: Face;
  text: string;
  width: number;
  code: string | null;
  rtl: boolean;
}

export interface Line {
  pieces: Piece[];
  /** In points. */
  width: number;
}

/** The boxed code is set smaller than its neighbours: its size and side bearing, in em of the text around it. */
export const CODE_SCALE = 0.66;
export const CODE_PADDING = 0.22;

const REMEMBERED_WORDS = 8_000;
const LONGEST_TOKEN = 256;
/** Letters written from right to left; their digits are not among them, they run left to right. */
const RTL = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+/u;
const MARK = /^\p{M}/u;
const PLAIN = /^[\x20-\x7e]*$/;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words: Record<Voice, Map<string, Piece[]>> = { text: new Map(), strong: new Map(), mono: new Map() };

/** Lines no wider than `width` points. Breaks at spaces, and inside a word only where the word alone is too wide. */
export function wrap(text: string, voice: Voice, size: number, width: number): Line[] {
  const lines: Line[] = [];
  for (const paragraph of text.replaceAll('\t', '    ').split(/\r\n|[\n\r\u2028\u2029]/)) {
    wrapParagraph(paragraph, voice, size, width, lines);
  }
  return lines;
}

export function measure(text: string, voice: Voice, size: number): number {
  return widthOf(piecesOf(text, voice)) * size;
}

function wrapParagraph(paragraph: string, voice: Voice, size: number, width: number, lines: Line[]): void {
  const limit = width / size;
  let pieces: Piece[] = [];
  let used = 0;
  /** The token before was only the beginning of its word. */
  let last_cut = false;
  const finish = () => {
    while (pieces.at(-1)?.text.trim() === '' && !pieces.at(-1)?.code) used -= pieces.pop()?.width ?? 0;
    lines.push({ pieces: inVisualOrder(pieces), width: used * size });
    pieces = [];
    used = 0;
  };
  for (const token of tokensOf(paragraph)) {
    const next = piecesOf(token, voice);
    const next_width = widthOf(next);
    const blank = token.startsWith(' ');
    const cut = token.length >= LONGEST_TOKEN || last_cut;
    last_cut = token.length >= LONGEST_TOKEN;
    if (used + next_width <= limit) {
      pieces.push(...next);
      used += next_width;
      continue;
    }
    if (blank) {
      if (used > 0) finish();
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
    piece.code
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

function piecesOf(token: string, voice: Voice): Piece[] {
  const known = words[voice].get(token);
  if (known) return known;
  const pieces = PLAIN.test(token) ? [inFace(chain(voice)[0]!, token)] : covered(token, voice);
  if (words[voice].size >= REMEMBERED_WORDS) words[voice].clear();
  if (token.length <= 40) words[voice].set(token, pieces);
  return pieces;
}

/** Cuts a token where the face changes: each grapheme goes to the first face that has all of it. */
function covered(token: string, voice: Voice): Piece[] {
  const faces = chain(voice);
  const pieces: Piece[] = [];
  let pending: { face: Face; text: string; rtl: boolean } | null = null;
  const flush = () => {
    if (pending) pieces.push(...shaped(pending.face, pending.text, pending.rtl));
    pending = null;
  };
  for (const { segment } of graphemes.segment(token)) {
    const characters = Array.from(segment);
    const speaker =
      characters.some(isUnseen) || piled(characters)
        ? undefined
        : faces.find((candidate) => characters.every((character) => candidate.has(character.codePointAt(0)!)));
    if (!speaker) {
      flush();
      for (const character of characters) {
        const single =
          isUnseen(character) || MARK.test(character) ? undefined : faces.find((f) => f.has(character.codePointAt(0)!));
        pieces.push(...(single ? shaped(single, character, RTL.test(character)) : [boxed(character)]));
      }
      continue;
    }
    const rtl = RTL.test(segment);
    if (pending && pending.face === speaker && pending.rtl === rtl) pending.text += segment;
    else {
      flush();
      pending = { face: speaker, text: segment, rtl };
    }
  }
  flush();
  return pieces;
}

/** Marks without a letter, or so many on one that they would be drawn over the neighbouring lines. */
function piled(characters: string[]): boolean {
  return MARK.test(characters[0] ?? '') || characters.length > 4;
}

function inFace(speaker: Face, text: string, rtl = false): Piece {
  return { face: speaker, text, width: speaker.width(text), code: null, rtl };
}

/** A text the shaper cannot cope with is shown by its codes as well. */
function shaped(speaker: Face, text: string, rtl: boolean): Piece[] {
  try {
    return [inFace(speaker, text, rtl)];
  } catch {
    return Array.from(text, boxed);
  }
}

function boxed(character: string): Piece {
  const code = codeOf(character);
  const mono = face('Mono');
  return { face: mono, text: character, width: mono.width(code) * CODE_SCALE + 2 * CODE_PADDING, code, rtl: false };
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
  return !piece.code && !/\p{L}/u.test(piece.text);
}
