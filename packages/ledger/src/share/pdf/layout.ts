/**
 * A document being written from top to bottom: rows of cells that break over pages by themselves, each put into the
 * structure tree that screen readers follow.
 */
import { createDrawingBudget } from '../drawing-budget.ts';
import type { Face, FontStack } from '../fonts.ts';
import { MARKS, type Mark } from '../marks.ts';
import { INK, PAPER } from '../palette.ts';
import { CODE_SCALE, type Line, oneLine, type Piece, wrap } from '../text.ts';

export interface Style {
  stack: FontStack;
  size: number;
  /** Distance from one baseline to the next, in points. */
  leading: number;
  color: string;
}

export interface StyledLine extends Line {
  style: Style;
}

/** Where a cell stands on the line. */
export interface Column {
  x: number;
  width: number;
}

export interface Cell extends Column {
  lines: StyledLine[];
  /** Its structure type: P, H2, TH, TD, LBody. */
  tag: string;
  mark?: { mark: Mark; color: string; size: number };
  href?: string | undefined;
}

export type Element = PDFKit.PDFStructureElement;

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Layout = ReturnType<typeof createLayout>;

export function createLayout(doc: PDFKit.PDFDocument, frame: Frame) {
  let y = frame.top;
  let root: Element | null = null;
  let ink: { page: unknown; color: string } = { page: null, color: '' };
  /** Drawn again at the top of a page that continues a table. */
  let heading: (() => void) | null = null;

  const budget = createDrawingBudget();
  /** Cuts what no one would read on paper, and says so: the attached file holds all of it. */
  const within = (text: string, stack: FontStack): string => {
    const length = budget.take(text, stack);
    if (length === text.length) return text;
    const kept = text.slice(0, length).toWellFormed().trimEnd();
    return `${kept} […] ${(text.length - length).toLocaleString('en')} more characters stand in the attached file.`;
  };

  const fill = (color: string) => {
    if (ink.page === doc.page && ink.color === color) return;
    doc.fillColor(color);
    ink = { page: doc.page, color };
  };

  const breakPage = () => {
    doc.addPage();
    y = frame.top;
    heading?.();
  };

  const drawText = (font_face: Face, size: number, text: string, x: number, baseline: number) => {
    doc.font(font_face.name, size).text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic' });
  };

  /** `top` is the upper edge of the line's leading. */
  const drawLine = (line: Line, x: number, top: number, style: Style) => {
    fill(style.color);
    const baseline = top + style.leading / 2 + style.size * 0.35;
    let left = x;
    for (const piece of joined(line.pieces)) {
      const { actual, text } = piece;
      if (actual !== undefined) doc.markContent('Span', { actual, alt: text } as never);
      drawText(piece.face, piece.coded ? style.size * CODE_SCALE : style.size, text, left, baseline);
      if (actual !== undefined) doc.endMarkedContent();
      left += piece.width * style.size;
    }
  };

  const drawMark = (mark: Mark, x: number, top: number, size: number, color: string) => {
    const shape = MARKS[mark];
    doc
      .save()
      .translate(x, top)
      .scale(size / 16);
    if (shape.solid) doc.path(shape.solid).fill(color);
    doc.lineCap('round').lineJoin('round').lineWidth(1.8);
    if (shape.cut) doc.path(shape.cut).stroke(PAPER);
    if (shape.line) doc.path(shape.line).stroke(color);
    doc.restore();
    ink = { page: null, color: '' };
  };

  const drawSlice = (cell: Cell, lines: StyledLine[], element: Element, first: boolean) => {
    if (lines.length === 0 && !(first && cell.mark)) return;
    const content = doc.markStructureContent(cell.tag);
    let top = y;
    let x = cell.x;
    if (cell.mark) {
      const { mark, color, size } = cell.mark;
      if (first) drawMark(mark, cell.x, y + ((lines[0]?.style.leading ?? size) - size) / 2, size, color);
      x += size + 5;
    }
    for (const line of lines) {
      drawLine(line, x, top, line.style);
      if (cell.href) doc.link(x, top, line.width, line.style.leading, cell.href);
      top += line.style.leading;
    }
    doc.endMarkedContent();
    element.add(content);
  };

  /**
   * Cells side by side. Moves to the next page whole when it fits there; taller than a page, it is cut between lines.
   */
  const row = (cells: Cell[], parent: Element) => {
    const elements = cells.map((cell) => {
      const element = doc.struct(cell.tag);
      parent.add(element);
      return element;
    });
    const left = cells.map((cell) => cell.lines);
    const tallest = Math.max(...cells.map(heightOf));
    if (y + tallest > frame.bottom && (tallest <= (frame.bottom - frame.top) * 0.5 || y + 40 > frame.bottom))
      breakPage();
    for (let first = true; first || left.some((lines) => lines.length > 0); first = false) {
      if (!first) breakPage();
      let used = 0;
      cells.forEach((cell, i) => {
        const fitting = fit(left[i]!, frame.bottom - y);
        drawSlice(cell, fitting, elements[i]!, first);
        left[i] = left[i]!.slice(fitting.length);
        used = Math.max(used, first ? Math.max(heightOfLines(fitting), cell.mark?.size ?? 0) : heightOfLines(fitting));
      });
      y += used;
    }
    for (const element of elements) element.end();
  };

  /** A structure element under the document, to be ended by the caller. */
  const group = (tag: string, under: Element | null = root, alt?: string): Element => {
    const element = doc.struct(tag, alt === undefined ? {} : { alt });
    under?.add(element);
    return element;
  };

  const lines = (text: string, style: Style, width: number): StyledLine[] =>
    wrap(within(text, style.stack), style.stack, style.size, width).map((line) => ({ ...line, style }));

  return {
    doc,
    frame,
    get y() {
      return y;
    },
    set y(to: number) {
      y = to;
    },
    get inner() {
      return frame.width - frame.left - frame.right;
    },
    begin() {
      root = doc.struct('Document');
      doc.addStructure(root);
      doc.addPage();
    },
    end() {
      root?.end();
    },
    group,
    /** True when so much is drawn already that lists have to end. */
    get full() {
      return budget.isSpent;
    },
    /** Room for `units` of what stands in every document, however full this one is. */
    makeRoom: (units: number) => budget.add(units),
    space(height: number) {
      y += height;
    },
    /** Starts a page unless `height` points are left on this one. */
    need(height: number) {
      if (y + height > frame.bottom) breakPage();
    },
    /** Drawn now, and again on each page the table reaches until the next call. */
    repeat(draw: (() => void) | null) {
      heading = draw;
      draw?.();
    },
    rule(color: string, x = frame.left, width = frame.width - frame.left - frame.right, opacity = 1) {
      artifact(doc, () => {
        doc.lineWidth(0.5).strokeColor(color, opacity);
        doc
          .moveTo(x, y)
          .lineTo(x + width, y)
          .stroke()
          .strokeOpacity(1);
      });
    },
    artifact: (draw: () => void) => artifact(doc, draw),
    row,
    /** A row in a structure element of its own. */
    rowIn(tag: string, cells: Cell[], under: Element | null = root) {
      const element = group(tag, under);
      row(cells, element);
      element.end();
    },
    /** A text as a cell of a column. */
    cell: (column: Column, text: string, style: Style, tag: string): Cell => ({
      ...column,
      lines: lines(text, style, column.width),
      tag,
    }),
    drawLine,
    drawMark,
    lines,
    /** The first line alone, ended with an ellipsis where there is more. */
    oneLine: (text: string, style: Style, width: number): StyledLine => ({
      ...oneLine(within(text, style.stack), style.stack, style.size, width),
      style,
    }),
    /** Page switches and drawing past this layout lose its idea of the current colour. */
    forgetInk() {
      ink = { page: null, color: INK };
    },
  };
}

