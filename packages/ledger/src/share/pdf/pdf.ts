/** A receipt on paper: A4, the verdict first, the sealed bytes attached. A rendering, never the record. */
import { instant } from '@rcpt/contract/lanes/printed.ts';
import { inJson } from '@rcpt/contract/members.ts';
import { besideInWords } from '@rcpt/proof/disclosure-words.ts';
import { readDisclosure } from '@rcpt/proof/disclosures.ts';
import type { SealedFile } from '@rcpt/proof/sealed-files.ts';
import { MUTED, WASH } from '../palette.ts';
import { type ReceiptView, type Rendered, viewOf } from '../view.ts';
import { ALTERED, commandByHand, fileName, placeInChain, plainLine, titleOf } from '../words.ts';
import { answersOfRendered, attachments, besideNames, consentOfRendered, fourAnswers } from './answers.ts';
import { createDocument } from './document.ts';
import { BANNER_HEIGHT, everyPage } from './frame.ts';
import { createLayout, type Frame, heightOfLines, type Layout } from './layout.ts';
import { approval, opening, verdict } from './opening.ts';
import { drawSections, facts, heading } from './sections.ts';
import { BODY, HASH, STRONG } from './styles.ts';

const A4 = { width: 595.28, height: 841.89, left: 56, right: 56 };
/** For what stands at the end of every document: its place in the chain, and how to check it. */
const CLOSING = 40_000;

/** The PDF of one receipt; the same bytes for the same input, whenever and wherever it is made. */
export async function renderPdf(input: Rendered): Promise<Buffer> {
  const answers = await answersOfRendered(input);
  const consent = await consentOfRendered(input);
  const view = viewOf(input);
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
  const layout = createLayout(doc, frame);
  layout.begin();
  opening(layout, view, input.share_url);
  verdict(layout, view.print);
  approval(layout, view.print);
  drawSections(layout, view.print.sections);
  facts(layout, BESIDE, besideFacts(view));
  layout.makeRoom(CLOSING);
  facts(layout, 'Place in the chain', placeInChain(view, input.share_url));
  verification(layout, view, input);
  fourAnswers(layout, answers, consent);
  layout.end();
  everyPage(layout, view, input.verified);
  const attach = (bytes: string, file: { name: string; type: string; description: string; relationship: string }) =>
    doc.file(Buffer.from(bytes, 'utf8'), { ...file, creationDate: sealed_at, modifiedDate: sealed_at } as never);
  for (const { bytes, ...file } of attachments(view, input)) attach(bytes, file);
  doc.end();
  return done;
}

function verification(layout: Layout, view: ReceiptView, input: Rendered): void {
  const { frame, doc } = layout;
  const file = fileName(view);
  const steps = [
    `Save the file ${file} that is attached to this PDF, or download it from the link above. It holds the receipt as it was sealed.`,
    'Recompute its hash, offline, with this line (or with the command rcpt verify):',
  ];
  const command = layout.lines(
    commandByHand(input.bytes, view.receipt_sha256, file),
    { ...HASH, size: 7.6 },
    layout.inner - 24,
  );
  const box = heightOfLines(command) + 14;
  layout.need(box + 150);
  heading(layout, 'Check it yourself');
  layout.space(7);
  const group = layout.group('Sect');
  const step = (text: string, number: string, hash = '') => {
    const width = layout.inner - 18;
    layout.row(
      [
        { x: frame.left, width: 14, lines: layout.lines(number, { ...STRONG, color: MUTED }, 14), tag: 'Lbl' },
        {
          x: frame.left + 18,
          width,
          lines: [...layout.lines(text, BODY, width), ...(hash ? layout.lines(hash, HASH, width) : [])],
          tag: 'P',
        },
      ],
      group,
    );
    layout.space(4);
  };
  step(steps[0]!, '1');
  layout.need(box + 40);
  step(steps[1]!, '2');
  layout.need(box);
  const top = layout.y;
  if (box < frame.bottom - frame.top) {
    layout.artifact(() => doc.roundedRect(frame.left, top, layout.inner, box, 4).fill(WASH));
    layout.forgetInk();
  }
  layout.space(7);
  layout.row([{ x: frame.left + 12, width: layout.inner - 24, lines: command, tag: 'Code' }], group);
  layout.space(13);
  step('It has to print the hash of this receipt:', '3', view.receipt_sha256);
  const { output } = view.sealed;
  if (input.verified && output) step(compareInWords(output, file), '4', output.sha256);
  if (input.beside) step(proofInWords(file), input.verified && output ? '5' : '4');
  group.end();
}

const BESIDE = 'Beside this receipt, as its link showed it when this was drawn';

/** What is disclosed is shown; whether it matches is for its reader to check. */
function besideFacts({ disclosures }: ReceiptView): { label: string; value: string }[] {
  return disclosures.map((item) => {
    const value = item.disclosure === undefined ? undefined : readDisclosure(item.disclosure)?.value;
    const said = item.state === 'disclosed' ? 'Disclosed' : besideInWords(item, null, instant).said;
    return { label: item.path, value: value === undefined ? said : `${said}: ${inJson(value)}` };
  });
}

function compareInWords({ name, hashed_as }: SealedFile, file: string): string {
  const json =
    hashed_as === 'bytes' ? '' : ` Where it is JSON in another formatting, run rcpt verify ${file} --output FILE.`;
  return `To compare a file with the sealed ${name}, take its SHA-256 with shasum -a 256 FILE.${json} It has to be:`;
}

function proofInWords(file: string): string {
  return `That it stands in the signed log of its ledger shows the attached ${besideNames(file)[0]}. Ask the organization for its key by another way than this PDF, and run rcpt verify PDF --key KEY; or open verify.html, saved from the ledger, without a network, and drop this PDF on it.`;
}

function dateOf(instant: string): Date {
  const at = new Date(instant);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}
