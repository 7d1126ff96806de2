/**
 * What a receipt seals by its hash, and whether a file is that (docs/spec.md §6.8): one rule for the command line, the share page and the
 * console. A match means something only for a receipt that was verified just before; the callers see to that.
 */
import type { Json, JsonObject } from './canonical.ts';
import type { FileHashes } from './file-hashes.ts';
import { isHash, isObject } from './receipt.ts';

/**
 * How the hash was made. `bytes`: of a file. `value`: of an output, which is a text's UTF-8 bytes or else the canonical
 * form of its JSON. `json`: of the canonical form whatever it is, a text too; or declared, then of anything.
 */
type HashedAs = 'bytes' | 'value' | 'json';

export interface SealedFile {
  role: 'output' | 'evidence';
  /** What the lane calls it: `output`, `submission`, `dataset package`, `model card`, `evidence`. */
  name: string;
  /** Of evidence, as it was written by others: to be shown with care. */
  label: string | null;
  sha256: string;
  /** As the receipt states it; null where it states none. */
  byte_size: number | null;
  hashed_as: HashedAs;
}

export interface SealedFiles {
  output: SealedFile | null;
  evidence: SealedFile[];
  /** Why there is none, as the end of a sentence on this receipt; null where there is one. */
  no_output: string | null;
  no_evidence: string | null;
}

interface Place {
  name: string;
  block: string;
  sha256: string;
  byte_size: string | null;
  hashed_as: HashedAs;
}

/** Where each lane seals what the work made; null: it seals no such thing. The tests hold the lanes to it. */
const OUTPUTS: Record<string, Place | null> = {
  'service.receipt/v1': {
    name: 'output',
    block: 'execution',
    sha256: 'output_sha256',
    byte_size: 'output_bytes',
    hashed_as: 'value',
  },
  'service.eval-receipt/v1': {
    name: 'submission',
    block: 'submission',
    sha256: 'sha256',
    byte_size: null,
    hashed_as: 'value',
  },
  'service.dataset-download-receipt/v1': {
    name: 'dataset package',
    block: 'package',
    sha256: 'sha256',
    byte_size: 'size_bytes',
    hashed_as: 'bytes',
  },
  'service.model-pin-receipt/v1': {
    name: 'model card',
    block: 'model',
    sha256: 'card_sha256',
    byte_size: null,
    hashed_as: 'json',
  },
  'service.cook-receipt/v1': null,
  'service.incident-receipt/v1': null,
};
const WITH_EVIDENCE = new Set(['service.receipt/v1', 'service.eval-receipt/v1']);

/** From a receipt's payload, of whatever shape. Never throws. */
export function sealedFilesOf(payload: JsonObject): SealedFiles {
  const { schema } = payload;
  if (typeof schema !== 'string' || !Object.hasOwn(OUTPUTS, schema)) {
    const unknown = 'is of a kind whose sealed files are not known here';
    return { output: null, evidence: [], no_output: unknown, no_evidence: unknown };
  }
  const output = outputAt(OUTPUTS[schema] ?? null, payload);
  const evidence = WITH_EVIDENCE.has(schema) ? evidenceIn(payload.evidence) : [];
  const of_lane = OUTPUTS[schema] ? 'names no output' : 'is of a lane that seals no output';
  const has_none = WITH_EVIDENCE.has(schema) ? 'names no evidence' : 'is of a lane that seals no evidence';
  return {
    output,
    evidence,
    no_output: output ? null : of_lane,
    no_evidence: evidence.length > 0 ? null : has_none,
  };
}

/** A block with another hash and size where its lane seals those of its output. */
export function withOutput(
  schema: string,
  block: JsonObject,
  { sha256, byte_size }: { sha256: string; byte_size: number },
): JsonObject {
  const place = OUTPUTS[schema];
  const within = place && block[place.block];
  if (!place || !isObject(within)) return block;
  const size = place.byte_size === null ? {} : { [place.byte_size]: byte_size };
  return { ...block, [place.block]: { ...within, [place.sha256]: sha256, ...size } };
}

function outputAt(place: Place | null, payload: JsonObject): SealedFile | null {
  const block = place && payload[place.block];
  if (!place || !isObject(block ?? undefined)) return null;
  const { [place.sha256]: sha256, [place.byte_size ?? '']: size } = block as JsonObject;
  if (!isHash(sha256)) return null;
  const { name, hashed_as } = place;
  return { role: 'output', name, label: null, sha256, byte_size: stated(size), hashed_as };
}

function evidenceIn(list: Json | undefined): SealedFile[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item): SealedFile[] => {
    if (!isObject(item) || !isHash(item.sha256)) return [];
    const label = typeof item.label === 'string' ? item.label : '';
    const byte_size = stated(item.byte_size);
    return [{ role: 'evidence', name: 'evidence', label, sha256: item.sha256, byte_size, hashed_as: 'bytes' }];
  });
}

/** Of evidence whose bytes were not seen, 0 is sealed. */
function stated(size: Json | undefined): number | null {
  return typeof size === 'number' && size > 0 ? size : null;
}

/** In which form a file has the sealed hash. */
export type MatchForm = 'bytes' | 'canonical_json' | 'json_string';

/** Null: it is not that file. */
export function matchForm({ sha256, hashed_as }: SealedFile, file: FileHashes): MatchForm | null {
  if (file.sha256 === sha256) return 'bytes';
  if (hashed_as === 'bytes') return null;
  if (file.canonical_sha256 === sha256) return 'canonical_json';
  return hashed_as === 'json' && file.json_string_sha256 === sha256 ? 'json_string' : null;
}

/** Why a file that is not it may be taken for it: what would have to be undone. */
export type NearMiss = 'final_newline' | 'formatting' | 'not_compared_as_json';

export function nearMiss({ sha256, hashed_as }: SealedFile, file: FileHashes): NearMiss | null {
  if (file.without_newline_sha256 === sha256) return 'final_newline';
  if (file.canonical_sha256 === sha256) return 'formatting';
  return hashed_as !== 'bytes' && file.not_canonical === 'too_large' ? 'not_compared_as_json' : null;
}
