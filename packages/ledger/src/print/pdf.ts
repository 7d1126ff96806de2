/** A receipt on paper: A4, the verdict first, the sealed bytes attached. A rendering, never the record. */
import type { Print, PrintedCheck, PrintedEvidence, Section } from '@rcpt/contract/lanes/lane.ts';
import { instant, sentence } from '@rcpt/contract/lanes/printed.ts';
import { MARK_OF_TONE, markOfCheck } from './marks.ts';
import { ALARM, INK, LINK, MUTED, PAPER, RULE, TONES, WASH } from './palette.ts';
import { qrOf } from './qr.ts';
import { type Reading, type Rendered, read } from './reading.ts';
import { type Cell, createDocument, createSheet, type Frame, heightOfLines, type Sheet, type Style } from './sheet.ts';
import { measure } from './text.ts';
import {
  ALTERED,
  ALTERED_DETAIL,
  approvalInWords,
  commandByHand,
  FOUR_ANSWERS,
  fileName,
  plainLine,
  safeHref,
  tally,
  titleOf,
  toneOfCheck,
} from './words.ts';

const A4 = { width: 595.28, height: 841.89, left: 56, right: 56 };
const BANNER_HEIGHT = 40;
const QR_SIDE = 78;

const KIND: Style = { voice: 'strong', size: 8.5, leading: 12, color: MUTED };
const TITLE: Style = { voice: 'strong', size: 20, leading: 26, color: INK };
const HEADING: Style = { voice: 'strong', size: 11.5, leading: 16, color: INK };
const BODY: Style = { voice: 'text', size: 9.5, leading: 14, color: INK };
const STRONG: Style = { ...BODY, voice: 'strong' };
const SMALL: Style = { voice: 'text', size: 8.5, leading: 12.5, color: MUTED };
const COLUMN: Style = { voice: 'strong', size: 7.5, leading: 12, color: MUTED };
const HASH: Style = { voice: 'mono', size: 7.9, leading: 12.5, color: INK };

/** The PDF of one receipt; the same bytes for the same input, whenever and wherever it is made. */
export function renderPdf(input: Rendered): Promise<Buffer> {
  return drawReading(read(input.receipt), input);
}

