/** How values are worded for people, the same on page and paper. */

import type { Fact, Print, PrintedCheck, Tone } from '@rcpt/contract/lanes/lane.ts';
import { instant } from '@rcpt/contract/lanes/printed.ts';
import { shownLine } from '@rcpt/contract/shown.ts';
import { decidersInWords, signerInWords } from '@rcpt/contract/signer.ts';
import type { ANSWER_TITLES, Answer } from '@rcpt/proof/answers/answer.ts';
import { CLOCK } from '@rcpt/proof/answers/time.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { ReceiptView } from './view.ts';

export const ALTERED = 'This receipt no longer matches its hash';
export const ALTERED_DETAIL =
  'What is stored was changed after it was sealed. Nothing below can be relied on until the operator explains it.';

/** `Approved by Ada Okafor (person), 29 May 2026, 20:12:01.123 UTC`. */
export function approvalInWords({ decision, by, at }: NonNullable<Print['approval']>): string {
  return `${decision}${by ? ` by ${signerInWords(by)}` : ''}${at ? `, ${instant(at)}` : ''}`;
}

/** `Decided by Ada Okafor (person)`; null for what a rule decided, and for what does not say. */
export function decisionInWords({ decided_by }: PrintedCheck): string | null {
  return decided_by === null || decided_by === 'rule' ? null : `Decided by ${signerInWords(decided_by)}`;
}

/** The id behind the name; empty for what a rule decided. */
export function deciderId({ decided_by }: PrintedCheck): string {
  return decided_by === null || decided_by === 'rule' ? '' : decided_by.id;
}

export function toneOfCheck(check: PrintedCheck): Tone {
  if (check.status === 'pass') return 'good';
  if (check.status === 'flag') return check.severity === 'low' ? 'caution' : 'bad';
  return 'neutral';
}

/** `12 checks: 10 pass, 2 flag · all by rule`. */
export function tally(checks: PrintedCheck[]): string {
  const counts = new Map<string, number>();
  for (const { status } of checks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = Array.from(counts, ([status, count]) => `${count} ${status}`);
  const by = decidersInWords(checks.map(({ decided_by: by }) => (by === 'rule' ? by : (by?.kind ?? null))));
  return `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}${parts.length ? `: ${parts.join(', ')}` : ''}${by && ` · ${by}`}`;
}

/** The way anyone checks the hash with what every Linux and macOS machine has; `<file>` holds the stored bytes. */
export function commandByHand(bytes: string, receipt_sha256: string, file: string): string {
  const any = /"receipt_sha256":"[0-9a-f]{64}"/g;
  // An altered receipt may state anything: the line is pasted into a shell, and so takes hexadecimal digits only.
  const several = (bytes.match(any)?.length ?? 0) > 1 && /^[0-9a-f]{64}$/.test(receipt_sha256);
  const hash = several ? receipt_sha256 : '[0-9a-f]{64}';
  return `perl -pe 's/"receipt_sha256":"${hash}",//' ${file} | shasum -a 256`;
}

/** The four answers before a check has been made: what each of them will be of. Never one bare "valid". */
export const UNCHECKED: Record<(typeof ANSWER_TITLES)[number][0], string> = {
  integrity:
    'Not checked yet. With scripts allowed, your browser recomputes the hash here; without, it can be done by hand as described below.',
  inclusion_and_completeness:
    'Not checked yet. The proof of this receipt places it in the signed log of its ledger. Only an export of the ledger shows that none was left out.',
  time: `${CLOCK} Not checked yet: whether a witness saw it.`,
  identity:
    'Not checked yet. The log is signed with a key of the organization. Names in receipts are stated by the operator: people choose their own, organizations those of their API keys.',
};

/** Where a passkey signed; its check is loaded when the reader asks for it. */
export const UNCHECKED_CONSENT =
  'Not checked yet. The approver signed with a passkey. A check shows whether it signed exactly these bytes; whose passkey it is, the signature alone does not show.';

const STATE_WORDS = { holds: 'Holds', fails: 'Fails', not_shown: 'Not shown' };

/** `Holds. The receipt is …`, with what the reader may do. */
export function answerInWords({ state, text, advice }: Pick<Answer, 'state' | 'text' | 'advice'>): string {
  return `${STATE_WORDS[state]}. ${text}${advice === '' ? '' : ` ${advice}`}`;
}

/** One line for a title bar and for what describes a page or a file. */
export function plainLine(text: string): string {
  return shownLine(text, 300);
}

/** What a list leaves out, in words: `1,204 more members stand`. */
export function leftOutInWords(left_out: number, what: 'member' | 'check' | 'item' | 'section'): string {
  return left_out === 1 ? `1 more ${what} stands` : `${left_out.toLocaleString('en')} more ${what}s stand`;
}

export function titleOf(print: Print): string {
  return print.title.trim() || print.kind;
}

/** A link one may follow: `http` and `https` only, whatever was sealed. */
export function safeHref(href: string | undefined): string | undefined {
  return href && /^https?:\/\/[^\s]+$/i.test(href) ? href : undefined;
}

/** Safe as a file name whatever the stored bytes claim to be called. */
export function fileName(view: { receipt_id: string }): string {
  return `${view.receipt_id.replace(/[^A-Za-z0-9-]/g, '_').slice(0, 80) || 'receipt'}.json`;
}

export function isFirst({ parent_hash }: Pick<ReceiptView, 'parent_hash'>): boolean {
  return parent_hash === GENESIS_HASH;
}

/** The facts under `Place in the chain`; `id` is for the page's script. */
export function placeInChain(view: ReceiptView, share_url: string): (Fact & { id?: string })[] {
  return [
    { label: 'Organization', value: view.organization.name },
    { label: 'Organization id', value: view.organization.id, mono: true },
    { label: 'Position', value: isFirst(view) ? `${view.org_seq}, the first of its chain` : view.org_seq },
    { label: 'Receipt', value: view.receipt_id, mono: true, id: 'receipt-id' },
    { label: 'Hash of the previous', value: view.parent_hash, mono: true },
    { label: 'Hash of this receipt', value: view.receipt_sha256, mono: true, id: 'receipt-sha256' },
    { label: 'Schema', value: view.schema, mono: true },
    { label: 'Link', value: share_url, mono: true, href: share_url },
  ];
}
