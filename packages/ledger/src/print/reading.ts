/**
 * A stored receipt as people read it. The bytes may have been tampered with: nothing here trusts their shape, and what a
 * lane cannot print is shown member by member.
 */
import type { Print, Section } from '@rcpt/contract/lanes/lane.ts';
import { laneBySchema } from '@rcpt/contract/lanes/registry.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';

/** What page and PDF say about one receipt. */
export interface Reading {
  receipt_id: string;
  org_seq: string;
  parent_hash: string;
  created_at: string;
  organization: { id: string; name: string };
  schema: string;
  receipt_sha256: string;
  print: Print;
}

/** What both renderings are given. `bytes` are the stored canonical JSON, `receipt` is what they parse to. */
export interface Rendered {
  receipt: object;
  bytes: string;
  /** Whether the bytes still hash to what the receipt states; the caller has just recomputed it. */
  verified: boolean;
  share_url: string;
}

const ENVELOPE = new Set([
  'schema',
  'receipt_id',
  'org_seq',
  'parent_hash',
  'created_at',
  'organization',
  'share_url',
  'receipt_sha256',
]);

export function read(receipt: object): Reading {
  const members = receipt as Record<string, unknown>;
  const organization = (members.organization ?? {}) as Record<string, unknown>;
  return {
    receipt_id: text(members.receipt_id),
    org_seq: text(members.org_seq),
    parent_hash: text(members.parent_hash),
    created_at: text(members.created_at),
    organization: { id: text(organization.id), name: text(organization.name) },
    schema: text(members.schema),
    receipt_sha256: text(members.receipt_sha256),
    print: printOf(members),
  };
}

/** What a receipt that was altered says is repeated as its claim, in no encouraging colour. */
export function doubted(reading: Reading): Reading {
  const { outcome } = reading.print;
  if (!outcome) return reading;
  const claimed = { ...outcome, word: `As stored: ${outcome.word}`, tone: 'neutral' as const };
  return { ...reading, print: { ...reading.print, outcome: claimed } };
}

function printOf(members: Record<string, unknown>): Print {
  const lane = laneBySchema(text(members.schema));
  if (!lane) return memberByMember(members);
  // A lane's print() promises not to throw; this one reads what somebody may have forged for it.
  try {
    return saidOnce(lane.print(members as JsonObject));
  } catch {
    return memberByMember(members);
  }
}

/** Page and PDF open with the verdict; its section keeps what the opening leaves out. */
function saidOnce(print: Print): Print {
  const { outcome } = print;
  if (!outcome) return print;
  const said = new Set([outcome.word, outcome.summary, String(outcome.score_100)]);
  const sections = print.sections.map((section) =>
    section.kind === 'facts' && section.title === 'Verdict'
      ? { ...section, facts: section.facts.filter((fact) => !said.has(fact.value)) }
      : section,
  );
  return { ...print, sections };
}

function memberByMember(members: Record<string, unknown>): Print {
  const blocks = Object.entries(members).filter(([name]) => !ENVELOPE.has(name));
  return {
    title: text(members.receipt_id),
    kind: text(members.schema),
    outcome: null,
    approval: null,
    sections: blocks.map(
      ([name, block]): Section => ({
        kind: 'text',
        title: name,
        text: typeof block === 'string' ? block : (JSON.stringify(block, null, 2) ?? ''),
      }),
    ),
  };
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : (JSON.stringify(value) ?? '');
}