/** The drawing behind `renderPdf`, for a receipt that has been read already. */
export function drawReading(reading: Reading, input: Omit<Rendered, 'receipt'>): Promise<Buffer> {
  const frame: Frame = { ...A4, top: input.verified ? 74 : 74 + BANNER_HEIGHT + 10, bottom: A4.height - 62 };
  const sealed_at = dateOf(reading.created_at);
  const doc = createDocument(frame, {
    Title: plainLine(`${titleOf(reading.print)} (${reading.receipt_id})`),
    Author: plainLine(reading.organization.name),
    Subject: plainLine(`Receipt ${reading.receipt_id}${input.verified ? '' : `: ${ALTERED}`}`),
    Keywords: plainLine(`${reading.schema} ${reading.receipt_sha256}`),
    Creator: 'Receipt ledger',
    CreationDate: sealed_at,
    ModDate: sealed_at,
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  const sheet = createSheet(doc, frame);
  sheet.begin();
  opening(sheet, reading, input.share_url);
  verdict(sheet, reading.print);
  approval(sheet, reading.print);
  for (const section of reading.print.sections) drawSection(sheet, section);
  seal(sheet, reading, input.share_url);
  verification(sheet, reading, input);
  sheet.end();
  everyPage(sheet, reading, input.verified);
  doc.file(Buffer.from(input.bytes, 'utf8'), {
    name: fileName(reading),
    type: 'application/json',
    description: 'The receipt as sealed: canonical JSON, the bytes that receipt_sha256 stands for',
    relationship: 'Source',
    creationDate: sealed_at,
    modifiedDate: sealed_at,
  } as never);
  doc.end();
  return done;
}

function opening(sheet: Sheet, reading: Reading, share_url: string): void {
  const { frame, doc } = sheet;
  const code = qrOf(share_url);
  const width = sheet.inner - (code ? QR_SIDE + 28 : 0);
  const top = sheet.y;
  if (code) drawQr(sheet, code, frame.width - frame.right - QR_SIDE, top, share_url);
  const cell = (text: string, style: Style, tag: string): Cell => ({
    x: frame.left,
    width,
    lines: sheet.lines(text, style, width),
    tag,
  });
  const group = sheet.group('Sect');
  sheet.row([cell(`${reading.print.kind} receipt`, KIND, 'P')], group);
  sheet.space(3);
  sheet.row([cell(titleOf(reading.print), TITLE, 'H1')], group);
  sheet.space(6);
  const sealed = `Sealed ${instant(reading.created_at)}`;
  sheet.row([cell(reading.organization.name, { ...BODY, voice: 'strong' }, 'P')], group);
  sheet.row([cell(sealed, { ...BODY, color: MUTED }, 'P')], group);
  group.end();
  if (doc.bufferedPageRange().count === 1) sheet.y = Math.max(sheet.y, top + (code ? QR_SIDE + 16 : 0));
  sheet.space(18);
}

function drawQr(sheet: Sheet, code: NonNullable<ReturnType<typeof qrOf>>, x: number, y: number, link: string): void {
  const { doc } = sheet;
  const figure = sheet.group('Figure', undefined, `QR code of ${link}`);
  const content = doc.markStructureContent('Figure');
  const module = QR_SIDE / code.side;
  for (const stretch of code.stretches) {
    doc.rect(x + stretch.x * module, y + stretch.y * module, stretch.length * module, module);
  }
  doc.fill(INK);
  doc.endMarkedContent();
  figure.add(content);
  figure.end();
  sheet.forgetInk();
  if (safeHref(link)) doc.link(x, y, QR_SIDE, QR_SIDE, link);
  const caption = 'Open this receipt';
  const style: Style = { ...SMALL, size: 7, leading: 10 };
  sheet.artifact(() => {
    const [line] = sheet.lines(caption, style, QR_SIDE);
    if (line) sheet.drawLine(line, x + (QR_SIDE - line.width) / 2, y + QR_SIDE + 5, style);
  });
}

function verdict(sheet: Sheet, print: Print): void {
  const { outcome } = print;
  if (!outcome) return;
  const { frame, doc } = sheet;
  const tone = TONES[outcome.tone] ?? TONES.neutral;
  const word: Style = { voice: 'strong', size: 19, leading: 26, color: tone.ink };
  const score = outcome.score_100 === null ? '' : String(outcome.score_100);
  const score_style: Style = { voice: 'strong', size: 26, leading: 30, color: tone.ink };
  const of_style: Style = { voice: 'text', size: 9, leading: 14, color: MUTED };
  const score_width = score ? measure(score, 'strong', 26) + measure(' / 100', 'text', 9) + 24 : 0;
  const left = frame.left + 18;
  const inner = sheet.inner - 36;
  const width = inner - score_width;
  const word_lines = sheet.lines(outcome.word, word, width - 28);
  const summary_lines = sheet.lines(outcome.summary, BODY, width);
  const approved = print.approval
    ? [
        ...sheet.lines(approvalInWords(print.approval), BODY, inner),
        ...(print.approval.note ? sheet.lines(print.approval.note, { ...BODY, color: MUTED }, inner) : []),
      ]
    : [];
  const closing = approved.length > 0 ? heightOfLines(approved) + 19 : 0;
  const height = 28 + heightOfLines(word_lines) + 4 + heightOfLines(summary_lines) + closing;
  const fits = height <= 260;
  const panel = fits ? height : 28 + heightOfLines(word_lines.slice(0, 6));
  sheet.need(panel + 12);
  const top = sheet.y;
  sheet.artifact(() => {
    doc.save().roundedRect(frame.left, top, sheet.inner, panel, 5).clip();
    doc.rect(frame.left, top, sheet.inner, panel).fill(tone.tint);
    doc.rect(frame.left, top, 5, panel).fill(tone.ink);
    doc.restore();
    doc
      .lineWidth(0.6)
      .strokeOpacity(0.35)
      .roundedRect(frame.left, top, sheet.inner, panel, 5)
      .stroke(tone.ink)
      .strokeOpacity(1);
  });
  sheet.forgetInk();
  const group = sheet.group('Sect');
  sheet.y = top + 14;
  sheet.row(
    [
      {
        x: left,
        width: width - 28,
        lines: fits ? word_lines : word_lines.slice(0, 6),
        tag: 'H2',
        mark: { mark: MARK_OF_TONE[outcome.tone] ?? 'dash', color: tone.ink, size: 19 },
      },
    ],
    group,
  );
  if (score) {
    const element = sheet.group('P', group);
    const content = doc.markStructureContent('P');
    const right = frame.width - frame.right - 18;
    const of = sheet.lines('/ 100', of_style, 60)[0]!;
    const number = sheet.lines(score, score_style, 200)[0]!;
    sheet.drawLine(number, right - of.width - 4 - number.width, top + 12, score_style);
    sheet.drawLine(of, right - of.width, top + 23.5, of_style);
    doc.endMarkedContent();
    element.add(content);
    element.end();
  }
  if (fits) {
    sheet.space(4);
    sheet.row([{ x: left, width, lines: summary_lines, tag: 'P' }], group);
    if (approved.length > 0) {
      sheet.space(9);
      sheet.rule(tone.ink, left, inner, 0.3);
      sheet.space(9);
      sheet.row([{ x: left, width: inner, lines: approved, tag: 'P' }], group);
    }
    sheet.y = top + panel;
  } else {
    sheet.y = top + panel + 12;
    for (const text of [outcome.summary, print.approval && approvalInWords(print.approval), print.approval?.note]) {
      if (!text) continue;
      sheet.row([{ x: frame.left, width: sheet.inner, lines: sheet.lines(text, BODY, sheet.inner), tag: 'P' }], group);
      sheet.space(8);
    }
  }
  group.end();
}

/** Only where no verdict stands before it. */
function approval(sheet: Sheet, print: Print): void {
  const { approval, outcome } = print;
  if (!approval || outcome) return;
  prose(sheet, 'Approval', [approvalInWords(approval), approval.note].filter(Boolean).join('\n'));
}

function drawSection(sheet: Sheet, section: Section): void {
  switch (section.kind) {
    case 'facts':
      facts(sheet, section.title, section.facts);
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

/** `note` stands at the right end of the heading's line. */
function heading(sheet: Sheet, title: string, note = ''): void {
  const { frame } = sheet;
  sheet.space(22);
  sheet.need(64);
  const aside = note ? sheet.lines(note, SMALL, sheet.inner / 2)[0] : undefined;
  const width = sheet.inner - (aside ? aside.width + 20 : 0);
  const cells: Cell[] = [{ x: frame.left, width, lines: sheet.lines(title, HEADING, width), tag: 'H2' }];
  if (aside) cells.push({ x: frame.width - frame.right - aside.width, width: aside.width, lines: [aside], tag: 'P' });
  const group = sheet.group('Sect');
  sheet.row(cells, group);
  group.end();
  sheet.space(5);
  sheet.rule(INK);
}

function facts(
  sheet: Sheet,
  title: string,
  list: { label: string; value: string; mono?: boolean; href?: string }[],
): void {
  if (list.length === 0) return;
  const { frame } = sheet;
  const label_width = 124;
  const x = frame.left + label_width + 12;
  const width = sheet.inner - label_width - 12;
  heading(sheet, title);
  const table = sheet.group('Table');
  list.forEach((fact, i) => {
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
          lines: sheet.lines(fact.label, { ...BODY, size: 9, color: MUTED }, label_width),
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
  });
  table.end();
}

function columns(
  sheet: Sheet,
  table: PDFKit.PDFStructureElement,
  heads: { x: number; width: number; text: string }[],
): void {
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
    first = false;
    sheet.space(3);
    sheet.rule(RULE);
  });
}

function checks(sheet: Sheet, title: string, list: PrintedCheck[]): void {
  const { frame } = sheet;
  const right = frame.width - frame.right;
  const status = { x: frame.left, width: 58, text: 'Status' };
  const rule = { x: frame.left + 66, width: sheet.inner - 66 - 148, text: 'Check' };
  const category = { x: right - 138, width: 72, text: 'Category' };
  const severity = { x: right - 58, width: 58, text: 'Severity' };
  heading(sheet, title, tally(list));
  if (list.length === 0) {
    nothing(sheet, 'No check was recorded.');
    return;
  }
  const table = sheet.group('Table');
  columns(sheet, table, [status, rule, category, severity]);
  list.forEach((check, i) => {
    const tone = TONES[toneOfCheck(check)];
    if (i > 0) sheet.rule(RULE);
    sheet.space(5);
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
    sheet.space(5);
  });
  sheet.repeat(null);
  table.end();
}

function evidence(sheet: Sheet, title: string, list: PrintedEvidence[]): void {
  const { frame } = sheet;
  const right = frame.width - frame.right;
  const kind = { x: frame.left, width: 66, text: 'Kind' };
  const item = { x: frame.left + 74, width: sheet.inner - 74 - 92, text: 'Evidence and SHA-256 of its bytes' };
  const size = { x: right - 82, width: 82, text: 'Size' };
  heading(sheet, title, list.length === 1 ? '1 item' : `${list.length} items`);
  if (list.length === 0) {
    nothing(sheet, 'No evidence was attached.');
    return;
  }
  const table = sheet.group('Table');
  columns(sheet, table, [kind, item, size]);
  list.forEach((piece, i) => {
    if (i > 0) sheet.rule(RULE);
    sheet.space(5);
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
        { ...size, lines: sheet.lines(piece.size ?? '—', small, size.width), tag: 'TD' },
      ],
      tr,
    );
    tr.end();
    sheet.space(5);
  });
  sheet.repeat(null);
  table.end();
}

