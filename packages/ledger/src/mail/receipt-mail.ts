/** The mail that carries a receipt: what it says and what is attached. Pure. */
import { createHash } from 'node:crypto';
import { runsLeft, shownLine } from '@rcpt/contract/shown.ts';
import type { Message } from './mail.ts';

export interface ReceiptMail {
  receipt: {
    receipt_id: string;
    organization: { id: string; name: string };
    receipt_sha256: string;
    created_at: string;
  };
  /** What was done, in one line, as it was written when the Run was opened. */
  title: string;
  /** The stored canonical bytes, as text: attached unchanged. */
  bytes: string;
  pdf: Uint8Array;
  to: string;
  share_url: string;
}

const TITLE_LENGTH = 120;

/** The same receipt and recipient give the same message. Throws when `to` is not one plain address. */
export function receiptMail({ receipt, title, bytes, pdf, to, share_url }: ReceiptMail): Message {
  const { receipt_id, organization, receipt_sha256, created_at } = receipt;
  if (!/^[^\s<>"(),:;@[\\\]]+@[^\s<>"(),:;@[\\\]]+$/.test(to)) throw new InvalidRecipient();
  const facts: [string, string][] = [
    ['Receipt', receipt_id],
    ['What', shownLine(title, TITLE_LENGTH)],
    ['Organization', shownLine(organization.name, TITLE_LENGTH)],
    ['Minted', created_at],
    ['SHA-256', receipt_sha256],
  ];
  return {
    id: `${receipt_id}.${identity(organization.id, receipt_id, to)}`,
    to,
    subject: `Receipt ${receipt_id} · ${shownLine(title, TITLE_LENGTH)}`,
    text: asText(facts, share_url),
    html: asHtml(facts, share_url),
    attachments: [
      { filename: `${receipt_id}.pdf`, content_type: 'application/pdf', bytes: pdf },
      { filename: `${receipt_id}.json`, content_type: 'application/json', bytes: Buffer.from(bytes, 'utf8') },
    ],
  };
}

export class InvalidRecipient extends Error {
  constructor() {
    super('the recipient is not one plain e-mail address');
  }
}

const ATTACHED =
  'The receipt is attached twice: as a PDF to read, and as JSON, the exact bytes that were sealed. ' +
  'Anyone holding the JSON can check offline that it was not changed.';
const OPEN_TO_ALL = 'Everyone with this link can see the receipt.';

function asText(facts: [string, string][], share_url: string): string {
  const width = Math.max(...facts.map(([label]) => label.length)) + 2;
  const lines = facts.map(([label, value]) => label.padEnd(width) + value);
  return ['A receipt was minted.', '', ...lines, '', share_url, OPEN_TO_ALL, '', ATTACHED, ''].join('\n');
}

function asHtml(facts: [string, string][], share_url: string): string {
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#5c6470">${escapeHtml(label)}</td>` +
      `<td style="padding:2px 0;word-break:break-all">${isolatedHtml(value)}</td></tr>`,
  );
  const link = /^https?:\/\//.test(share_url) ? `<a href="${escapeHtml(share_url)}">View the receipt</a>` : '';
  return `<!doctype html>
<html lang="en"><body style="font:15px/1.5 system-ui,sans-serif;color:#1c2026;max-width:40rem">
<p>A receipt was minted.</p>
<table style="border-collapse:collapse;font-size:14px">${rows.join('')}</table>
<p>${link}<br><span style="color:#5c6470">${OPEN_TO_ALL}</span></p>
<p style="color:#5c6470">${ATTACHED}</p>
</body></html>
`;
}

/** Names the mail, not its recipient: an address cannot be read back from a Message-ID or a file name. */
function identity(organization_id: string, receipt_id: string, to: string): string {
  const facts = JSON.stringify([organization_id, receipt_id, to.toLowerCase()]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}

/** A name that runs from right to left turns nothing around in its sentence: the isolates of plain text, and of HTML. */
export function isolated(line: string): string {
  return runsLeft(line) ? `\u2068${line}\u2069` : line;
}
export function isolatedHtml(line: string): string {
  return runsLeft(line) ? `<bdi>${escapeHtml(line)}</bdi>` : escapeHtml(line);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
