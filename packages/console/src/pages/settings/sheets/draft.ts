/** A flight sheet while it is written: every member may still be wrong, and what is wrong is said. */
import type { FlightSheet, Rule } from '@rcpt/contract/ledger/flight-sheet.ts';
import {
  EXPRESSION_CHARACTERS,
  isOneLine,
  LINE_CHARACTERS,
  PROSE_CHARACTERS,
  SHEET_RULES,
  SHEET_VERSION,
  SLUG,
} from '@rcpt/contract/text-limits.ts';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import { CHECK_CATEGORIES, CHECK_SEVERITIES } from '@rcpt/contract/words.ts';
import { amount } from '../../../format/numbers.ts';
import { readJson, type TextFault } from './json-places.ts';

export interface RuleDraft {
  /** Which rule it is while rules move; never sent. */
  key: string;
  id: string;
  label: string;
  category: string;
  severity: string;
  /** A person applies it; then `expr` is kept and not sent. */
  checklist: boolean;
  expr: string;
}

export interface Draft {
  name: string;
  version: string;
  title: string;
  assignment_title: string;
  instructions: string;
  /** JSON text. */
  output_schema: string;
  rules: RuleDraft[];
  pass_threshold: string;
  fail_threshold: string;
}

/** `path` as the ledger names it: `rules.2.expr`. `offset` is inside the text of that member. */
export interface DraftFault extends TextFault {
  path: string;
  /** Empty: said only after publishing was tried. */
  missing?: boolean;
}

const FORM = 'output_schema';

let rulesMade = 0;

export function newRule(): RuleDraft {
  const key = `rule ${++rulesMade}`;
  return { key, id: '', label: '', category: 'math', severity: 'medium', checklist: false, expr: '' };
}

export function emptyDraft(): Draft {
  return {
    name: '',
    version: '1.0.0',
    title: '',
    assignment_title: '',
    instructions: '',
    output_schema: '{\n  "type": "object",\n  "required": [],\n  "properties": {}\n}',
    rules: [newRule()],
    pass_threshold: '80',
    fail_threshold: '50',
  };
}

/** Of a published sheet, or of JSON that is not quite one: what cannot be used is empty, and said to be missing. */
export function draftOf(sheet: Json | FlightSheet): Draft {
  const of = objectOf(sheet as Json);
  const assignment = objectOf(of.assignment);
  return {
    name: textOf(of.name),
    version: textOf(of.version),
    title: textOf(of.title),
    assignment_title: textOf(assignment.title),
    instructions: textOf(assignment.instructions),
    output_schema: of.output_schema === undefined ? '' : JSON.stringify(of.output_schema, null, 2),
    rules: (Array.isArray(of.rules) ? of.rules : []).map(ruleOf),
    pass_threshold: textOf(of.pass_threshold),
    fail_threshold: textOf(of.fail_threshold),
  };
}

function ruleOf(rule: Json): RuleDraft {
  const of = objectOf(rule);
  return {
    key: newRule().key,
    id: textOf(of.id),
    label: textOf(of.label),
    category: textOf(of.category),
    severity: textOf(of.severity),
    checklist: of.checklist === true && of.expr === undefined,
    expr: textOf(of.expr),
  };
}

/** As it would be published. Where `faultsOf` finds nothing, it is a sheet. */
export function sheetOf(draft: Draft): FlightSheet {
  const { name, version, title, assignment_title, instructions } = draft;
  return {
    name,
    version,
    title: title.trim(),
    assignment: { title: assignment_title.trim(), instructions },
    output_schema: (readJson(draft.output_schema).value ?? {}) as JsonObject,
    rules: draft.rules.map(({ id, label, category, severity, checklist, expr }) => {
      const of = { id, label: label.trim(), category, severity };
      return (checklist ? { ...of, checklist: true } : { ...of, expr }) as Rule;
    }),
    pass_threshold: Number(draft.pass_threshold),
    fail_threshold: Number(draft.fail_threshold),
  };
}

/**
 * What can be told without asking the ledger: all but what makes an expression or a schema compile. `published`: the
 * versions that are taken, as `name@version`.
 */
export function faultsOf(draft: Draft, published: ReadonlySet<string> = new Set()): DraftFault[] {
  const schema = readJson(draft.output_schema);
  const faults: (DraftFault | null)[] = [
    given(draft.name, 'name') ?? unless(SLUG.test(draft.name), 'name', SLUG_WORDS),
    given(draft.version, 'version') ??
      unless(SHEET_VERSION.test(draft.version), 'version', 'not a version such as 1.0.0'),
    unless(!published.has(`${draft.name}@${draft.version}`), 'version', 'published already: versions never change'),
    given(draft.title, 'title') ?? unless(isLine(draft.title), 'title', LINE_WORDS),
    given(draft.assignment_title, 'assignment.title') ??
      unless(isLine(draft.assignment_title), 'assignment.title', LINE_WORDS),
    unless(draft.instructions.length <= PROSE_CHARACTERS, 'assignment.instructions', moreThan(PROSE_CHARACTERS)),
    schema.fault ? { path: FORM, ...schema.fault } : null,
    unless(schema.fault !== null || isObject(schema.value), FORM, 'not a JSON object'),
    unless(draft.rules.length > 0, 'rules', 'a sheet has at least one rule'),
    unless(draft.rules.length <= SHEET_RULES, 'rules', `a sheet has at most ${SHEET_RULES} rules`),
    ...draft.rules.flatMap((rule, index) => ruleFaults(rule, index, draft.rules)),
    unless(isScore(draft.pass_threshold), 'pass_threshold', SCORE_WORDS),
    unless(isScore(draft.fail_threshold), 'fail_threshold', SCORE_WORDS),
    unless(
      !isScore(draft.pass_threshold) || !(Number(draft.fail_threshold) > Number(draft.pass_threshold)),
      'fail_threshold',
      'above the score that passes',
    ),
  ];
  return faults.filter((fault) => fault !== null);
}

