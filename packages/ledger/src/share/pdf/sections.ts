/** The sections of a printed receipt: facts, checks, evidence, running text. */
import type { PrintedCheck, PrintedEvidence, Section } from '@rcpt/contract/lanes/lane.ts';
import { sentence } from '@rcpt/contract/lanes/printed.ts';
import { markOfCheck } from '../marks.ts';
import { INK, LINK, MUTED, RULE, TONES } from '../palette.ts';
import { deciderId, decisionInWords, leftOutInWords, safeHref, tally, toneOfCheck } from '../words.ts';
import type { Cell, Column, Element, Layout, Style, StyledLine } from './layout.ts';
import { ASIDE, BODY, COLUMN, HASH, HEADING, SMALL, STRONG } from './styles.ts';

/** A table's heading, its column heads and a first row. */
const TABLE_ROOM = 110;
/** Between a row of checks or evidence and the rules above and below it. */
const ROW_SPACE = 5;
/** Rows of each list, and sections, also of a document that is full. */
const ALWAYS_DRAWN = 8;

export function drawSections(layout: Layout, sections: Section[]): void {
  each(layout, sections, 'section', (section) => drawSection(layout, section));
}

function drawSection(layout: Layout, section: Section): void {
  switch (section.kind) {
    case 'facts':
      facts(layout, section.title, section.facts, section.left_out);
      break;
    case 'checks':
      checks(layout, section.title, section.checks);
      break;
    case 'evidence':
      evidence(layout, section.title, section.evidence);
      break;
    case 'text':
      prose(layout, section.title, section.text);
      break;
  }
}

/** `note` stands at the right end of the heading's line; `room` keeps the heading with what follows it. */
export function heading(layout: Layout, title: string, note = '', room = 64): void {
  const { frame } = layout;
  if (layout.y > frame.top) layout.space(22);
  layout.need(room);
  const aside = note ? layout.oneLine(note, SMALL, layout.inner / 2) : undefined;
  const width = layout.inner - (aside ? aside.width + 20 : 0);
  const cells: Cell[] = [layout.cell({ x: frame.left, width }, title, HEADING, 'H2')];
  if (aside) cells.push({ x: frame.width - frame.right - aside.width, width: aside.width, lines: [aside], tag: 'P' });
  layout.rowIn('Sect', cells);
  layout.space(5);
  layout.rule(INK);
}

export function facts(
  layout: Layout,
  title: string,
  list: { label: string; value: string; mono?: boolean; href?: string }[],
  left_out = 0,
): void {
  if (list.length === 0) return;
  const { frame } = layout;
  const name = { x: frame.left, width: 124 };
  const value = { x: frame.left + 136, width: layout.inner - 136 };
  heading(layout, title);
  const table = layout.group('Table');
  each(
    layout,
    list,
    'member',
    (fact, i) => {
      const href = safeHref(fact.href);
      const style = { ...(fact.mono ? HASH : BODY), color: href ? LINK : INK, leading: BODY.leading };
      const cells = [
        layout.cell(name, fact.label, { ...ASIDE, size: 9 }, 'TH'),
        { ...layout.cell(value, fact.value || '—', style, 'TD'), href },
      ];
      tableRow(layout, table, i, cells, 4.5);
    },
    left_out,
  );
  table.end();
}

/** With a rule above it, but above the first. */
function tableRow(layout: Layout, table: Element, i: number, cells: Cell[], space = ROW_SPACE): void {
  if (i > 0) layout.rule(RULE);
  layout.space(space);
  layout.rowIn('TR', cells, table);
  layout.space(space);
}

function columns(layout: Layout, table: Element, heads: (Column & { text: string })[]): void {
  let first = true;
  layout.repeat(() => {
    const cells = heads.map((head) => layout.cell(head, head.text, COLUMN, 'TH'));
    layout.space(4);
    if (first) layout.rowIn('TR', cells, table);
    else {
      layout.artifact(() => {
        for (const cell of cells) for (const line of cell.lines) layout.drawLine(line, cell.x, layout.y, COLUMN);
      });
      layout.space(COLUMN.leading);
    }
    layout.space(3);
    layout.rule(RULE);
    // The row that goes on here left its own space on the page before.
    if (!first) layout.space(ROW_SPACE);
    first = false;
  });
}

