/**
 * The faces receipts are printed with, opened once per thread and shared by every document. A font stack is a list of faces: a
 * character is drawn in the first one that has a glyph for it. A character that none has is shown by its code, never left out.
 */
import { fileURLToPath } from 'node:url';
import * as fontkit from 'fontkit';

export type FontStack = 'text' | 'strong' | 'mono';

export interface Face {
  /** The name under which a document registers it. */
  name: string;
  /** What PDFKit is given: an opened font whose shaping is remembered. */
  font: fontkit.Font;
  has(code_point: number): boolean;
  /** Advance width in em. Throws where the shaper cannot cope; the caller falls back. */
  width(text: string): number;
}

const FACES: Record<FontStack, string[]> = {
  text: ['Inter', 'DejaVuSans'],
  strong: ['InterStrong', 'DejaVuSansStrong'],
  mono: ['Mono', 'DejaVuSansMono', 'DejaVuSans'],
};

const FILES: Record<string, string> = {
  Inter: '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  InterStrong: '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
  Mono: '@expo-google-fonts/jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf',
  DejaVuSans: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  DejaVuSansStrong: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
  DejaVuSansMono: 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf',
};

/** Off: they would draw `->` as an arrow and `0x1` as a product. What is printed is what was sealed. Also six times faster. */
const FEATURES = { calt: false, clig: false, liga: false, dlig: false };
const REMEMBERED_RUNS = 8_000;
const LONGEST_REMEMBERED = 40;

const opened = new Map<string, Face>();

export function facesOf(stack: FontStack): Face[] {
  return FACES[stack].map(face);
}

export function face(name: string): Face {
  let found = opened.get(name);
  if (!found) {
    const file = FILES[name];
    if (!file) throw new TypeError(`no face is called ${name}`);
    found = open(name, fileURLToPath(import.meta.resolve(file)));
    opened.set(name, found);
  }
  return found;
}

function open(name: string, path: string): Face {
  const font = fontkit.openSync(path) as fontkit.Font;
  const shape = remembered(font);
  const coverage = new Map<number, boolean>();
  return {
    name,
    font: Object.create(font, { layout: { value: shape } }) as fontkit.Font,
    has(code_point) {
      let has = coverage.get(code_point);
      if (has === undefined) {
        has = font.hasGlyphForCodePoint(code_point);
        if (coverage.size < 10_000) coverage.set(code_point, has);
      }
      return has;
    },
    width: (text) => shape(text).advanceWidth / font.unitsPerEm,
  };
}

/** Kerning closes the gap that the point of `33.123` needs to be seen: between digits it keeps its own width. */
function pointsKept(text: string, run: fontkit.GlyphRun): fontkit.GlyphRun {
  if (!/\d\.\d/.test(text)) return run;
  const said = run.glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints));
  const stretch = (i: number) => /^(?:\d\.|\.\d)$/.test(`${said[i]}${said[i + 1]}`);
  const positions = run.positions.map((position, i) =>
    stretch(i) ? { ...position, xAdvance: run.glyphs[i]!.advanceWidth } : position,
  );
  const advanceWidth = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
  return { glyphs: run.glyphs, positions, advanceWidth } as fontkit.GlyphRun;
}

/** Shaping is most of a document's cost and the same words return. Positions are handed out as copies: PDFKit scales them in place. */
function remembered(font: fontkit.Font): (text: string) => fontkit.GlyphRun {
  const runs = new Map<string, fontkit.GlyphRun>();
  return (text) => {
    let run = runs.get(text);
    if (!run) {
      run = pointsKept(text, font.layout(text, FEATURES as never));
      if (runs.size >= REMEMBERED_RUNS) runs.clear();
      if (text.length <= LONGEST_REMEMBERED) runs.set(text, run);
    }
    const { glyphs, positions, advanceWidth } = run;
    return { glyphs, positions: positions.map((position) => ({ ...position })), advanceWidth } as fontkit.GlyphRun;
  };
}
