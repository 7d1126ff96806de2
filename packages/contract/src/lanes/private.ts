/**
 * What a Run may mark as private (docs/spec.md §31.1): the receipt then seals the digest of a salted disclosure in place of the member. Pure:
 * the salts come in.
 */
import { disclosureText, withDigests } from '@rcpt/proof/committing.ts';
import { DIGESTS, digestOf, sealedPlace, valueAt } from '@rcpt/proof/disclosures.ts';
import { tokensOf } from '@rcpt/proof/pointer.ts';
import { withOutput } from '@rcpt/proof/sealed-files.ts';
import type { Json, JsonObject } from '../wire.ts';
import type { Lane } from './lane.ts';

/** `salt`: 128 random bits in base64url. Once its value was erased, the salt is gone too, and the digest is all there is. */
export type Commitment = { path: string; salt: string } | { path: string; digest: string };

/** What is kept of a Run for the hashes that its receipt seals. */
export interface Commitments {
  members: Commitment[];
  /** Of the output, once it was erased. */
  erased_output?: { sha256: string; byte_size: number };
}

/** The texts that paths begin in: `/title`, `/note`, `/inputs/…`. */
export interface Committable {
  title: string;
  note: string;
  inputs: JsonObject;
}

export const MOST_PRIVATE = 64;

/** Why these cannot be private, the first of them; null where all can. The note is not known yet when a Run is opened. */
export function whyNotPrivate(
  { commits, label }: Pick<Lane, 'commits' | 'label'>,
  { title, inputs }: Omit<Committable, 'note'>,
  paths: readonly string[],
): { path: string; reason: string } | null {
  for (const [i, path] of paths.entries()) {
    const no = (reason: string) => ({ path, reason });
    if (commits === undefined) return no(`the lane ${label} seals all of its members in clear`);
    const tokens = tokensOf(path);
    if (tokens === null) return no('it is no JSON Pointer (RFC 6901)');
    if (paths.some((other, j) => j !== i && `${other}/`.startsWith(`${path}/`)))
      return no('it is named twice, or a member within it is named, too');
    const [first, name, ...deeper] = tokens;
    if (tokens.length === 1 && (first === 'title' || first === 'note')) {
      if (!commits[first]) return no(`the ${first} is not sealed in this lane`);
      continue;
    }
    if (first !== 'inputs' || name === undefined) return no('only /title, /note and members of /inputs can be');
    if (name === 'notify') return no('it is never sealed');
    if (commits.inputs !== 'any' && (deeper.length > 0 || !commits.inputs.includes(name)))
      return no(`of the inputs of this lane these can be: ${commits.inputs.join(', ')}`);
    const holder = valueAt({ title, inputs }, tokens.slice(0, -1));
    if (Array.isArray(holder)) return no('an item of a list cannot be, only a member of an object');
    if (valueAt({ title, inputs }, tokens) === undefined) return no('there is no such member');
  }
  if (paths.length > 0 && hasReserved(inputs))
    return { path: '/inputs', reason: `with private members no member may be called ${DIGESTS} or "..."` };
  return null;
}

function hasReserved(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => (!Array.isArray(value) && (name === DIGESTS || name === '...')) || hasReserved(inner),
  );
}

/** The text that discloses it; null once it was erased, or where its value is not there. Throws what `canonicalize` throws. */
export function disclosureOf(commitment: Commitment, from: Committable): string | null {
  const tokens = tokensOf(commitment.path)!;
  const value = valueAt({ ...from }, tokens);
  if (!('salt' in commitment) || value === undefined) return null;
  return disclosureText({ salt: commitment.salt, name: tokens.at(-1)!, value });
}

/** The digest that is sealed: computed from the value for as long as that is there. */
export function committedDigest(commitment: Commitment, from: Committable): string {
  if ('digest' in commitment) return commitment.digest;
  const text = disclosureOf(commitment, from);
  // Agrees with no receipt: somebody took the value away.
  return text === null ? 'the value is not stored' : digestOf(text);
}

/** The lane's block as it is sealed: digests in place of what is private, and the hash of an output that was erased. */
export function committedBlock(
  schema: string,
  block: JsonObject,
  { members, erased_output }: Commitments,
  from: Committable,
): JsonObject {
  const committed = members.map((commitment) => ({
    place: sealedPlace(schema, commitment.path)!,
    digest: committedDigest(commitment, from),
  }));
  return withDigests(erased_output ? withOutput(schema, block, erased_output) : block, committed);
}
