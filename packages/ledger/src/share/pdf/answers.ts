/** The four answers on paper, and what is attached to the PDF so that a reader gives them themselves. */

import { ANSWER_TITLES, type Answers } from '@rcpt/proof/answers/answer.ts';
import { answersOfReceipt } from '@rcpt/proof/answers/receipt.ts';
import { type ConsentAnswer, consentTo } from '@rcpt/proof/approval/answer.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { parseVerifierKeys, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { ReceiptView, Rendered } from '../view.ts';
import { answerInWords, fileName } from '../words.ts';
import type { Layout } from './layout.ts';
import { facts } from './sections.ts';

/** What a check of the attached files answers; the key is attached, too, and so shows no identity. */
export function answersOfRendered({ bytes, beside }: Rendered): Promise<Answers> {
  return answersOfReceipt(new TextEncoder().encode(bytes), beside?.proof ?? null, {
    beside: keysIn(beside?.keys ?? ''),
  });
}

/** What a check of the attached approval answers; null where no passkey signed. */
export async function consentOfRendered({ receipt, verified, approval }: Rendered): Promise<ConsentAnswer | null> {
  return approval ? consentTo(verified ? (receipt as JsonObject) : null, approval) : null;
}

/** The sentences of a check of the attached files. They are the operator's word: the reader repeats the check. */
export function fourAnswers(layout: Layout, answers: Answers, consent: ConsentAnswer | null): void {
  facts(layout, 'What a check of the attached files gave when this PDF was made', [
    ...ANSWER_TITLES.map(([name, label]) => ({ label, value: answerInWords(answers[name]) })),
    ...(consent === null ? [] : [{ label: 'Consent', value: answerInWords(consent) }]),
  ]);
}

interface Attachment {
  bytes: string;
  name: string;
  type: string;
  description: string;
  relationship: string;
}

export function attachments(view: ReceiptView, { bytes, beside, approval }: Rendered): Attachment[] {
  const receipt = {
    bytes,
    name: fileName(view),
    type: 'application/json',
    description: 'The receipt as sealed: canonical JSON, the bytes that receipt_sha256 stands for',
    relationship: 'Source',
  };
  const signed = approval ? [approvalAttachment(receipt.name, approval)] : [];
  if (!beside) return [receipt, ...signed];
  const [proof, keys] = besideNames(receipt.name);
  const text = { type: 'text/plain', relationship: 'Supplement' };
  return [
    receipt,
    { ...text, bytes: beside.proof, name: proof, description: 'Its place in the signed log (C2SP tlog-proof)' },
    {
      ...text,
      bytes: beside.keys,
      name: keys,
      description: 'The keys of the log and of its witnesses, as the operator gave them',
    },
    ...signed,
  ];
}

function approvalAttachment(receipt: string, bytes: string): Attachment {
  const name = receipt.replace(/\.json$/, '.approval.json');
  const description = 'What the approver signed with their passkey';
  return { bytes, name, type: 'application/json', description, relationship: 'Supplement' };
}

/** Of the proof and of the keys, beside a receipt of this name. */
export function besideNames(receipt: string): [proof: string, keys: string] {
  const name = receipt.replace(/\.json$/, '');
  return [`${name}.tlog-proof`, `${name}.keys`];
}

function keysIn(text: string): VerifierKey[] {
  try {
    return parseVerifierKeys(text);
  } catch (error) {
    if (error instanceof ProofError) return [];
    throw error;
  }
}
