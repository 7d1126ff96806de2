/** The first things a reader sees: what it is, whose, the link as a QR code, the verdict and who approved it. */
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { instant } from '@rcpt/contract/lanes/printed.ts';
import { MARK_OF_TONE } from '../marks.ts';
import { INK, MUTED, TONES } from '../palette.ts';
import { type QrCode, qrOf } from '../qr.ts';
import { measure } from '../text.ts';
import type { ReceiptView } from '../view.ts';
import { approvalInWords, safeHref, titleOf } from '../words.ts';
import { type Element, heightOfLines, type Layout, type Style, type StyledLine } from './layout.ts';
import { prose } from './sections.ts';
import { ASIDE, BODY, HASH, KIND, SMALL, STRONG, TITLE } from './styles.ts';

const QR_SIDE = 78;
/** A verdict taller than this is not framed: a frame cannot go on over pages. */
const TALLEST_PANEL = 260;

export function opening(layout: Layout, view: ReceiptView, share_url: string): void {
  const { frame, doc } = layout;
  const code = qrOf(share_url);
  const width = layout.inner - (code ? QR_SIDE + 28 : 0);
  const top = layout.y;
  if (code) drawQr(layout, code, frame.width - frame.right - QR_SIDE, top, share_url);
  const column = { x: frame.left, width };
  const group = layout.group('Sect');
  layout.row([layout.cell(column, `${view.print.kind} receipt`, KIND, 'P')], group);
  layout.space(3);
  layout.row([layout.cell(column, titleOf(view.print), TITLE, 'H1')], group);
  layout.space(6);
  const sealed = `Sealed ${instant(view.created_at)}`;
  layout.row([layout.cell(column, view.organization.name, STRONG, 'P')], group);
  layout.row([layout.cell(column, sealed, ASIDE, 'P')], group);
  group.end();
  if (doc.bufferedPageRange().count === 1) layout.y = Math.max(layout.y, top + (code ? QR_SIDE + 16 : 0));
  layout.space(18);
}

function drawQr(layout: Layout, code: QrCode, x: number, y: number, link: string): void {
  const { doc } = layout;
  const figure = layout.group('Figure', undefined, `QR code of ${link}`);
  const content = doc.markStructureContent('Figure');
  const module = QR_SIDE / code.side;
  for (const stretch of code.stretches) {
    doc.rect(x + stretch.x * module, y + stretch.y * module, stretch.length * module, module);
  }
  doc.fill(INK);
  doc.endMarkedContent();
  figure.add(content);
  figure.end();
  layout.forgetInk();
  if (safeHref(link)) doc.link(x, y, QR_SIDE, QR_SIDE, link);
  const caption = 'Open this receipt';
  const style: Style = { ...SMALL, size: 7, leading: 10 };
  layout.artifact(() => {
    const [line] = layout.lines(caption, style, QR_SIDE);
    if (line) layout.drawLine(line, x + (QR_SIDE - line.width) / 2, y + QR_SIDE + 5, style);
  });
}

export function verdict(layout: Layout, print: Print): void {
  const { outcome } = print;
  if (!outcome) return;
  const inner = layout.inner - 36;
  const { ink } = TONES[outcome.tone] ?? TONES.neutral;
  const score = scoreOf(outcome, ink);
  const width = inner - score.width;
  const panel: Panel = {
    outcome,
    score,
    word: layout.lines(outcome.word, { stack: 'strong', size: 19, leading: 26, color: ink }, width - 28),
    summary: layout.lines(outcome.summary, BODY, width),
    approved: print.approval ? approvalLines(layout, print.approval, inner) : [],
  };
  const closing = panel.approved.length > 0 ? heightOfLines(panel.approved) + 19 : 0;
  const height = 28 + heightOfLines(panel.word) + 4 + heightOfLines(panel.summary) + closing;
  if (height <= TALLEST_PANEL) {
    drawPanel(layout, panel, height);
    return;
  }
  const short = { ...panel, word: panel.word.slice(0, 6), summary: [], approved: [] };
  drawPanel(layout, short, 28 + heightOfLines(short.word));
  const group = layout.group('Sect');
  const { approval } = print;
  const word = panel.word.length > short.word.length && outcome.word;
  for (const text of [word, outcome.summary, approval && approvalInWords(approval), approval?.by?.id, approval?.note]) {
    if (!text) continue;
    layout.space(10);
    layout.row([layout.cell({ x: layout.frame.left, width: layout.inner }, text, BODY, 'P')], group);
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

function approvalLines(layout: Layout, approval: NonNullable<Print['approval']>, width: number): StyledLine[] {
  const said = layout.lines(approvalInWords(approval), BODY, width);
  if (approval.by?.id) said.push(...layout.lines(approval.by.id, { ...HASH, color: MUTED }, width));
  return approval.note ? [...said, ...layout.lines(approval.note, ASIDE, width)] : said;
}

function drawPanel(layout: Layout, { outcome, score, word, summary, approved }: Panel, height: number): void {
  const { ink, tint } = TONES[outcome.tone] ?? TONES.neutral;
  const left = layout.frame.left + 18;
  const inner = layout.inner - 36;
  const width = inner - score.width;
  layout.need(height + 12);
  const top = layout.y;
  drawGround(layout, height, ink, tint);
  const group = layout.group('Sect');
  const mark = { mark: MARK_OF_TONE[outcome.tone] ?? 'dash', color: ink, size: 19 };
  layout.y = top + 14;
  layout.row([{ x: left, width: width - 28, lines: word, tag: 'H2', mark }], group);
  if (score.text) drawScore(layout, score, top, group);
  if (summary.length > 0) {
    layout.space(4);
    layout.row([{ x: left, width, lines: summary, tag: 'P' }], group);
  }
  if (approved.length > 0) {
    layout.space(9);
    layout.rule(ink, left, inner, 0.3);
    layout.space(9);
    layout.row([{ x: left, width: inner, lines: approved, tag: 'P' }], group);
  }
  layout.y = top + height;
  group.end();
}

function drawGround(layout: Layout, height: number, ink: string, tint: string): void {
  const { doc, frame } = layout;
  layout.artifact(() => {
    doc.save().roundedRect(frame.left, layout.y, layout.inner, height, 5).clip();
    doc.rect(frame.left, layout.y, layout.inner, height).fill(tint);
    doc.rect(frame.left, layout.y, 5, height).fill(ink);
    doc.restore();
    doc.lineWidth(0.6).strokeOpacity(0.35);
    doc.roundedRect(frame.left, layout.y, layout.inner, height, 5).stroke(ink).strokeOpacity(1);
  });
  layout.forgetInk();
}

function drawScore(layout: Layout, score: Score, top: number, group: Element): void {
  const { doc, frame } = layout;
  const right = frame.width - frame.right - 18;
  const element = layout.group('P', group);
  const content = doc.markStructureContent('P');
  const [of] = layout.lines('/ 100', OF, 60);
  const [number] = layout.lines(score.text, score.style, 200);
  if (of && number) {
    layout.drawLine(number, right - of.width - 4 - number.width, top + 12, score.style);
    layout.drawLine(of, right - of.width, top + 23.5, OF);
  }
  doc.endMarkedContent();
  element.add(content);
  element.end();
}

/** Only where no verdict stands before it. */
export function approval(layout: Layout, print: Print): void {
  const { approval, outcome } = print;
  if (!approval || outcome) return;
  prose(layout, 'Approval', [approvalInWords(approval), approval.by?.id, approval.note].filter(Boolean).join('\n'));
}
