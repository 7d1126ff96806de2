/**
 * The picture that stands beside a share link in a chat or a mail (Open Graph): 1200 × 630, drawn as paths with the faces
 * of the PDF, so that the same receipt is the same bytes on every machine.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { instant } from '@rcpt/contract/lanes/printed.ts';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { CARD } from './card-size.ts';
import { type FontStack, face } from './fonts.ts';
import { MARK_OF_TONE, MARKS, type Mark } from './marks.ts';
import { html, raw } from './page/html.ts';
import { INK, MUTED, PAPER, RULE, TONES } from './palette.ts';
import { CODE_SCALE, ended, type Line, measure, oneLine, wrap } from './text.ts';
import { type ReceiptView, type Rendered, viewOf } from './view.ts';
import { ALTERED, titleOf } from './words.ts';

const MARGIN = 72;
const INNER = CARD.width - 2 * MARGIN;
const TITLE_LINES = 3;
/** The band at the foot that says how it went. */
const BAND = { top: 416, height: CARD.height - 416 } as const;
/** What it says stands around this height. */
const MIDDLE = BAND.top + 72;

/** Started with the first card: a ledger that draws no card does not load it. */
let renderer: Promise<void> | null = null;

export async function renderCard(input: Rendered): Promise<Uint8Array> {
  renderer ??= initWasm(readFileSync(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))));
  await renderer;
  const picture = new Resvg(drawCard(input)).render();
  try {
    return picture.asPng();
  } finally {
    picture.free();
  }
}

