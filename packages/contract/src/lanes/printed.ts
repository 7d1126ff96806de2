/**
 * Reading a receipt for people. The receipt may have been altered since it was sealed, so nothing here trusts a shape:
 * what is missing or of the wrong type reads as a dash, and printing never throws.
 */
import { committedIn, DIGESTS } from '@rcpt/proof/disclosures.ts';
import { inJson, membersOf } from '../members.ts';
import { byteSize, usdInWords } from '../shown.ts';
import { BY_RULE, kindOfSigner, signerOf } from '../signer.ts';
import type { Json, JsonObject } from '../wire.ts';
import type { Fact, Print, PrintedCheck, PrintedEvidence, PrintedSigner, Section, Tone } from './lane.ts';

const TONE: Record<string, Tone> = { pass: 'good', review: 'caution', fail: 'bad' };
const WORD: Record<string, string> = { pass: 'Passed', review: 'Needs review', fail: 'Failed' };
const DECISION: Record<string, string> = { approved: 'Approved', rejected: 'Rejected' };
const DASH = '—';
/** Of an object of any shape: as much as a person reads. */
const MOST_MEMBERS = 100;

export function member(value: Json | undefined, ...path: string[]): Json | undefined {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** The value as it is sealed, a number with every digit; a dash for what is absent or empty. */
export function words(value: Json | undefined): string {
  if (value === undefined || value === null || value === '') return DASH;
  if (typeof value === 'string') return value === DASH ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}

export function usd(value: Json | undefined): string {
  return typeof value === 'number' ? usdInWords(value) : DASH;
}

/** `29 May 2026, 20:14:33.123 UTC`: all digits that were sealed, for two receipts of one second are two instants. */
export function instant(value: Json | undefined): string {
  if (typeof value !== 'string') return DASH;
  const parts = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2}(?:\.\d+)?)Z$/.exec(value);
  const month = parts && MONTHS[Number(parts[2]) - 1];
  return parts && month ? `${Number(parts[3])} ${month} ${parts[1]}, ${parts[4]} UTC` : words(value);
}

export { byteSize };

/** `human_approval_required` → `Human approval required`. */
export function sentence(value: Json | undefined): string {
  const text = words(value).replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function fact(label: string, value: Json | undefined): Fact {
  return { label, value: words(value) };
}

export function mono(label: string, value: Json | undefined): Fact {
  return { label, value: words(value), mono: true };
}

export function facts(title: string, list: Fact[]): Section {
  return { kind: 'facts', title, facts: list };
}

/** No section for an empty text. */
export function text(title: string, value: Json | undefined): Section[] {
  return typeof value === 'string' && value !== '' ? [{ kind: 'text', title, text: value }] : [];
}

/** Of what may be private: empty where it is, and the renderings say that it is withheld. */
export function titleWords(value: Json | undefined): string {
  return value === undefined ? '' : words(value);
}

/** The digests of what was committed; no section for none. */
export function committed(receipt: JsonObject): Section[] {
  const list = committedIn(receipt).flatMap(({ holder, digests }) =>
    digests.map((digest) => ({ label: holder.slice(1).replaceAll('/', '.'), value: digest, mono: true })),
  );
  const shown = list.slice(0, MOST_MEMBERS);
  return list.length === 0
    ? []
    : [{ kind: 'facts', title: 'Committed, each by a digest', facts: shown, left_out: list.length - shown.length }];
}

/** The members of an object of any shape, and how many are left out; no section for none. */
export function members(title: string, value: Json | undefined): Section[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { [DIGESTS]: digests, ...clear } = value;
  const { members, left_out } = membersOf(Array.isArray(digests) ? clear : value, MOST_MEMBERS);
  const list = members.map(({ path, value: said }) => ({ label: path, value: inJson(said) }));
  return list.length === 0 ? [] : [{ kind: 'facts', title, facts: list, left_out }];
}

export function outcome(verdict: Json | undefined): Print['outcome'] {
  const word = member(verdict, 'outcome');
  const score = member(verdict, 'score_100');
  return {
    word: (typeof word === 'string' && WORD[word]) || words(word),
    tone: (typeof word === 'string' && TONE[word]) || 'neutral',
    summary: words(member(verdict, 'summary')),
    score_100: typeof score === 'number' ? score : null,
  };
}

export function verdictSection(verdict: Json | undefined): Section {
  return facts('Verdict', [
    { label: 'Outcome', value: outcome(verdict)?.word ?? DASH },
    fact('Score of 100', member(verdict, 'score_100')),
    { label: 'Highest severity flagged', value: sentence(member(verdict, 'severity')) },
    { label: 'Ready for a client', value: sentence(member(verdict, 'client_ready')) },
    fact('What to do', member(verdict, 'recommended_action')),
    fact('Summary', member(verdict, 'summary')),
  ]);
}

export function decision(value: Json | undefined): string {
  return (typeof value === 'string' && DECISION[value]) || words(value);
}

/** Who approved, from the two members that say so. */
export function signer(name: Json | undefined, id: Json | undefined): PrintedSigner {
  const known = typeof id === 'string' ? id : '';
  return { name: words(name), id: known, kind: kindOfSigner(known) };
}

/** Who decided: `rule`, or a signature. What is neither is repeated as it stands. */
function decider(decided_by: Json | undefined): PrintedCheck['decided_by'] {
  if (decided_by === BY_RULE) return BY_RULE;
  if (decided_by === undefined || decided_by === '') return null;
  const signed = typeof decided_by === 'string' ? signerOf(decided_by) : null;
  return signer(signed?.name ?? decided_by, signed?.id);
}

interface Said {
  detail: Json | undefined;
  decided_by: Json | undefined;
}
const asMembers = (check: Json): Said => ({
  detail: member(check, 'detail'),
  decided_by: member(check, 'decided_by'),
});

/**
 * Flags first, then what was skipped, then what passed; within each as sealed.
 * @param saidOf where the lane seals what was said of a check, and by whom
 */
export function checksSection(
  title: string,
  value: Json | undefined,
  saidOf: (check: Json) => Said = asMembers,
): Section {
  const order = ['flag', 'open', 'skip', 'pass'];
  const checks = list(value).map((check) => {
    const { detail, decided_by } = saidOf(check);
    return {
      label: words(member(check, 'label')),
      category: words(member(check, 'category')),
      status: words(member(check, 'status')),
      severity: words(member(check, 'severity')),
      detail: words(detail),
      decided_by: decider(decided_by),
    } as PrintedCheck;
  });
  return { kind: 'checks', title, checks: checks.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status)) };
}

export function evidenceSection(value: Json | undefined): Section {
  const evidence = list(value).map((item): PrintedEvidence => {
    const size = member(item, 'byte_size');
    return {
      label: words(member(item, 'label')),
      kind: words(member(item, 'kind')).replaceAll('_', ' '),
      sha256: words(member(item, 'sha256')),
      size: typeof size === 'number' && size > 0 ? byteSize(size) : null,
    };
  });
  return { kind: 'evidence', title: 'Evidence', evidence };
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** A block by its name. */
export function block(receipt: JsonObject, name: string): Json | undefined {
  return member(receipt, name);
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
