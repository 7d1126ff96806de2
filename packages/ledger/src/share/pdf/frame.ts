/** What stands on every page: whose, which receipt, its hash, the page number, and the warning when it was altered. */
import { ALARM, MUTED, PAPER, RULE } from '../palette.ts';
import type { ReceiptView } from '../view.ts';
import { ALTERED, ALTERED_DETAIL } from '../words.ts';
import type { Layout, Style } from './layout.ts';

export const BANNER_HEIGHT = 40;

export function everyPage(layout: Layout, view: ReceiptView, verified: boolean): void {
  const { doc, frame } = layout;
  const { start, count } = doc.bufferedPageRange();
  const right = frame.width - frame.right;
  const small: Style = { stack: 'text', size: 7.5, leading: 11, color: MUTED };
  const mono: Style = { ...small, stack: 'mono', size: 7.2 };
  const organization = layout.oneLine(view.organization.name, { ...small, stack: 'strong' }, 300);
  const id = layout.oneLine(view.receipt_id, mono, 180);
  const hash = layout.oneLine(`sha256 ${view.receipt_sha256}`, mono, 380);
  for (let page = 0; page < count; page++) {
    doc.switchToPage(start + page);
    layout.forgetInk();
    doc.markContent('Artifact', { type: 'Pagination' });
    layout.drawLine(organization, frame.left, 34, { ...small, stack: 'strong' });
    layout.drawLine(id, right - id.width, 34, mono);
    doc.lineWidth(0.5).strokeColor(RULE).moveTo(frame.left, 51).lineTo(right, 51).stroke();
    layout.drawLine(hash, frame.left, frame.height - 42, mono);
    const number = layout.lines(`Page ${page + 1} of ${count}`, small, 120)[0]!;
    layout.drawLine(number, right - number.width, frame.height - 42, small);
    if (!verified) banner(layout);
    doc.endMarkedContent();
  }
}

function banner(layout: Layout): void {
  const { doc, frame } = layout;
  const strong: Style = { stack: 'strong', size: 11.5, leading: 16, color: PAPER };
  const small: Style = { stack: 'text', size: 8, leading: 12, color: PAPER };
  const top = 60;
  doc.roundedRect(frame.left, top, layout.inner, BANNER_HEIGHT, 4).fill(ALARM);
  layout.drawMark('cross', frame.left + 13, top + 11, 18, ALARM);
  doc
    .save()
    .lineWidth(1.2)
    .strokeColor(PAPER)
    .circle(frame.left + 22, top + 20, 10.5)
    .stroke()
    .restore();
  layout.forgetInk();
  layout.drawLine(layout.lines(ALTERED, strong, 400)[0]!, frame.left + 44, top + 5, strong);
  layout.drawLine(layout.lines(ALTERED_DETAIL, small, layout.inner)[0]!, frame.left + 44, top + 21.5, small);
}
