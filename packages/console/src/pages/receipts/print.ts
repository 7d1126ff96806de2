/**
 * A receipt as people read it, by the same code as the shared page. It brings the lanes with their schemas, 38 kB
 * compressed: loaded beside the first receipt, never with the page itself.
 */
import './without-eval.ts';
import type { Print, Section } from '@rcpt/contract/lanes/lane.ts';
import { laneBySchema } from '@rcpt/contract/lanes/registry.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';

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

/** `intact`: its bytes still have its hash. What an altered receipt says is repeated as its claim, in no encouraging colour. */
export function printOf(receipt: JsonObject, intact: boolean): Print {
  const print = laneSays(receipt) ?? memberByMember(receipt);
  const { outcome } = print;
  if (intact || outcome === null) return print;
  return { ...print, outcome: { ...outcome, word: `As stored: ${outcome.word}`, tone: 'neutral' } };
}

/** A lane's print promises not to throw; this one reads what somebody may have forged for it. */
function laneSays(receipt: JsonObject): Print | null {
  try {
    const lane = laneBySchema(String(receipt.schema));
    return lane === undefined ? null : saidOnce(lane.print(receipt));
  } catch {
    return null;
  }
}

/** The page opens with the verdict; its section keeps what the opening leaves out. */
function saidOnce(print: Print): Print {
  const { outcome } = print;
  if (outcome === null) return print;
  const said = new Set([outcome.word, outcome.summary, String(outcome.score_100)]);
  const sections = print.sections.map((section) =>
    section.kind === 'facts' && section.title === 'Verdict'
      ? { ...section, facts: section.facts.filter(({ value }) => !said.has(value)) }
      : section,
  );
  return { ...print, sections };
}

function memberByMember(receipt: JsonObject): Print {
  const blocks = Object.entries(receipt).filter(([name]) => !ENVELOPE.has(name));
  return {
    title: String(receipt.receipt_id ?? ''),
    kind: String(receipt.schema ?? ''),
    outcome: null,
    approval: null,
    sections: blocks.map(
      ([name, block]): Section => ({
        kind: 'text',
        title: name,
        text: typeof block === 'string' ? block : JSON.stringify(block, null, 2),
      }),
    ),
  };
}