const SLUG_WORDS = 'not lower-case letters, digits, . _ and -';
const LINE_WORDS = `not one line of at most ${LINE_CHARACTERS} characters`;
const SCORE_WORDS = 'not a whole number from 0 to 100';

function ruleFaults(rule: RuleDraft, index: number, all: readonly RuleDraft[]): (DraftFault | null)[] {
  const at = `rules.${index}`;
  const taken = all.findIndex(({ id }) => id === rule.id) < index;
  return [
    given(rule.label, `${at}.label`) ?? unless(isLine(rule.label), `${at}.label`, LINE_WORDS),
    given(rule.id, `${at}.id`) ?? unless(SLUG.test(rule.id), `${at}.id`, SLUG_WORDS),
    unless(!taken || rule.id === '', `${at}.id`, 'used by another rule'),
    unless(rule.id !== FORM, `${at}.id`, 'reserved by the ledger'),
    oneOf(CHECK_CATEGORIES, rule.category, `${at}.category`),
    oneOf(CHECK_SEVERITIES, rule.severity, `${at}.severity`),
    rule.checklist ? null : given(rule.expr, `${at}.expr`),
    unless(rule.checklist || rule.expr.length <= EXPRESSION_CHARACTERS, `${at}.expr`, moreThan(EXPRESSION_CHARACTERS)),
  ];
}

/**
 * What the ledger is asked to compile and try: the rules that can be tried, with words in place of those that are
 * still missing, so that a rule is checked while its sheet is not finished. `rules[i]` of the sheet is rule
 * `places[i]` of the draft. Null: nothing can be tried yet.
 */
export function trialOf(draft: Draft): { flight_sheet: FlightSheet; places: number[] } | null {
  const faulty = new Set(faultsOf(draft).map(({ path }) => path));
  const sheet = sheetOf(draft);
  const ok = (path: string) => !faulty.has(path);
  const places = [...draft.rules.keys()].filter((index) => ok(`rules.${index}.expr`) && ok('rules'));
  if (places.length === 0) return null;
  const thresholds = ok('pass_threshold') && ok('fail_threshold') ? {} : { pass_threshold: 0, fail_threshold: 0 };
  const rules = places.map((index) => {
    const rule = sheet.rules[index]!;
    const or = (member: 'id' | 'label' | 'category' | 'severity', words: string) =>
      ok(`rules.${index}.${member}`) ? rule[member] : words;
    return {
      ...rule,
      id: or('id', `unfinished-${index}`),
      label: or('label', 'Unfinished'),
      category: or('category', 'policy'),
      severity: or('severity', 'low'),
    } as Rule;
  });
  const flight_sheet = {
    ...sheet,
    ...thresholds,
    name: ok('name') ? sheet.name : 'unnamed',
    version: ok('version') ? sheet.version : '0',
    title: ok('title') ? sheet.title : 'Untitled',
    assignment: {
      title: ok('assignment.title') ? sheet.assignment.title : 'Untitled',
      instructions: ok('assignment.instructions') ? sheet.assignment.instructions : '',
    },
    output_schema: ok(FORM) ? sheet.output_schema : {},
    rules,
  };
  return { flight_sheet, places };
}

/** The first version after this one that is not published yet. */
export function freeVersion(name: string, version: string, published: ReadonlySet<string>): string {
  let next = nextVersion(version);
  while (published.has(`${name}@${next}`)) next = nextVersion(next);
  return next;
}

/** `1.4.2` → `1.5.0`, `3` → `4`; for others what they are, with `.1`. */
export function nextVersion(version: string): string {
  const semantic = /^(\d+)\.(\d+)\.\d+$/.exec(version);
  if (semantic) return `${semantic[1]}.${Number(semantic[2]) + 1}.0`;
  const counted = /^(.*?)(\d+)$/.exec(version);
  return counted ? `${counted[1]}${Number(counted[2]) + 1}` : `${version}.1`;
}

/** `A + b is the sum` → `a-b-is-the-sum`. */
export function slugOf(words: string): string {
  const slug = words
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+/, '').slice(0, 60).replace(/-+$/, '');
}

function given(text: string, path: string): DraftFault | null {
  return text.trim() === '' ? { path, message: 'missing', offset: null, missing: true } : null;
}

function unless(holds: boolean, path: string, message: string): DraftFault | null {
  return holds ? null : { path, message, offset: null };
}

function oneOf(words: readonly string[], word: string, path: string): DraftFault | null {
  return unless(words.includes(word), path, `not one of ${words.join(', ')}`);
}

const moreThan = (characters: number) => `more than ${amount(characters)} characters`;

function isLine(text: string): boolean {
  const line = text.trim();
  return line.length > 0 && line.length <= LINE_CHARACTERS && isOneLine(line);
}

function isScore(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= 100;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: Json | undefined): Record<string, Json | undefined> {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
