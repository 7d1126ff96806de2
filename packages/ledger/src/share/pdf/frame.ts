/** What stands on every page: whose, which receipt, its hash, the page number, and the warning when it was altered. */
import { ALARM, MUTED, PAPER, RULE } from '../palette.ts';
import type { ReceiptView } from '../view.ts';
import { ALTERED, ALTERED_DETAIL } from '../words.ts';
import type { Sheet, Style } from './layout.ts';

export const BANNER_HEIGHT = 40;

export function everyPage(sheet: Sheet, view: ReceiptView, verified: boolean): void {
  const { doc, frame } = sheet;
  const { start, count } = doc.bufferedPageRange();
  const right = frame.width - frame.right;
  const small: Style = { stack: 'text', size: 7.5, leading: 11, color: MUTED };
  const mono: Style = { ...small, stack: 'mono', size: 7.2 };
  const organization = sheet.oneLine(view.organization.name, { ...small, stack: 'strong' }, 300);
  const id = sheet.oneLine(view.receipt_id, mono, 180);
  const hash = sheet.oneLine(`sha256 ${view.receipt_sha256}`, mono, 380);
  for (let page = 0; page < count; page++) {
    doc.switchToPage(start + page);
    sheet.forgetInk();
    doc.markContent('Artifact', { type: 'Pagination' });
    sheet.drawLine(organization, frame.left, 34, { ...small, stack: 'strong' });
    sheet.drawLine(id, right - id.width, 34, mono);
    doc.lineWidth(0.5).strokeColor(RULE).moveTo(frame.left, 51).lineTo(right, 51).stroke();
    sheet.drawLine(hash, frame.left, frame.height - 42, mono);
    const number = sheet.lines(`Page ${page + 1} of ${count}`, small, 120)[0]!;
    sheet.drawLine(number, right - number.width, frame.height - 42, small);
    if (!verified) banner(sheet);
    doc.endMarkedContent();
  }
}

function banner(sheet: Sheet): void {
  const { doc, frame } = sheet;
  const strong: Style = { stack: 'strong', size: 11.5, leading: 16, color: PAPER };
  const small: Style = { stack: 'text', size: 8, leading: 12, color: PAPER };
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