function prose(sheet: Sheet, title: string, text: string): void {
  heading(sheet, title);
  sheet.space(6);
  const group = sheet.group('Sect');
  for (const paragraph of text.split(/\n{2,}/)) {
    sheet.row(
      [{ x: sheet.frame.left, width: sheet.inner, lines: sheet.lines(paragraph, BODY, sheet.inner), tag: 'P' }],
      group,
    );
    sheet.space(5);
  }
  group.end();
}

function nothing(sheet: Sheet, text: string): void {
  sheet.space(5);
  const group = sheet.group('Sect');
  sheet.row(
    [
      {
        x: sheet.frame.left,
        width: sheet.inner,
        lines: sheet.lines(text, { ...BODY, color: MUTED }, sheet.inner),
        tag: 'P',
      },
    ],
    group,
  );
  group.end();
}

function seal(sheet: Sheet, reading: Reading, share_url: string): void {
  const genesis = /^0{64}$/.test(reading.parent_hash);
  facts(sheet, 'Place in the chain', [
    {
      label: 'Organization',
      value: [reading.organization.name, reading.organization.id].filter(Boolean).join('  ·  '),
    },
    { label: 'Position', value: genesis ? `${reading.org_seq}, the first of its chain` : reading.org_seq },
    { label: 'Receipt', value: reading.receipt_id, mono: true },
    { label: 'Hash of the previous', value: reading.parent_hash, mono: true },
    { label: 'Hash of this receipt', value: reading.receipt_sha256, mono: true },
    { label: 'Schema', value: reading.schema, mono: true },
    { label: 'Link', value: share_url, mono: true, href: share_url },
  ]);
}

