/** A receipt on paper: A4, the verdict first, the sealed bytes attached. A rendering, never the record. */
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { SealedFile } from '@rcpt/proof/sealed-files.ts';
import { MUTED, WASH } from '../palette.ts';
import { doubted, type ReceiptView, type Rendered, viewOf } from '../view.ts';
import { ALTERED, commandByHand, FOUR_ANSWERS, fileName, plainLine, titleOf } from '../words.ts';
import { createDocument } from './document.ts';
import { BANNER_HEIGHT, everyPage } from './frame.ts';
import { createSheet, type Frame, heightOfLines, type Sheet } from './layout.ts';
import { approval, opening, verdict } from './opening.ts';
import { drawSections, facts, heading } from './sections.ts';
import { BODY, HASH, STRONG } from './styles.ts';

const A4 = { width: 595.28, height: 841.89, left: 56, right: 56 };
/** For what stands at the end of every document: its place in the chain, and how to check it. */
const CLOSING = 40_000;

/** The PDF of one receipt; the same bytes for the same input, whenever and wherever it is made. */
export function renderPdf(input: Rendered): Promise<Buffer> {
  return drawView(viewOf(input.receipt), input);
}

/** The drawing behind `renderPdf`, for a receipt that has been read already. */
export function drawView(said: ReceiptView, input: Omit<Rendered, 'receipt'>): Promise<Buffer> {
  const view = input.verified ? said : doubted(said);
  const frame: Frame = { ...A4, top: input.verified ? 74 : 74 + BANNER_HEIGHT + 10, bottom: A4.height - 62 };
  const sealed_at = dateOf(view.created_at);
  const doc = createDocument(frame, {
    Title: plainLine(`${titleOf(view.print)} (${view.receipt_id})`),
    Author: plainLine(view.organization.name),
    Subject: plainLine(`Receipt ${view.receipt_id}${input.verified ? '' : `: ${ALTERED}`}`),
    Keywords: plainLine(`${view.schema} ${view.receipt_sha256}`),
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
  opening(sheet, view, input.share_url);
  verdict(sheet, view.print);
  approval(sheet, view.print);
  drawSections(sheet, view.print.sections);
  sheet.makeRoom(CLOSING);
  seal(sheet, view, input.share_url);
  verification(sheet, view, input);
  sheet.end();
  everyPage(sheet, view, input.verified);
  doc.file(Buffer.from(input.bytes, 'utf8'), {
    name: fileName(view),
    type: 'application/json',
    description: 'The receipt as sealed: canonical JSON, the bytes that receipt_sha256 stands for',
    relationship: 'Source',
    creationDate: sealed_at,
    modifiedDate: sealed_at,
  } as never);
  doc.end();
  return done;
}

function seal(sheet: Sheet, view: ReceiptView, share_url: string): void {
  const first = view.parent_hash === GENESIS_HASH;
  facts(sheet, 'Place in the chain', [
    { label: 'Organization', value: view.organization.name },
    { label: 'Organization id', value: view.organization.id, mono: true },
    { label: 'Position', value: first ? `${view.org_seq}, the first of its chain` : view.org_seq },
    { label: 'Receipt', value: view.receipt_id, mono: true },
    { label: 'Hash of the previous', value: view.parent_hash, mono: true },
    { label: 'Hash of this receipt', value: view.receipt_sha256, mono: true },
    { label: 'Schema', value: view.schema, mono: true },
    { label: 'Link', value: share_url, mono: true, href: share_url },
  ]);
}

function verification(sheet: Sheet, view: ReceiptView, input: Omit<Rendered, 'receipt'>): void {
  const { frame, doc } = sheet;
  const file = fileName(view);
  const steps = [
    `Save the file ${file} that is attached to this PDF, or download it from the link above. It holds the receipt as it was sealed.`,
    'Recompute its hash, offline, with this line (or with the command rcpt verify):',
  ];
  const command = sheet.lines(
    commandByHand(input.bytes, view.receipt_sha256, file),
    { ...HASH, size: 7.6 },
    sheet.inner - 24,
  );
  const box = heightOfLines(command) + 14;
  sheet.need(box + 150);
  heading(sheet, 'Check it yourself');
  sheet.space(7);
  const group = sheet.group('Sect');
  const step = (text: string, number: string, hash = '') => {
    const width = sheet.inner - 18;
    sheet.row(
      [
        { x: frame.left, width: 14, lines: sheet.lines(number, { ...STRONG, color: MUTED }, 14), tag: 'Lbl' },
        {
          x: frame.left + 18,
          width,
          lines: [...sheet.lines(text, BODY, width), ...(hash ? sheet.lines(hash, HASH, width) : [])],
          tag: 'P',
        },
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
  step('It has to print the hash of this receipt:', '3', view.receipt_sha256);
  const { output } = view.sealed;
  if (input.verified && output) step(compareInWords(output, file), '4', output.sha256);
  group.end();
  facts(
    sheet,
    'What this receipt shows, and what it cannot',
    FOUR_ANSWERS.map(([label, value]) => ({ label, value })),
  );
}

function compareInWords({ name, hashed_as }: SealedFile, file: string): string {
  const json =
    hashed_as === 'bytes' ? '' : ` Where it is JSON in another formatting, run rcpt verify ${file} --output FILE.`;
  return `To compare a file with the sealed ${name}, take its SHA-256 with shasum -a 256 FILE.${json} It has to be:`;
}

function dateOf(instant: string): Date {
  const at = new Date(instant);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}