export function heightOfLines(lines: StyledLine[]): number {
  let height = 0;
  for (const line of lines) height += line.style.leading;
  return height;
}

function heightOf(cell: Cell): number {
  return Math.max(heightOfLines(cell.lines), cell.mark?.size ?? 0);
}

/** As many lines as fit; at least one, so that every round gets on. */
function fit(lines: StyledLine[], height: number): StyledLine[] {
  let used = 0;
  let count = 0;
  for (const line of lines) {
    if (count > 0 && used + line.style.leading > height) break;
    used += line.style.leading;
    count++;
  }
  return lines.slice(0, count);
}

/** Neighbours of one face are drawn in one go, which also keeps the spaces between words in the text that is copied out. */
function joined(pieces: Piece[]): Piece[] {
  const runs: Piece[] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    const alike = last?.coded === piece.coded && (last.actual === undefined) === (piece.actual === undefined);
    if (last && alike && !last.rtl && !piece.rtl && last.face === piece.face) {
      last.text += piece.text;
      if (piece.actual !== undefined) last.actual += piece.actual;
      last.width += piece.width;
    } else runs.push({ ...piece });
  }
  return runs;
}

function artifact(doc: PDFKit.PDFDocument, draw: () => void): void {
  doc.markContent('Artifact', { type: 'Layout' });
  draw();
  doc.endMarkedContent();
}