function verification(sheet: Sheet, reading: Reading, input: Omit<Rendered, 'receipt'>): void {
  const { frame, doc } = sheet;
  const file = fileName(reading);
  const steps = [
    `Save the file ${file} that is attached to this PDF, or download it from the link above. It holds the receipt as it was sealed.`,
    'Recompute its hash, offline, with this line (or with the command rcpt verify):',
  ];
  const command = sheet.lines(
    commandByHand(input.bytes, reading.receipt_sha256, file),
    { ...HASH, size: 7.6 },
    sheet.inner - 24,
  );
  const box = heightOfLines(command) + 14;
  sheet.need(box + 150);
  heading(sheet, 'Check it yourself');
  sheet.space(7);
  const group = sheet.group('Sect');
  const step = (text: string, number: string) => {
    const width = sheet.inner - 18;
    sheet.row(
      [
        { x: frame.left, width: 14, lines: sheet.lines(number, { ...STRONG, color: MUTED }, 14), tag: 'Lbl' },
        { x: frame.left + 18, width, lines: sheet.lines(text, BODY, width), tag: 'P' },
      ],
      group,
    );
    sheet.space(4);
  };
  step(steps[0]!, '1');
  sheet.need(box + 40);
  step(steps[1]!, '2');
  sheet.need(box);
  const top = sheet.y;
  if (box < frame.bottom - frame.top) {
    sheet.artifact(() => doc.roundedRect(frame.left, top, sheet.inner, box, 4).fill(WASH));
    sheet.forgetInk();
  }
  sheet.space(7);
  sheet.row([{ x: frame.left + 12, width: sheet.inner - 24, lines: command, tag: 'Code' }], group);
  sheet.space(13);
  step(`It has to print ${reading.receipt_sha256 || 'the hash of this receipt'}`, '3');
  group.end();
  facts(
    sheet,
    'What this receipt shows, and what it cannot',
    FOUR_ANSWERS.map(([label, value]) => ({ label, value })),
  );
}

