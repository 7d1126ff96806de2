/** `--approval FILE`: did a passkey sign exactly what this receipt seals? `--activity FILE`: whose passkey was it? */
import { consentInWords, whoseInWords } from './approval/answer.ts';
import { type VerifiedApproval, verifyApprovalOf } from './approval/approval.ts';
import { type Enrolment, EnrolmentSearch } from './approval/enrolment.ts';
import type { JsonObject } from './canonical.ts';
import { WrongUse } from './cli-arguments.ts';
import { type Source, sourceAt } from './cli-sources.ts';
import { ProofError, type ProofErrorCode } from './error.ts';
import { LineSplitter } from './lines.ts';
import { oneLine } from './one-line.ts';

export interface ApprovalOptions {
  /** As `GET /share/{token}/approval` answered. */
  approval?: string;
  /** An export of the organization's activity. */
  activity?: string;
  /** Where the person signed, if not where the receipt's link leads. */
  origin?: string;
}

export interface ApprovalAnswer {
  file: string;
  ok: boolean;
  code: ProofErrorCode | null;
  detail: string;
  signed: VerifiedApproval | null;
  /** Null: no activity was given, or it does not show it. */
  enrolment: Enrolment | null;
}

const LARGEST_BYTES = 1_048_576;

/** Null: it was not asked. Throws `WrongUse`. @param attached inside the PDF that is verified. @param activity_serves another check */
export async function askedApproval(
  paths: string[],
  { approval, activity, origin }: ApprovalOptions,
  attached: Source | null,
  activity_serves = false,
): Promise<{ approval: Source; activity: Source | null; origin?: string } | null> {
  if (approval === undefined && attached === null) {
    if ((activity === undefined || activity_serves) && origin === undefined) return null;
    throw new WrongUse('--origin goes with --approval, and --activity with --approval or --disclosures');
  }
  if (paths.length !== 1) throw new WrongUse('--approval goes with one receipt: give one PATH');
  if (origin !== undefined && !URL.canParse(origin))
    throw new WrongUse('--origin takes an address such as https://ledger.example');
  const beside = activity === undefined ? null : await sourceAt(activity);
  const source = approval === undefined ? attached! : await sourceAt(approval);
  return { approval: source, activity: beside, ...(origin === undefined ? {} : { origin }) };
}

/** @param receipt the payload; null: it was not verified, so nothing is compared with it */
export async function answerApproval(
  asked: NonNullable<Awaited<ReturnType<typeof askedApproval>>>,
  receipt: JsonObject | null,
): Promise<ApprovalAnswer> {
  const file = asked.approval.name;
  let signed: VerifiedApproval | null = null;
  try {
    if (receipt === null) throw new ProofError('receipt_altered', 'not compared: the receipt does not verify');
    signed = await verifyApprovalOf(receipt, await bytesOf(asked.approval), asked);
    const enrolment = asked.activity === null ? null : await search(asked.activity, signed);
    return {
      file,
      ok: true,
      code: null,
      detail: `${consentInWords(signed)} ${whoseInWords(signed, enrolment)}`,
      signed,
      enrolment,
    };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { file, ok: false, code: error.code, detail: error.reason, signed, enrolment: null };
  }
}

async function bytesOf(source: Source): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source.open()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_BYTES) throw new ProofError('not_an_approval', 'this is no approval: it is too large');
  }
  return new Uint8Array(Buffer.concat(chunks));
}

async function search(source: Source, signed: VerifiedApproval): Promise<Enrolment> {
  const found = new EnrolmentSearch(signed);
  const splitter = new LineSplitter((line) => {
    if (line.length > 0) found.push(line);
  });
  for await (const chunk of source.open()) splitter.write(chunk);
  splitter.end();
  return found.finish();
}

export function approvalInWords({ file, ok, code, detail }: ApprovalAnswer): string {
  return `${oneLine(file)}: ${ok ? 'OK' : `FAILED, ${code}`}. ${oneLine(detail, 1000)}\n`;
}
