/** The sections of a printed receipt: facts, checks, evidence, running text. */
import type { PrintedCheck, PrintedEvidence, Section } from '@rcpt/contract/lanes/lane.ts';
import { sentence } from '@rcpt/contract/lanes/printed.ts';
import { markOfCheck } from '../marks.ts';
import { INK, LINK, MUTED, RULE, TONES } from '../palette.ts';
import { deciderId, decisionInWords, leftOutInWords, safeHref, tally, toneOfCheck } from '../words.ts';
import type { Cell, Element, Sheet, StyledLine } from './layout.ts';
import { ASIDE, BODY, COLUMN, HASH, HEADING, SMALL, STRONG } from './styles.ts';

/** A table's heading, its column heads and a first row. */
const TABLE_ROOM = 110;
/** Between a row of checks or evidence and the rules above and below it. */
const ROW_SPACE = 5;
/** Rows of each list, and sections, also of a document that is full. */
const ALWAYS_DRAWN = 8;

export function drawSections(sheet: Sheet, sections: Section[]): void {
  each(sheet, sections, 'section', (section) => drawSection(sheet, section));
}

function drawSection(sheet: Sheet, section: Section): void {
  switch (section.kind) {
    case 'facts':
      facts(sheet, section.title, section.facts, section.left_out);
      break;
    case 'checks':
      checks(sheet, section.title, section.checks);
      break;
    case 'evidence':
      evidence(sheet, section.title, section.evidence);
      break;
    case 'text':
      prose(sheet, section.title, section.text);
      break;
  }
}

/** `note` stands at the right end of the heading's line; `room` keeps the heading with what follows it. */
export function heading(sheet: Sheet, title: string, note = '', room = 64): void {
  const { frame } = sheet;
  if (sheet.y > frame.top) sheet.space(22);
  sheet.need(room);
  const aside = note ? sheet.oneLine(note, SMALL, sheet.inner / 2) : undefined;
  const width = sheet.inner - (aside ? aside.width + 20 : 0);
  const cells: Cell[] = [{ x: frame.left, width, lines: sheet.lines(title, HEADING, width), tag: 'H2' }];
  if (aside) cells.push({ x: frame.width - frame.right - aside.width, width: aside.width, lines: [aside], tag: 'P' });
  const group = sheet.group('Sect');
  sheet.row(cells, group);
  group.end();
  sheet.space(5);
  sheet.rule(INK);
}

export function facts(
  sheet: Sheet,
  title: string,
  list: { label: string; value: string; mono?: boolean; href?: string }[],
  left_out = 0,
): void {
  if (list.length === 0) return;
  const { frame } = sheet;
  const label_width = 124;
  const x = frame.left + label_width + 12;
  const width = sheet.inner - label_width - 12;
  heading(sheet, title);
  const table = sheet.group('Table');
  each(
    sheet,
    list,
    'member',
    (fact, i) => {
      const href = safeHref(fact.href);
      const style = { ...(fact.mono ? HASH : BODY), color: href ? LINK : INK };
      if (i > 0) sheet.rule(RULE);
      sheet.space(4.5);
      const tr = sheet.group('TR', table);
      sheet.row(
        [
          {
            x: frame.left,
            width: label_width,
            lines: sheet.lines(fact.label, { ...ASIDE, size: 9 }, label_width),
            tag: 'TH',
          },
          {
            x,
            width,
            lines: sheet.lines(fact.value || '—', { ...style, leading: BODY.leading }, width),
            tag: 'TD',
            href,
          },
        ],
        tr,
      );
      tr.end();
      sheet.space(4.5);
    },
    left_out,
  );
  table.end();
}

function columns(sheet: Sheet, table: Element, heads: { x: number; width: number; text: string }[]): void {
  let first = true;
  sheet.repeat(() => {
    const cells = heads.map((head) => ({ ...head, lines: sheet.lines(head.text, COLUMN, head.width), tag: 'TH' }));
    sheet.space(4);
    if (first) {
      const tr = sheet.group('TR', table);
      sheet.row(cells, tr);
      tr.end();
    } else {
      sheet.artifact(() => {
        for (const cell of cells) for (const line of cell.lines) sheet.drawLine(line, cell.x, sheet.y, COLUMN);
      });
      sheet.space(COLUMN.leading);
    }
    sheet.space(3);
    sheet.rule(RULE);
    // The row that goes on here left its own space on the page before.
    if (!first) sheet.space(ROW_SPACE);
    first = false;
  });
}