function checks(layout: Layout, title: string, list: PrintedCheck[]): void {
  const { frame } = layout;
  const right = frame.width - frame.right;
  const status = { x: frame.left, width: 58, text: 'Status' };
  const rule = { x: frame.left + 66, width: layout.inner - 66 - 148, text: 'Check' };
  const category = { x: right - 138, width: 72, text: 'Category' };
  const severity = { x: right - 58, width: 58, text: 'Severity' };
  heading(layout, title, tally(list), TABLE_ROOM);
  if (list.length === 0) {
    nothing(layout, 'No check was recorded.');
    return;
  }
  const table = layout.group('Table');
  columns(layout, table, [status, rule, category, severity]);
  each(layout, list, 'check', (check, i) => {
    const tone = TONES[toneOfCheck(check)];
    const small = { ...SMALL, leading: STRONG.leading };
    tableRow(layout, table, i, [
      {
        ...status,
        lines: layout.lines(sentence(check.status), { ...STRONG, size: 9, color: tone.ink }, status.width - 16),
        tag: 'TD',
        mark: { mark: markOfCheck(check), color: tone.ink, size: 10.5 },
      },
      {
        ...rule,
        lines: [
          ...layout.lines(check.label, STRONG, rule.width),
          ...decided(layout, check, rule.width),
          ...(check.detail && check.detail !== '—' ? layout.lines(check.detail, SMALL, rule.width) : []),
        ],
        tag: 'TD',
      },
      layout.cell(category, sentence(check.category), small, 'TD'),
      layout.cell(severity, sentence(check.severity), small, 'TD'),
    ]);
  });
  layout.repeat(null);
  table.end();
}

/** A key's or a person's decision, with the id that tells which of the two it was. */
function decided(layout: Layout, check: PrintedCheck, width: number): StyledLine[] {
  const words = decisionInWords(check);
  if (words === null) return [];
  return [...layout.lines(words, SMALL, width), ...layout.lines(deciderId(check), { ...HASH, color: MUTED }, width)];
}

function evidence(layout: Layout, title: string, list: PrintedEvidence[]): void {
  const { frame } = layout;
  const right = frame.width - frame.right;
  const kind = { x: frame.left, width: 66, text: 'Kind' };
  const sized = list.some((piece) => piece.size !== null);
  const item = {
    x: frame.left + 74,
    width: layout.inner - 74 - (sized ? 92 : 0),
    text: 'Evidence and SHA-256 of its bytes',
  };
  const size = { x: right - 82, width: 82, text: 'Size' };
  heading(layout, title, list.length === 1 ? '1 item' : `${list.length} items`, TABLE_ROOM);
  if (list.length === 0) {
    nothing(layout, 'No evidence was attached.');
    return;
  }
  const table = layout.group('Table');
  columns(layout, table, sized ? [kind, item, size] : [kind, item]);
  each(layout, list, 'item', (piece, i) => {
    const small = { ...SMALL, leading: STRONG.leading };
    const lines = [...layout.lines(piece.label, STRONG, item.width), ...layout.lines(piece.sha256, HASH, item.width)];
    tableRow(layout, table, i, [
      layout.cell(kind, sentence(piece.kind), small, 'TD'),
      { ...item, lines, tag: 'TD' },
      ...(sized ? [layout.cell(size, piece.size ?? '—', small, 'TD')] : []),
    ]);
  });
  layout.repeat(null);
  table.end();
}

export function prose(layout: Layout, title: string, text: string): void {
  heading(layout, title);
  layout.space(6);
  paragraph(layout, text, BODY);
}

/** Row after row; in a document that is full only the first few. Says how many more there are, `left_out` before included. */
function each<Item>(
  layout: Layout,
  list: Item[],
  what: Parameters<typeof leftOutInWords>[1],
  draw: (item: Item, i: number) => void,
  left_out = 0,
): void {
  let drawn = 0;
  for (const item of list) {
    if (layout.full && drawn >= ALWAYS_DRAWN) break;
    draw(item, drawn);
    drawn += 1;
  }
  const more = list.length - drawn + left_out;
  if (more > 0) nothing(layout, `${leftOutInWords(more, what)} in the attached file.`);
}

function nothing(layout: Layout, text: string): void {
  layout.space(5);
  paragraph(layout, text, ASIDE);
}

function paragraph(layout: Layout, text: string, style: Style): void {
  layout.rowIn('Sect', [layout.cell({ x: layout.frame.left, width: layout.inner }, text, style, 'P')]);
}
