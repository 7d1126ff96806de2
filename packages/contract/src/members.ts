/** JSON of any shape as names and values: two different objects never read alike. Pure. */
import type { Json, JsonObject } from './wire.ts';

export interface Member {
  /** `limits.seats`, `"a.b"."c d"`: where the member stands. */
  path: string;
  value: Json;
}

export interface Members {
  members: Member[];
  /** So many more stand in the JSON. */
  left_out: number;
}

/** What a path is made of, or could be read as. */
const QUOTED = /[.[\]{}"'`,:\s\\]|^$/;
/** What `inJson` writes of other values, and what it writes where it quotes. */
const AMBIGUOUS = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|—|["[{][\s\S]*|)$/;

/** The first `most` members in the object's order; of a nested object its own members, unless it has none. */
export function membersOf(value: JsonObject, most: number): Members {
  const found: Members = { members: [], left_out: 0 };
  gather(value, '', most, found);
  return found;
}

function gather(value: JsonObject, before: string, most: number, found: Members): void {
  for (const [name, inner] of Object.entries(value)) {
    const full = found.members.length >= most;
    const path = full ? '' : `${before}${QUOTED.test(name) ? JSON.stringify(name) : name}`;
    if (isObject(inner) && Object.keys(inner).length > 0) gather(inner, full ? '' : `${path}.`, most, found);
    else if (full) found.left_out += 1;
    else found.members.push({ path, value: inner });
  }
}

/** A text as it is, unless it could be taken for another value: `1`, `"1"`, `true`, `"true"`, `["a","b"]`, `null`, `""`. */
export function inJson(value: Json): string {
  return typeof value === 'string' && !AMBIGUOUS.test(value) ? value : JSON.stringify(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
