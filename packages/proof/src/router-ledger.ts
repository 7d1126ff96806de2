/** The router's receipts: one JSON object per line, each with its own checksum, not chained (docs/spec.md §9). */
import { canonicalize, canonicalizeFor, insertMember, type Json, type JsonObject } from './canonical.ts';
import { ProofError } from './error.ts';
import { decodeUtf8, parseStrict } from './parse.ts';
import { type Fault, isHash, isObject } from './receipt.ts';
import { sha256Hex } from './sha256.ts';

const CHECKSUM = 'checksum_sha256';

export const ROUTER_RECEIPT_TYPES = [
  'membership',
  'dataset_access',
  'compute_quote',
  'compute_job',
  'fine_tune_job',
  'worker_registered',
  'job_leased',
  'worker_job_accepted',
  'artifact_reported',
  'worker_job_completed',
  'worker_job_failed',
  'lease_expired',
] as const;
export type RouterReceiptType = (typeof ROUTER_RECEIPT_TYPES)[number];

/** A router receipt before its checksum. */
export interface RouterRecord {
  /** `rcpt_<id>` */
  receipt_id: string;
  receipt_type: RouterReceiptType;
  member_id: string;
  job_id: string | null;
  dataset_ids: string[];
  /** Exactly two decimals, `"10.00"`. */
  amount_usd: string;
  metadata: JsonObject;
  /** `2026-05-29T20:00:00.000+00:00` */
  created_at: string;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?\+00:00$/;

/** Every member but the checksum, and what it must be. There are no others. */
const MEMBERS: Record<keyof RouterRecord, { form: string; holds: (value: Json | undefined) => boolean }> = {
  receipt_id: { form: 'rcpt_<id>', holds: (v) => matches(v, /^rcpt_[A-Za-z0-9_-]+$/) },
  receipt_type: {
    form: 'one of the twelve types',
    holds: (v) => ROUTER_RECEIPT_TYPES.includes(v as RouterReceiptType),
  },
  member_id: { form: 'a string', holds: (v) => typeof v === 'string' },
  job_id: { form: 'a string or null', holds: (v) => v === null || typeof v === 'string' },
  dataset_ids: {
    form: 'an array of strings',
    holds: (v) => Array.isArray(v) && v.every((id) => typeof id === 'string'),
  },
  amount_usd: { form: 'a decimal string with two places', holds: (v) => matches(v, /^-?\d+\.\d{2}$/) },
  metadata: { form: 'an object', holds: isObject },
  created_at: { form: 'ISO 8601 with the offset +00:00', holds: isInstant },
};

/**
 * The line that is appended, without its LF: canonical JSON with the checksum in its sorted place. Throws
 * `invalid_record` for a member missing, unknown or of another form and for a fraction, and what `canonicalize` throws.
 */
export function sealRouterReceipt(record: RouterRecord): string {
  const fault = recordFault({ ...record });
  if (fault) throw new ProofError('invalid_record', fault.detail).under(String(fault.expected));
  refuseFraction(record.metadata);
  const unsealed = canonicalizeFor(CHECKSUM, record);
  return insertMember(unsealed, `"${CHECKSUM}":"${sha256Hex(unsealed.text)}"`);
}

export type RouterViolationKind = 'payload_altered' | 'torn_line' | 'duplicate_receipt';

export interface RouterViolation extends Fault {
  kind: RouterViolationKind;
  file: string;
  /** From 1. */
  line: number;
  /** Null when the line does not say. */
  receipt_id: string | null;
}

export interface RouterLineVerdict {
  ok: boolean;
  receipt_id: string | null;
  record: JsonObject | null;
  violation: Pick<RouterViolation, 'kind' | keyof Fault> | null;
}

/**
 * Checks one line, given without its LF: strict JSON, exactly its nine members, each of its form, and the checksum
 * that of the rest in canonical form. The line itself need not be in canonical form. Never throws.
 */
export function verifyRouterLine(line: string | Uint8Array): RouterLineVerdict {
  let payload: Json;
  try {
    payload = parseStrict(typeof line === 'string' ? line : decodeUtf8(line));
    if (!isObject(payload)) throw new ProofError('not_json', 'not a JSON object');
    const { [CHECKSUM]: stored, ...record } = payload;
    const receipt_id = typeof record.receipt_id === 'string' ? record.receipt_id : null;
    const fault = checksumFault(stored, sha256Hex(canonicalize(record))) ?? recordFault(record);
    const violation = fault && { kind: 'payload_altered' as const, ...fault };
    return { ok: violation === null, receipt_id, record, violation };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    const kind = error.code === 'not_json' ? 'torn_line' : 'payload_altered';
    const detail = `cannot be read as a receipt: ${error.code}: ${error.message}`;
    return {
      ok: false,
      receipt_id: null,
      record: null,
      violation: { kind, expected: 'a receipt', actual: null, detail },
    };
  }
}

function checksumFault(stored: Json | undefined, computed: string): Fault | null {
  if (stored === computed) return null;
  if (isHash(stored))
    return { expected: stored, actual: computed, detail: `${CHECKSUM} is not the hash of the receipt` };
  return { expected: computed, actual: null, detail: `${CHECKSUM} is missing or is not a SHA-256` };
}

/** The first member that is missing, of another form, or unknown; `expected` names it. */
function recordFault(record: Record<string, unknown>): Fault | null {
  for (const [name, { form, holds }] of Object.entries(MEMBERS)) {
    if (holds(record[name] as Json | undefined)) continue;
    return { expected: name, actual: null, detail: `${name} must be ${form}` };
  }
  const unknown = Object.keys(record).find((name) => !Object.hasOwn(MEMBERS, name));
  return unknown === undefined
    ? null
    : { expected: unknown, actual: null, detail: `${unknown} is no member of a receipt` };
}

/**
 * JSON libraries write fractions in different ways, so that a plain re-hash of the line would differ. Lines that hold one were
 * sealed before this was refused: they still verify.
 */
function refuseFraction(metadata: JsonObject): void {
  const path = fractionIn(metadata);
  if (path === null) return;
  const refused = new ProofError('invalid_record', 'must be an integer, or a decimal in a string with two places');
  throw path.reduceRight((error, step) => error.under(step), refused).under('metadata');
}

/** The steps to the first fraction; null when there is none. */
function fractionIn(value: Json): string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) && !Number.isInteger(value) ? [] : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const name in value) {
    const found = fractionIn((value as JsonObject)[name]!);
    if (found !== null) return [name, ...found];
  }
  return null;
}