/** The drawing itself, as SVG without text: nothing a receipt says is markup here. */
export function drawCard(input: Rendered): string {
  const view = viewOf(input);
  const tone = input.verified ? (view.print.outcome?.tone ?? 'neutral') : 'bad';
  const { width, height } = CARD;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<path fill="${PAPER}" d="M0 0h${width}v${height}h-${width}z"/>
<path fill="${TONES[tone].ink}" d="M0 0h${width}v10h-${width}z"/>
${raw(heading(view))}
<path fill="${TONES[tone].tint}" d="M0 ${BAND.top}h${width}v${BAND.height}h-${width}z"/>
<path fill="${RULE}" d="M0 ${BAND.top}h${width}v1h-${width}z"/>
${raw(input.verified ? verdict(view) : altered())}
${raw(foot(view))}
</svg>`.markup;
}

function heading(view: ReceiptView): string {
  const kind = `${view.print.kind} receipt`;
  const kind_width = measure(kind, 'text', 27);
  return [
    write(view.organization.name || view.organization.id, 'strong', 30, MARGIN, 92, INK, INNER - kind_width - 40),
    write(kind, 'text', 27, CARD.width - MARGIN - kind_width, 92, MUTED),
    title(titleOf(view.print)),
  ].join('\n');
}

/** In the largest size that holds it. */
function title(text: string): string {
  const fitting = [66, 54].map((size) => ({ size, lines: wrap(text, 'strong', size, INNER) }));
  const { size, lines } = fitting.find(({ lines }) => lines.length <= TITLE_LINES) ?? fitting[1]!;
  const shown = lines.slice(0, TITLE_LINES);
  if (lines.length > TITLE_LINES) shown[TITLE_LINES - 1] = ended(shown[TITLE_LINES - 1]!, 'strong', size, INNER);
  return shown.map((line, i) => strokeLine(line, size, MARGIN, 192 + i * size * 1.2, INK)).join('\n');
}

function verdict({ print }: ReceiptView): string {
  const { outcome } = print;
  if (outcome === null) return facts(print);
  const { ink } = TONES[outcome.tone];
  const score = outcome.score_100 === null ? '' : String(outcome.score_100);
  const of = score && '/ 100';
  const of_width = measure(of, 'text', 30);
  const score_width = measure(score, 'strong', 70);
  const right = CARD.width - MARGIN;
  return [
    mark(MARK_OF_TONE[outcome.tone], MARGIN, MIDDLE - 26, 52, ink),
    write(outcome.word, 'strong', 52, MARGIN + 72, MIDDLE + 18, ink, INNER - 72 - score_width - of_width - 60),
    write(score, 'strong', 70, right - of_width - score_width - 14, MIDDLE + 24, ink),
    write(of, 'text', 30, right - of_width, MIDDLE + 24, MUTED),
  ].join('\n');
}

/** A lane without a verdict is told by the first things it states. */
function facts({ kind, sections }: Print): string {
  const stated = sections.find((section) => section.kind === 'facts')?.facts ?? [];
  const short = stated.filter(({ value, mono }) => !mono && value !== '' && value.length <= 40).slice(0, 3);
  const { ink } = TONES.neutral;
  if (short.length === 0) return write(`${kind}, sealed`, 'strong', 46, MARGIN, MIDDLE + 16, ink);
  const room = INNER / short.length - 30;
  return short
    .map(({ label, value }, i) => {
      const x = MARGIN + (i * INNER) / short.length;
      return (
        write(label, 'text', 25, x, MIDDLE - 22, MUTED, room) + write(value, 'strong', 42, x, MIDDLE + 32, ink, room)
      );
    })
    .join('\n');
}

function altered(): string {
  const { ink } = TONES.bad;
  return mark('cross', MARGIN, MIDDLE - 26, 52, ink) + write(ALTERED, 'strong', 44, MARGIN + 72, MIDDLE + 16, ink);
}

function foot({ receipt_id, created_at, receipt_sha256 }: ReceiptView): string {
  const hash = `${receipt_sha256.slice(0, 16)}…`;
  const hash_width = measure(hash, 'mono', 23);
  const [day] = instant(created_at).split(', ');
  const sealed = `${receipt_id}   sealed ${day}`;
  return [
    write(sealed, 'mono', 23, MARGIN, CARD.height - 44, MUTED, INNER - hash_width - 40),
    write(hash, 'mono', 23, CARD.width - MARGIN - hash_width, CARD.height - 44, MUTED),
  ].join('\n');
}

function mark(name: Mark, x: number, y: number, side: number, ink: string): string {
  const { solid, cut, line } = MARKS[name];
  const stroke = (d: string, colour: string) =>
    d &&
    `<path fill="none" stroke="${colour}" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" d="${d}"/>`;
  return `<g transform="translate(${x} ${y}) scale(${side / 16})">${solid && `<path fill="${ink}" d="${solid}"/>`}${stroke(cut, PAPER)}${stroke(line, ink)}</g>`;
}

/** One line that starts at `x` on the baseline `y`, ended with an ellipsis where it is wider than `most`. */
function write(text: string, stack: FontStack, size: number, x: number, y: number, ink: string, most = INNER): string {
  return strokeLine(oneLine(text, stack, size, Math.max(most, size)), size, x, y, ink);
}

function strokeLine(line: Line, size: number, x: number, y: number, ink: string): string {
  const paths: string[] = [];
  let at = x;
  for (const piece of line.pieces) {
    paths.push(glyphs(piece.face.name, piece.text, piece.coded ? size * CODE_SCALE : size, at, y, ink));
    at += piece.width * size;
  }
  return paths.join('');
}

function glyphs(name: string, text: string, size: number, x: number, y: number, ink: string): string {
  const { font } = face(name);
  const scale = size / font.unitsPerEm;
  const { glyphs, positions } = font.layout(text);
  let at = 0;
  const paths = glyphs.map((glyph, i) => {
    const { xOffset, yOffset, xAdvance } = positions[i]!;
    const d = glyph.path.translate(at + xOffset, yOffset).toSVG();
    at += xAdvance;
    return d;
  });
  return `<path fill="${ink}" transform="translate(${x} ${y}) scale(${scale} ${-scale})" d="${paths.join('')}"/>`;
}
