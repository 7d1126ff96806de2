/**
 * A stored Run as its organization sees it, as JSON text. Inputs and execution leave as they are stored: parsing a megabyte and
 * writing it again would hold the event loop for each reader.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import { readRun, type StoredRun } from '../store/runs.ts';
import { type Run, showRun } from './run.ts';

export function runJson(row: StoredRun): string {
  // A Run of before its execution's agent was stored apart names it in the execution alone.
  const is_whole = row.execution !== null && row.agent_profile === null;
  const shown = showRun(readRun(is_whole ? { ...row } : { ...row, inputs: '{}', execution: null }));
  const stored: Partial<Record<keyof Run, string>> = { inputs: row.inputs, execution: row.execution ?? 'null' };
  const members = Object.entries(shown).map(
    ([name, value]) => `${JSON.stringify(name)}:${stored[name as keyof Run] ?? JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}

/** Written in one go: others are served before the next. */
const AT_ONCE = 32;

/** As the items of a JSON list. */
export async function runListJson(rows: StoredRun[]): Promise<string> {
  const items: string[] = [];
  for (const row of rows) {
    if (items.length % AT_ONCE === AT_ONCE - 1) await otherWork();
    items.push(runJson(row));
  }
  return items.join(',');
}
