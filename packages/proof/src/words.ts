/** Reports in words, for a person. */
import type { Answers } from './answers/answer.ts';
import type { FileReport, FileViolation } from './judge.ts';
import { oneLine } from './one-line.ts';
import type { SealedWork } from './sealed-work.ts';

/** What one file was found to be; the first violation spelled out, the others counted. Alone it says what it seals of the work. */
export function fileInWords(report: FileReport, isAlone = true): string {
  const { violation, violations, receipts_checked, note } = report;
  const file = oneLine(report.file);
  if (!violation && receipts_checked === 0) return `${file}: nothing to verify${note ? `: ${note}` : ''}\n`;
  if (!violation)
    return `${file}: OK, ${holding(report)}\n${isAlone ? workInWords(report.work) : ''}${note ? `  note: ${note}\n` : ''}`;
  const more = violations.length > 1 ? `  and ${violations.length - 1} more; --json lists them\n` : '';
  return `${file}: FAILED, ${counted(receipts_checked)} checked\n${violationInWords(violation)}${more}`;
}

/** What the receipt says of the work: sealed by the approver, shown here so that it can be compared. */
function workInWords(work: SealedWork | null): string {
  if (work === null) return '';
  const { agent_name, model_name, output, approved_by, approver_id } = work;
  const by = [agent_name, model_name].filter((name) => name !== null).map((name) => oneLine(name));
  const size = output?.byte_size ? `, ${output.byte_size.toLocaleString('en')} bytes` : '';
  const lines = [
    by.length > 0 ? `  work by  ${by.join(', ')}\n` : '',
    output === null ? '' : `  ${output.name}, SHA-256  ${output.sha256}${size}\n`,
    approved_by === null ? '' : `  approved by  ${oneLine(approved_by)} (${oneLine(approver_id ?? 'no id')})\n`,
  ];
  return lines.join('');
}

function violationInWords(violation: FileViolation): string {
  const { kind, line, receipt_id, org_seq, expected, actual, detail } = violation;
  const where = [
    line === null ? null : `line ${line}`,
    receipt_id === null ? 'a receipt without an id' : `receipt ${oneLine(receipt_id)}`,
    org_seq === null || org_seq === undefined ? null : `org_seq ${org_seq}`,
  ];
  return (
    `  what      ${kind}: ${oneLine(detail)}\n` +
    `  where     ${where.filter((part) => part !== null).join(', ')}\n` +
    `  expected  ${printable(expected)}\n` +
    `  actual    ${printable(actual)}\n`
  );
}

function holding({ kind, receipts_checked, head }: FileReport): string {
  if (kind === 'receipt') return `one receipt as it was sealed, ${head?.receipt_sha256}`;
  if (kind === 'router') return `${counted(receipts_checked)}, each as its checksum says`;
  return `${counted(receipts_checked)} in one chain from 0 to ${head?.org_seq}\n  head ${head?.org_seq}:${head?.receipt_sha256}`;
}

export interface Scope {
  shown: string[];
  not_shown: string[];
}

/** What a positive verdict on these files says, and what it leaves open. @param answers of the one file, which say more than it does */
export function scopeOf(
  reports: FileReport[],
  headGiven: boolean,
  compared: boolean,
  answers: Answers | null = null,
): Scope {
  const is_included = answers?.inclusion_and_completeness.state === 'holds';
  const is_signed = answers?.identity.state === 'holds';
  const is_witnessed = answers?.time.state === 'holds';
  const kinds = new Set(reports.map((report) => report.kind));
  const shown: string[] = [];
  const not_shown: string[] = [];
  if (kinds.has('receipt')) {
    shown.push('the receipt is byte for byte, or in canonical form, what was hashed when it was sealed');
    if (is_included && is_signed) shown.push('that the ledger whose key you named holds it');
    else
      not_shown.push(
        'that a ledger sealed it: anybody can hash a receipt of their own; compare it with its share link',
      );
    if (is_included) shown.push('its place in its chain');
    else not_shown.push('its place in its chain: verify an export of the chain for that');
  }
  if (kinds.has('ledger')) {
    shown.push('every receipt is what was sealed, in order, none missing between the first and the last');
    if (headGiven) shown.push(AT_HEAD);
    if (answers?.inclusion_and_completeness.code === 'complete')
      shown.push('nothing was cut off before the end of the checkpoint');
    else if (!headGiven) not_shown.push('that nothing was cut off at the end: name the head you know with --head');
  }
  if (kinds.has('router')) {
    shown.push('every line is what its checksum was made of');
    not_shown.push('that no whole line was removed: the router does not chain its receipts');
  }
  if (compared) {
    shown.push(SEALED_FILES);
    not_shown.push(MAKER);
  }
  not_shown.push(vouched(is_witnessed, is_signed));
  return { shown, not_shown };
}

/** What nobody but the operator says, whatever else was shown. */
function vouched(is_witnessed: boolean, is_signed: boolean): string {
  if (is_witnessed && is_signed) return 'who the people named in it are: only the operator vouches for names';
  if (is_witnessed) return 'who did it: only the operator vouches for identity';
  if (is_signed)
    return 'when it happened and who the people named in it are: only the operator vouches for times and names';
  return 'when it happened and who did it: only the operator vouches for time and identity';
}

/** What the four answers leave to say of a single file. */
export function scopeBesideAnswers(headGiven: boolean, compared: boolean): Scope {
  const shown: string[] = [];
  if (headGiven) shown.push(AT_HEAD);
  if (compared) shown.push(SEALED_FILES);
  return { shown, not_shown: compared ? [MAKER] : [] };
}

const AT_HEAD = 'the chain ends at the head you named';
const SEALED_FILES = 'each file you named is the one whose hash the receipt seals';
const MAKER = 'who made the file, and whether what stands in it is right';

export function scopeInWords({ shown, not_shown }: Scope): string {
  const lines = [...shown.map((line) => `shown      ${line}\n`), ...not_shown.map((line) => `not shown  ${line}\n`)];
  return lines.join('');
}

export function skippedInWords(files: number): string {
  return `skipped    ${files === 1 ? '1 other file' : `${files.toLocaleString('en')} other files`}, without receipts; --json names them\n`;
}

export function counted(receipts: number): string {
  return receipts === 1 ? '1 receipt' : `${receipts.toLocaleString('en')} receipts`;
}

function printable(value: string | number | null): string {
  return value === null ? 'none' : oneLine(String(value));
}
