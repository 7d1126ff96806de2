/** What a page shows of long texts: its link is public, and a megabyte of characters shown by their codes is eleven. */
import type { Print, PrintedCheck, Section } from '@rcpt/contract/lanes/lane.ts';

/** Of one text; what people write is shorter (contract: Prose). */
const LONGEST_TEXT = 20_000;
/** Of all texts together. */
const ROOM = 200_000;

/** The same print, its texts cut where a page ends; each says how much of it stands in the JSON only. */
export function boundedPrint(print: Print): Print {
  let room = ROOM;
  const cut = (text: string): string => {
    const most = Math.min(LONGEST_TEXT, Math.max(room, 0));
    room -= Math.min(text.length, most);
    if (text.length <= most) return text;
    return `${text.slice(0, most).toWellFormed()} […] ${(text.length - most).toLocaleString('en')} more characters stand in the JSON.`;
  };
  return { ...print, sections: print.sections.map((section) => cutSection(section, cut)) };
}

function cutSection(section: Section, cut: (text: string) => string): Section {
  switch (section.kind) {
    case 'facts':
      return {
        ...section,
        facts: section.facts.map((fact) => ({ ...fact, label: cut(fact.label), value: cut(fact.value) })),
      };
    case 'checks':
      return {
        ...section,
        checks: section.checks.map((check) => ({
          ...check,
          label: cut(check.label),
          detail: cut(check.detail),
          decided_by: cutSigner(check.decided_by, cut),
        })),
      };
    case 'evidence':
      return { ...section, evidence: section.evidence.map((piece) => ({ ...piece, label: cut(piece.label) })) };
    case 'text':
      return { ...section, text: cut(section.text) };
  }
}

function cutSigner(by: PrintedCheck['decided_by'], cut: (text: string) => string): PrintedCheck['decided_by'] {
  return by === null || by === 'rule' ? by : { ...by, name: cut(by.name), id: cut(by.id) };
}
