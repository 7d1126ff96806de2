/**
 * What a page shows of a receipt that is larger than anyone reads: its link is public. Counted is the markup it makes, in
 * bytes, so that the page of the largest receipt takes as long as that of a long one.
 */
import type { Print, PrintedCheck, Section } from '@rcpt/contract/lanes/lane.ts';
import { plainLine, tally } from '../words.ts';
import { shown } from './html.ts';

/** In UTF-16 units, of one text; what people write is shorter (contract: Prose). */
const LONGEST_TEXT = 20_000;
/** In bytes of markup, of all texts and rows together: five times what people write. */
const ROOM = 400_000;
/** When it is used up: of each text, about a line; of each list, and of the sections, the first few. */
const SHORT = 400;
const ALWAYS_SHOWN = 8;
/** What stands around the texts of a row. */
const ROW = 300;
/** A text is measured in parts: the last that fits ends where a part does. */
const PART = 100;

/** `left_out`: so many rows of it stand in the JSON alone. `tally`: of all checks, also those left out. */
export type BoundedSection = Section & { left_out?: number; tally?: string };
export interface BoundedPrint extends Omit<Print, 'sections'> {
  sections: BoundedSection[];
  /** So many sections stand in the JSON alone. */
  left_out: number;
}

/** The same print, its texts and lists cut where the page is full; what is left out is said. */
export function boundedPrint(print: Print): BoundedPrint {
  let room = ROOM;
  const cut = (text: string): string => {
    const kept = beginning(text, Math.max(room, SHORT));
    room -= sizeOf(kept);
    if (kept.length === text.length) return text;
    return `${kept.toWellFormed()} […] ${(text.length - kept.length).toLocaleString('en')} more characters stand in the JSON.`;
  };
  const rows = <Row>(list: Row[], of: (row: Row) => Row): Row[] => {
    const shown_rows: Row[] = [];
    for (const row of list) {
      if (room <= 0 && shown_rows.length >= ALWAYS_SHOWN) break;
      room -= ROW;
      shown_rows.push(of(row));
    }
    return shown_rows;
  };
  const bounded = (section: Section): BoundedSection => {
    switch (section.kind) {
      case 'facts': {
        const facts = rows(section.facts, (fact) => ({ ...fact, label: cut(fact.label), value: cut(fact.value) }));
        return { ...section, facts, left_out: (section.left_out ?? 0) + section.facts.length - facts.length };
      }
      case 'checks': {
        const checks = rows(section.checks, (check) => cutCheck(check, cut));
        const left_out = section.checks.length - checks.length;
        return { ...section, checks, left_out, tally: plainLine(tally(section.checks)) };
      }
      case 'evidence': {
        const evidence = rows(section.evidence, (piece) => ({ ...piece, label: cut(piece.label) }));
        return { ...section, evidence, left_out: section.evidence.length - evidence.length };
      }
      case 'text':
        return { ...section, text: cut(section.text) };
    }
  };
  const outcome = print.outcome && { ...print.outcome, summary: cut(print.outcome.summary) };
  const approval = print.approval && { ...print.approval, note: cut(print.approval.note) };
  const sections = rows<BoundedSection>(print.sections, bounded);
  return { ...print, outcome, approval, sections, left_out: print.sections.length - sections.length };
}

/** As much of a text as makes no more than so many bytes. */
function beginning(text: string, bytes: number): string {
  if (text.length <= LONGEST_TEXT && text.length * 2 <= bytes && sizeOf(text) <= bytes) return text;
  const longest = text.slice(0, LONGEST_TEXT);
  let end = 0;
  for (let left = bytes; end < longest.length; end += PART) {
    left -= sizeOf(longest.slice(end, end + PART));
    if (left < 0) break;
  }
  return longest.slice(0, end);
}

/** Where newlines are written by their code; elsewhere it is less. */
function sizeOf(text: string): number {
  return Buffer.byteLength(shown(text, 'line').markup);
}

function cutCheck(check: PrintedCheck, cut: (text: string) => string): PrintedCheck {
  const { label, detail, category, status, severity, decided_by: by } = check;
  const decided_by = by === null || by === 'rule' ? by : { ...by, name: cut(by.name), id: cut(by.id) };
  return {
    ...check,
    label: cut(label),
    detail: cut(detail),
    category: cut(category) as typeof category,
    status: cut(status) as typeof status,
    severity: cut(severity) as typeof severity,
    decided_by,
  };
}