function checks(sheet: Sheet, title: string, list: PrintedCheck[]): void {
  const { frame } = sheet;
  const right = frame.width - frame.right;
  const status = { x: frame.left, width: 58, text: 'Status' };
  const rule = { x: frame.left + 66, width: sheet.inner - 66 - 148, text: 'Check' };
  const category = { x: right - 138, width: 72, text: 'Category' };
  const severity = { x: right - 58, width: 58, text: 'Severity' };
  heading(sheet, title, tally(list), TABLE_ROOM);
  if (list.length === 0) {
    nothing(sheet, 'No check was recorded.');
    return;
  }
  const table = sheet.group('Table');
  columns(sheet, table, [status, rule, category, severity]);
  each(sheet, list, 'check', (check, i) => {
    const tone = TONES[toneOfCheck(check)];
    if (i > 0) sheet.rule(RULE);
    sheet.space(ROW_SPACE);
    const tr = sheet.group('TR', table);
    const small = { ...SMALL, leading: STRONG.leading };
    sheet.row(
      [
        {
          ...status,
          lines: sheet.lines(sentence(check.status), { ...STRONG, size: 9, color: tone.ink }, status.width - 16),
          tag: 'TD',
          mark: { mark: markOfCheck(check), color: tone.ink, size: 10.5 },
        },
        {
          ...rule,
          lines: [
            ...sheet.lines(check.label, STRONG, rule.width),
            ...decided(sheet, check, rule.width),
            ...(check.detail && check.detail !== '—' ? sheet.lines(check.detail, SMALL, rule.width) : []),
          ],
          tag: 'TD',
        },
        { ...category, lines: sheet.lines(sentence(check.category), small, category.width), tag: 'TD' },
        { ...severity, lines: sheet.lines(sentence(check.severity), small, severity.width), tag: 'TD' },
      ],
      tr,
    );
    tr.end();
    sheet.space(ROW_SPACE);
  });
  sheet.repeat(null);
  table.end();
}

/** A key's or a person's decision, with the id that tells which of the two it was. */
function decided(sheet: Sheet, check: PrintedCheck, width: number): StyledLine[] {
  const words = decisionInWords(check);
  if (words === null) return [];
  return [...sheet.lines(words, SMALL, width), ...sheet.lines(deciderId(check), { ...HASH, color: MUTED }, width)];
}

function evidence(sheet: Sheet, title: string, list: PrintedEvidence[]): void {
  const { frame } = sheet;
  const right = frame.width - frame.right;
  const kind = { x: frame.left, width: 66, text: 'Kind' };
  const sized = list.some((piece) => piece.size !== null);
  const item = {
    x: frame.left + 74,
    width: sheet.inner - 74 - (sized ? 92 : 0),
    text: 'Evidence and SHA-256 of its bytes',
  };
  const size = { x: right - 82, width: 82, text: 'Size' };
  heading(sheet, title, list.length === 1 ? '1 item' : `${list.length} items`, TABLE_ROOM);
  if (list.length === 0) {
    nothing(sheet, 'No evidence was attached.');
    return;
  }
  const table = sheet.group('Table');
  columns(sheet, table, sized ? [kind, item, size] : [kind, item]);
  each(sheet, list, 'item', (piece, i) => {
    if (i > 0) sheet.rule(RULE);
    sheet.space(ROW_SPACE);
    const tr = sheet.group('TR', table);
    const small = { ...SMALL, leading: STRONG.leading };
    sheet.row(
      [
        { ...kind, lines: sheet.lines(sentence(piece.kind), small, kind.width), tag: 'TD' },
        {
          ...item,
          lines: [...sheet.lines(piece.label, STRONG, item.width), ...sheet.lines(piece.sha256, HASH, item.width)],
          tag: 'TD',
        },
        ...(sized ? [{ ...size, lines: sheet.lines(piece.size ?? '—', small, size.width), tag: 'TD' }] : []),
      ],
      tr,
    );
    tr.end();
    sheet.space(ROW_SPACE);
  });
  sheet.repeat(null);
  table.end();
}

export function prose(sheet: Sheet, title: string, text: string): void {
  heading(sheet, title);
  sheet.space(6);
  const group = sheet.group('Sect');
  const { frame } = sheet;
  sheet.row([{ x: frame.left, width: sheet.inner, lines: sheet.lines(text, BODY, sheet.inner), tag: 'P' }], group);
  group.end();
}

/** Row after row; in a document that is full only the first few. Says how many more there are, `left_out` before included. */
function each<Item>(
  sheet: Sheet,
  list: Item[],
  what: Parameters<typeof leftOutInWords>[1],
  draw: (item: Item, i: number) => void,
  left_out = 0,
): void {
  let drawn = 0;
  for (const item of list) {
    if (sheet.full && drawn >= ALWAYS_DRAWN) break;
    draw(item, drawn);
    drawn += 1;
  }
  const more = list.length - drawn + left_out;
  if (more > 0) nothing(sheet, `${leftOutInWords(more, what)} in the attached file.`);
}

function nothing(sheet: Sheet, text: string): void {
  sheet.space(5);
  const group = sheet.group('Sect');
  sheet.row(
    [
      {
        x: sheet.frame.left,
        width: sheet.inner,
        lines: sheet.lines(text, ASIDE, sheet.inner),
        tag: 'P',
      },
    ],
    group,
  );
  group.end();
}
