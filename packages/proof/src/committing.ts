/** Committing a member: its disclosure, and the digest in its place (docs/spec.md §31.1, §31.2). */
import { toBase64Url } from './base64url.ts';
import { canonicalize, type Json, type JsonObject } from './canonical.ts';
import { DIGESTS, type Disclosure } from './disclosures.ts';
import { isObject } from './receipt.ts';

/** The text that is hashed, and handed on: base64url of `[salt, name, value]` in its canonical form. Throws what `canonicalize` throws. */
export function disclosureText({ salt, name, value }: Disclosure): string {
  return toBase64Url(new TextEncoder().encode(canonicalize([salt, name, value])));
}

/** A block whose members at these places are committed: each makes room for its digest. Changes nothing in place. */
export function withDigests(block: JsonObject, committed: { place: string[]; digest: string }[]): JsonObject {
  let made = block;
  for (const { place, digest } of committed) made = withDigest(made, place, digest) as JsonObject;
  return made;
}

function withDigest(value: Json | undefined, place: string[], digest: string): Json {
  const [name, ...rest] = place;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === name ? withDigest(item, rest, digest) : item));
  const holder = isObject(value) ? value : {};
  if (rest.length > 0) return { ...holder, [name!]: withDigest(holder[name!], rest, digest) };
  const { [name!]: _, ...others } = holder;
  const digests = Array.isArray(holder[DIGESTS]) ? (holder[DIGESTS] as string[]) : [];
  return { ...others, [DIGESTS]: [...digests, digest].sort() };
}
