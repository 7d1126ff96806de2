/**
 * A stored receipt as people read it: the same on the shared page, on paper and in the console. The bytes may have been
 * tampered with: nothing here trusts their shape, and what a lane cannot print is shown member by member.
 */
import { ENVELOPE_MEMBERS } from '@rcpt/proof/receipt.ts';
import type { JsonObject } from '../wire.ts';
import type { Print, Section } from './lane.ts';
import { laneBySchema } from './registry.ts';

/** Never throws. */
export function printReceipt(receipt: object): Print {
  const members = receipt as Record<string, unknown>;
  const lane = laneBySchema(textOf(members.schema));
  if (!lane) return memberByMember(members);
  // A lane's print() promises not to throw; this one may be given a forged receipt.
  try {
    return saidOnce(lane.print(members as JsonObject));
  } catch {
    return memberByMember(members);
  }
}

/** What a receipt that was altered says is repeated as its claim, in no encouraging colour. */
export function asClaimed(print: Print): Print {
  const { outcome } = print;
  if (!outcome) return print;
  return { ...print, outcome: { ...outcome, word: `As stored: ${outcome.word}`, tone: 'neutral' } };
}

/** Any member as text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : (JSON.stringify(value) ?? '');
}

/** Every rendering opens with the verdict; its section keeps what the opening leaves out. */
function saidOnce(print: Print): Print {
  const { outcome } = print;
  if (!outcome) return print;
  const said = ['Outcome', 'Summary', ...(outcome.score_100 === null ? [] : ['Score of 100'])];
  const sections = print.sections.map((section) =>
    section.kind === 'facts' && section.title === 'Verdict'
      ? { ...section, facts: section.facts.filter((fact) => !said.includes(fact.label)) }
      : section,
  );
  return { ...print, sections };
}

function memberByMember(members: Record<string, unknown>): Print {
  const blocks = Object.entries(members).filter(([name]) => !ENVELOPE_MEMBERS.has(name));
  return {
    title: textOf(members.receipt_id),
    kind: textOf(members.schema),
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
