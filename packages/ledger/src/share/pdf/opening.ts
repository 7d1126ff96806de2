/** The first things a reader sees: what it is, whose, the link as a QR code, the verdict and who approved it. */
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { instant } from '@rcpt/contract/lanes/printed.ts';
import { MARK_OF_TONE } from '../marks.ts';
import { INK, MUTED, TONES } from '../palette.ts';
import { type QrCode, qrOf } from '../qr.ts';
import { measure } from '../text.ts';
import type { ReceiptView } from '../view.ts';
import { approvalInWords, safeHref, titleOf } from '../words.ts';
import { type Cell, type Element, heightOfLines, type Sheet, type Style, type StyledLine } from './layout.ts';
import { prose } from './sections.ts';
import { ASIDE, BODY, HASH, KIND, SMALL, STRONG, TITLE } from './styles.ts';

const QR_SIDE = 78;
/** A verdict taller than this is not framed: a frame cannot go on over pages. */
const TALLEST_PANEL = 260;

export function opening(sheet: Sheet, view: ReceiptView, share_url: string): void {
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
  sheet.row([cell(`${view.print.kind} receipt`, KIND, 'P')], group);
  sheet.space(3);
  sheet.row([cell(titleOf(view.print), TITLE, 'H1')], group);
  sheet.space(6);
  const sealed = `Sealed ${instant(view.created_at)}`;
  sheet.row([cell(view.organization.name, STRONG, 'P')], group);
  sheet.row([cell(sealed, ASIDE, 'P')], group);
  group.end();
  if (doc.bufferedPageRange().count === 1) sheet.y = Math.max(sheet.y, top + (code ? QR_SIDE + 16 : 0));
  sheet.space(18);
}

function drawQr(sheet: Sheet, code: QrCode, x: number, y: number, link: string): void {
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

export function verdict(sheet: Sheet, print: Print): void {
  const { outcome } = print;
  if (!outcome) return;
  const inner = sheet.inner - 36;
  const { ink } = TONES[outcome.tone] ?? TONES.neutral;
  const score = scoreOf(outcome, ink);
  const width = inner - score.width;
  const panel: Panel = {
    outcome,
    score,
    word: sheet.lines(outcome.word, { stack: 'strong', size: 19, leading: 26, color: ink }, width - 28),
    summary: sheet.lines(outcome.summary, BODY, width),
    approved: print.approval ? approvalLines(sheet, print.approval, inner) : [],
  };
  const closing = panel.approved.length > 0 ? heightOfLines(panel.approved) + 19 : 0;
  const height = 28 + heightOfLines(panel.word) + 4 + heightOfLines(panel.summary) + closing;
  if (height <= TALLEST_PANEL) {
    drawPanel(sheet, panel, height);
    return;
  }
  const short = { ...panel, word: panel.word.slice(0, 6), summary: [], approved: [] };
  drawPanel(sheet, short, 28 + heightOfLines(short.word));
  const group = sheet.group('Sect');
  const { approval } = print;
  const word = panel.word.length > short.word.length && outcome.word;
  for (const text of [word, outcome.summary, approval && approvalInWords(approval), approval?.by?.id, approval?.note]) {
    if (!text) continue;
    sheet.space(10);
    const lines = sheet.lines(text, BODY, sheet.inner);
    sheet.row([{ x: sheet.frame.left, width: sheet.inner, lines, tag: 'P' }], group);
  }
  group.end();
}

interface Panel {
  outcome: NonNullable<Print['outcome']>;
  score: Score;
  word: StyledLine[];
  summary: StyledLine[];
  approved: StyledLine[];
}

interface Score {
  text: string;
  style: Style;
  /** What it takes from the width of the text beside it. */
  width: number;
}

const OF: Style = { ...SMALL, size: 9, leading: 14 };

function scoreOf({ score_100 }: Panel['outcome'], color: string): Score {
  const style: Style = { stack: 'strong', size: 26, leading: 30, color };
  if (score_100 === null) return { text: '', style, width: 0 };
  const text = String(score_100);
  return { text, style, width: measure(text, 'strong', style.size) + measure('/ 100', 'text', OF.size) + 28 };
}

function approvalLines(sheet: Sheet, approval: NonNullable<Print['approval']>, width: number): StyledLine[] {
  const said = sheet.lines(approvalInWords(approval), BODY, width);
  if (approval.by?.id) said.push(...sheet.lines(approval.by.id, { ...HASH, color: MUTED }, width));
  return approval.note ? [...said, ...sheet.lines(approval.note, ASIDE, width)] : said;
}

function drawPanel(sheet: Sheet, { outcome, score, word, summary, approved }: Panel, height: number): void {
  const { ink, tint } = TONES[outcome.tone] ?? TONES.neutral;
  const left = sheet.frame.left + 18;
  const inner = sheet.inner - 36;
  const width = inner - score.width;
  sheet.need(height + 12);
  const top = sheet.y;
  drawGround(sheet, height, ink, tint);
  const group = sheet.group('Sect');
  const mark = { mark: MARK_OF_TONE[outcome.tone] ?? 'dash', color: ink, size: 19 };
  sheet.y = top + 14;
  sheet.row([{ x: left, width: width - 28, lines: word, tag: 'H2', mark }], group);
  if (score.text) drawScore(sheet, score, top, group);
  if (summary.length > 0) {
    sheet.space(4);
    sheet.row([{ x: left, width, lines: summary, tag: 'P' }], group);
  }
  if (approved.length > 0) {
    sheet.space(9);
    sheet.rule(ink, left, inner, 0.3);
    sheet.space(9);
    sheet.row([{ x: left, width: inner, lines: approved, tag: 'P' }], group);
  }
  sheet.y = top + height;
  group.end();
}

function drawGround(sheet: Sheet, height: number, ink: string, tint: string): void {
  const { doc, frame } = sheet;
  sheet.artifact(() => {
    doc.save().roundedRect(frame.left, sheet.y, sheet.inner, height, 5).clip();
    doc.rect(frame.left, sheet.y, sheet.inner, height).fill(tint);
    doc.rect(frame.left, sheet.y, 5, height).fill(ink);
    doc.restore();
    doc.lineWidth(0.6).strokeOpacity(0.35);
    doc.roundedRect(frame.left, sheet.y, sheet.inner, height, 5).stroke(ink).strokeOpacity(1);
  });
  sheet.forgetInk();
}

function drawScore(sheet: Sheet, score: Score, top: number, group: Element): void {
  const { doc, frame } = sheet;
  const right = frame.width - frame.right - 18;
  const element = sheet.group('P', group);
  const content = doc.markStructureContent('P');
  const [of] = sheet.lines('/ 100', OF, 60);
  const [number] = sheet.lines(score.text, score.style, 200);
  if (of && number) {
    sheet.drawLine(number, right - of.width - 4 - number.width, top + 12, score.style);
    sheet.drawLine(of, right - of.width, top + 23.5, OF);
  }
  doc.endMarkedContent();
  element.add(content);
  element.end();
}

/** Only where no verdict stands before it. */
export function approval(sheet: Sheet, print: Print): void {
  const { approval, outcome } = print;
  if (!approval || outcome) return;
  prose(sheet, 'Approval', [approvalInWords(approval), approval.by?.id, approval.note].filter(Boolean).join('\n'));
}