function matches(value: Json | undefined, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

/** The last one that was found to be an instant: the receipts of one commit share theirs. */
let known_instant: string | null = null;

/** A date that the calendar has: 30 February would come back as another day. */
function isInstant(value: Json | undefined): boolean {
  if (typeof value !== 'string') return false;
  if (value === known_instant) return true;
  const seconds = INSTANT.exec(value)?.[1];
  if (seconds === undefined) return false;
  const at = Date.parse(`${seconds}Z`);
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(seconds)) return false;
  known_instant = value;
  return true;
}

export interface RouterReport {
  ok: boolean;
  receipts_checked: number;
  violation: RouterViolation | null;
  violations: RouterViolation[];
}

/** How many violations a report lists. */
const MAX_VIOLATIONS = 100;

/**
 * Verifies receipts files line by line; memory grows only with the receipt ids of the file at hand. A receipt copied
 * within its file is a `duplicate_receipt`; one whose line was removed leaves no trace: the router does not chain.
 */
export class RouterLedgerVerifier {
  readonly violations: RouterViolation[] = [];
  #unlisted = 0;
  #checked = 0;
  #file = '';
  #line = 0;
  #seen = new Map<string, number>();

  startFile(file: string): void {
    this.#file = file;
    this.#line = 0;
    this.#seen = new Map();
  }

  /** The next line without its LF; `terminated` says whether there was one. */
  push(line: string | Uint8Array, terminated = true): void {
    this.#line++;
    this.#checked++;
    const { receipt_id, violation } = verifyRouterLine(line);
    const first = receipt_id === null ? undefined : this.#seen.get(receipt_id);
    if (violation) this.#violate(receipt_id, violation);
    else if (!terminated) this.#violate(receipt_id, NO_LINE_END);
    if (first !== undefined) this.#violate(receipt_id, duplicate(first, this.#line));
    else if (receipt_id !== null) this.#seen.set(receipt_id, this.#line);
  }

  finish(): RouterReport {
    const last = this.violations.at(-1);
    if (last && this.#unlisted > 0) last.detail += `; ${this.#unlisted} more violations are not listed`;
    const violation = this.violations[0] ?? null;
    return { ok: violation === null, receipts_checked: this.#checked, violation, violations: this.violations };
  }

  #violate(receipt_id: string | null, violation: Pick<RouterViolation, 'kind' | keyof Fault>): void {
    if (this.violations.length === MAX_VIOLATIONS) this.#unlisted++;
    else this.violations.push({ file: this.#file, line: this.#line, receipt_id, ...violation });
  }
}

const NO_LINE_END = {
  kind: 'torn_line',
  expected: 'a line feed',
  actual: null,
  detail: 'the last line has no end: it was being written when the writer stopped',
} as const;

function duplicate(first: number, line: number): Pick<RouterViolation, 'kind' | keyof Fault> {
  const detail = `the receipt stands on line ${first} already`;
  return { kind: 'duplicate_receipt', expected: `line ${first} only`, actual: `line ${line} too`, detail };
}
