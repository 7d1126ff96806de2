/**
 * Who owns what. Everything one side writes bears its mark, and every id, secret and receipt hash the service makes for it
 * is remembered. No answer to another side may hold either, but for what that side itself has sent.
 */
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { Sent } from '../kit/openapi-answers.ts';
import type { Random } from './random.ts';

export interface Side {
  /** Small letters: it fits every pattern that takes words. */
  mark: string;
  /** What the service made for this side alone. */
  owned: Set<string>;
  /** Ids that this side sent before it was told them: to find them in its answers says nothing. */
  sent: Set<string>;
  /** What earlier answers gave, by member name and by an id's kind (`run`, `key`), the newest last. */
  known: Map<string, string[]>;
  /** Never put into a path: without these the side could do nothing any more. */
  kept: Set<string>;
}

export function newSide(name: string, random: Random): Side {
  const mark = `zq${name}${random.letters(8)}`;
  return { mark, owned: new Set(), sent: new Set(), known: new Map(), kept: new Set() };
}

const ID = /^(org|run|ev|ap|key|mem|user|ds|node|job|worker|lease|event|art|rcpt|rk|dwrk|dlease)_[\w-]{16,}$/;
const RECEIPT_ID = /^RCPT-\d{6,}-[0-9a-f]{8}$/;
const SECRET = /^(rk|dwrk|dlease)_/;
const WORDS = /[\w-]{12,}/g;
const LEASE_TOKEN = /"lease_token":"[^"]*"/g;
const REMEMBERED = 40;

/** An answer that only this side was to see. */
export function learn(side: Side, value: unknown, name = ''): void {
  if (Array.isArray(value)) for (const item of value) learn(side, item, name);
  else if (typeof value === 'object' && value !== null) {
    learnPairs(side, value as Record<string, unknown>);
    for (const [inner, member] of Object.entries(value)) learn(side, member, inner);
  } else if (typeof value === 'string') learnText(side, value, name);
}

/** What is good in one place only: a lease token, a sheet's version, evidence and open checks of a Run. */
function learnPairs(side: Side, value: { [name: string]: unknown }): void {
  const { id, name, version, lease_token, job, evidence, checks } = value as {
    id?: string;
    name?: string;
    version?: string;
    lease_token?: string;
    job?: { id: string } | null;
    evidence?: { id: string }[];
    checks?: { key: string; status: string }[];
  };
  if (typeof lease_token === 'string' && job) {
    remember(side, 'leased', job.id);
    remember(side, `lease of ${job.id}`, lease_token);
  }
  if (typeof name === 'string' && typeof version === 'string') {
    remember(side, 'sheet', name);
    remember(side, `version of ${name}`, version);
  }
  if (!id?.startsWith('run_')) return;
  for (const { id: evidence_id } of evidence ?? []) remember(side, `evidence of ${id}`, evidence_id);
  side.known.delete(`key of ${id}`);
  for (const { key, status } of checks ?? []) if (status === 'open') remember(side, `key of ${id}`, key);
}

function learnText(side: Side, text: string, name: string): void {
  const share = /\/share\/([\w-]{22,40})$/.exec(text)?.[1];
  if (share !== undefined) {
    own(side, share, 'token');
    return;
  }
  const hash = ['receipt_sha256', 'parent_hash'].includes(name) && /^[0-9a-f]{64}$/.test(text) && text !== GENESIS_HASH;
  const kind = RECEIPT_ID.test(text) ? 'receipt_id' : ID.exec(text)?.[1];
  if (kind !== undefined || hash) own(side, text, kind ?? 'sha256');
  if (['key', 'name', 'version', 'email', 'lease_token', 'id'].includes(name) && text.length < 200)
    remember(side, name, text);
}

function own(side: Side, text: string, kind: string): void {
  if (!side.sent.has(text)) side.owned.add(text);
  remember(side, kind, text);
}

export function remember(side: Side, name: string, text: string): void {
  const known = side.known.get(name) ?? [];
  side.known.set(name, known);
  if (known.includes(text)) return;
  known.push(text);
  if (known.length > REMEMBERED) known.shift();
}

/** To be told before the request is sent. */
export function recordSent(side: Side, sent: Sent): void {
  for (const [word] of askedIn(sent).matchAll(WORDS)) if (!side.owned.has(word)) side.sent.add(word);
}

/** What in `text` belongs to a side that `audience` is not; null: nothing. */
export function leakIn(text: string, audience: Side | null, sides: Side[], sent: Sent): string | null {
  const others = sides.filter((side) => side !== audience);
  const asked = askedIn(sent);
  for (const { mark } of others) if (text.includes(mark) && !asked.includes(mark)) return mark;
  for (const [word] of text.matchAll(WORDS))
    if (others.some(({ owned }) => owned.has(word)) && !audience?.owned.has(word))
      if (!audience?.sent.has(word) && !asked.includes(word)) return word;
  return null;
}

export interface Secrets {
  /** To be told before the request is sent: what is sent where no secret belongs may be answered to anyone. */
  recordSent(sent: Sent, caller: string): void;
  /** A secret in this answer that was told to another; null: none. */
  strayIn(text: string, caller: string): string | null;
}

/** A secret is told to one caller, who may ask again with the same Idempotency-Key. */
export function newSecrets(): Secrets {
  const told = new Map<string, string | null>();
  return {
    recordSent(sent, caller) {
      const { body } = sent;
      const elsewhere = { path: sent.path, method: sent.method, body: String(body ?? '').replace(LEASE_TOKEN, '') };
      for (const word of secretsIn(askedIn(sent))) if (told.get(word) !== caller) told.set(word, null);
      for (const word of secretsIn(askedIn(elsewhere))) told.set(word, null);
    },
    strayIn(text, caller) {
      for (const word of secretsIn(text)) {
        const to = told.get(word);
        if (to === undefined) told.set(word, caller);
        else if (to !== null && to !== caller) return word;
      }
      return null;
    },
  };
}

function secretsIn(text: string): string[] {
  return (text.match(WORDS) ?? []).filter((word) => SECRET.test(word));
}

/** All of a request in which something can stand that an answer repeats. */
function askedIn({ path, body, headers }: Sent): string {
  return `${path}\n${body ?? ''}\n${JSON.stringify(headers ?? {})}`;
}