function everyPage(sheet: Sheet, reading: Reading, verified: boolean): void {
  const { doc, frame } = sheet;
  const { start, count } = doc.bufferedPageRange();
  const right = frame.width - frame.right;
  const small: Style = { voice: 'text', size: 7.5, leading: 11, color: MUTED };
  const mono: Style = { ...small, voice: 'mono', size: 7.2 };
  const organization = sheet.lines(reading.organization.name, { ...small, voice: 'strong' }, 300)[0];
  const id = sheet.lines(reading.receipt_id, mono, 180)[0];
  const hash = sheet.lines(`sha256 ${reading.receipt_sha256}`, mono, 380)[0];
  for (let page = 0; page < count; page++) {
    doc.switchToPage(start + page);
    sheet.forgetInk();
    doc.markContent('Artifact', { type: 'Pagination' });
    if (organization) sheet.drawLine(organization, frame.left, 34, { ...small, voice: 'strong' });
    if (id) sheet.drawLine(id, right - id.width, 34, mono);
    doc.lineWidth(0.5).strokeColor(RULE).moveTo(frame.left, 51).lineTo(right, 51).stroke();
    if (hash) sheet.drawLine(hash, frame.left, frame.height - 42, mono);
    const number = sheet.lines(`Page ${page + 1} of ${count}`, small, 120)[0]!;
    sheet.drawLine(number, right - number.width, frame.height - 42, small);
    if (!verified) banner(sheet);
    doc.endMarkedContent();
  }
}

function banner(sheet: Sheet): void {
  const { doc, frame } = sheet;
  const strong: Style = { voice: 'strong', size: 11.5, leading: 16, color: PAPER };
  const small: Style = { voice: 'text', size: 8, leading: 12, color: PAPER };
  const top = 60;
  doc.roundedRect(frame.left, top, sheet.inner, BANNER_HEIGHT, 4).fill(ALARM);
  sheet.drawMark('cross', frame.left + 13, top + 11, 18, ALARM);
  doc
    .save()
    .lineWidth(1.2)
    .strokeColor(PAPER)
    .circle(frame.left + 22, top + 20, 10.5)
    .stroke()
    .restore();
  sheet.forgetInk();
  sheet.drawLine(sheet.lines(ALTERED, strong, 400)[0]!, frame.left + 44, top + 5, strong);
  sheet.drawLine(sheet.lines(ALTERED_DETAIL, small, sheet.inner)[0]!, frame.left + 44, top + 21.5, small);
}

function dateOf(instant: string): Date {
  const at = new Date(instant);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}
