/** The blocks of a sealed payload held against blocks built from other records of the same work. */
import type { Json, JsonObject } from './canonical.ts';
import { ENVELOPE_MEMBERS, isObject } from './receipt.ts';

/** Differences named in one fault. */
const NAMED = 5;

export interface Difference {
  /** `approval.note`, `checks.2.status`. */
  path: string;
  sealed: Json | undefined;
  recorded: Json | undefined;
}

/** Whether every member outside the envelope is as recorded, and none is missing or added. */
export function blocksAgree(payload: JsonObject, blocks: JsonObject): boolean {
  let found = 0;
  for (const name in payload) {
    if (ENVELOPE_MEMBERS.has(name)) continue;
    found++;
    if (!Object.hasOwn(blocks, name) || !isSame(payload[name]!, blocks[name]!)) return false;
  }
  return found === Object.keys(blocks).length;
}

/** The first differences, member by member. */
export function blockDifferences(payload: JsonObject, blocks: JsonObject): Difference[] {
  const sealed = Object.fromEntries(Object.entries(payload).filter(([name]) => !ENVELOPE_MEMBERS.has(name)));
  const differences: Difference[] = [];
  compare('', sealed, blocks, differences);
  return differences;
}

function compare(path: string, sealed: Json | undefined, recorded: Json | undefined, into: Difference[]): void {
  if (into.length === NAMED || (sealed !== undefined && recorded !== undefined && isSame(sealed, recorded))) return;
  const [left, right] = [membersOf(sealed), membersOf(recorded)];
  if (left === null || right === null || Array.isArray(sealed) !== Array.isArray(recorded)) {
    into.push({ path, sealed, recorded });
    return;
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
    compare(path === '' ? name : `${path}.${name}`, own(left, name), own(right, name), into);
}

function membersOf(value: Json | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : null;
}

function own(record: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function isSame(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isSame(a[i]!, b[i]!)) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  let members = 0;
  for (const name in a) {
    members++;
    if (!Object.hasOwn(b, name) || !isSame(a[name]!, b[name]!)) return false;
  }
  return members === Object.keys(b).length;
}
