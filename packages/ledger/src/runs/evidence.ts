/**
 * Evidence bytes: hashed here, counted, kept in object storage under their hash, best effort; what is recorded says whether they
 * were. What is read back is compared with the record: storage is trusted with nothing.
 */
import { Buffer } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import type { Evidence, NewEvidence } from '@rcpt/contract/ledger/runs.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId } from '@rcpt/service/ids.ts';
import { ObjectTooLarge } from '@rcpt/storage/storage.ts';
import type { Ledger } from '../ledger.ts';
import { evidenceKey } from '../outbox/storage.ts';
import type { Principal } from '../people/principal.ts';
import { refuse } from '../problems.ts';
import { loadMarks } from '../store/runs.ts';
import {
  abandonedObjects,
  beginRemoval,
  claimObject,
  type EvidenceObject,
  endRemoval,
  unclaimObject,
} from '../store/storage.ts';
import type { Run } from './run.ts';
import { takesEvidence } from './stages.ts';

/** A file as it was uploaded. */
export interface Upload {
  bytes: Buffer;
  sha256: string;
}

/** How long an upload may wait for storage before it is recorded as not stored, and a reader before it is told. */
const STORAGE_MS = 10_000;

/** Off the request's thread: 25 MiB take most of a tenth of a second. */
export async function hashOf(bytes: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString('hex');
}

/**
 * Hashes, counts and stores what was sent. Throws `not_found`, `payload_too_large`, `evidence_mismatch` when a declared hash
 * differs, `invalid` when nothing was declared, `storage_quota`. A crash after counting leaves bytes that no Run names: a retry
 * stores them again in place, uncounted, or `sweepEvidence` deletes them.
 */
export async function receiveEvidence(
  ledger: Pick<Ledger, 'db' | 'storage' | 'config' | 'now'>,
  by: Principal,
  run_id: string,
  { kind, label, content, sha256, content_type }: NewEvidence,
  upload: Upload | undefined,
): Promise<Evidence> {
  const run = await loadMarks(ledger.db, by.organization_id, run_id, 'evidence');
  const bytes = upload?.bytes ?? (content === undefined ? null : Buffer.from(content, 'utf8'));
  const id = newId('ev');
  if (bytes === null) {
    if (sha256 === undefined)
      throw new Refusal('invalid', 'Send content, a file, or the sha256 of evidence kept elsewhere.');
    return {
      id,
      kind,
      label,
      sha256,
      byte_size: 0,
      content_type: content_type ?? 'application/octet-stream',
      stored: false,
    };
  }
  const { evidence_bytes } = ledger.config;
  if (bytes.length > evidence_bytes)
    throw new Refusal('payload_too_large', `A piece of evidence takes at most ${evidence_bytes} bytes.`);
  const actual = upload?.sha256 ?? (await hashOf(bytes));
  if (sha256 !== undefined && sha256 !== actual)
    throw refuse(
      'evidence_mismatch',
      `The declared sha256 is ${sha256}, the bytes have ${actual}. Nothing was attached.`,
    );
  const type = content_type ?? (upload === undefined ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  // A Run that takes no more refuses this, or it was answered before under its Idempotency-Key: neither is worth 25 MiB of storage.
  const stored = takesEvidence(run) && (await storeEvidence(ledger, objectOf(run, actual, bytes.length), bytes, type));
  return { id, kind, label, sha256: actual, byte_size: bytes.length, content_type: type, stored };
}

/** False: storage did not take them. Throws `storage_quota`. */
async function storeEvidence(
  { db, storage, config, now }: Pick<Ledger, 'db' | 'storage' | 'config' | 'now'>,
  object: EvidenceObject,
  bytes: Buffer,
  type: string,
): Promise<boolean> {
  await db.transaction((tx) => claimObject(tx, object, config.organization_storage_bytes, now()));
  try {
    await storage.put(keyOf(object), bytes, type, AbortSignal.timeout(STORAGE_MS));
    return true;
  } catch {
    await db.transaction((tx) => unclaimObject(tx, object));
    return false;
  }
}

export interface StoredEvidence {
  item: Evidence;
  bytes: Buffer;
  /** The bytes have the recorded hash. */
  verified: boolean;
}

/**
 * Throws `not_found` where the bytes are not with us, `evidence_altered` where they are not those that were recorded and
 * `altered` does not ask for them all the same, `storage_unavailable`.
 */
export async function fetchEvidence(
  { storage, config }: Pick<Ledger, 'storage' | 'config'>,
  run: Pick<Run, 'organization_id' | 'id' | 'evidence'>,
  id: string,
  altered: 'refuse' | 'serve',
): Promise<StoredEvidence> {
  const item = run.evidence.find((evidence) => evidence.id === id);
  if (item === undefined) throw new Refusal('not_found', 'This Run has no such evidence.');
  if (!item.stored) throw new Refusal('not_found', 'The bytes of this evidence are not stored here.');
  const object = objectOf(run, item.sha256, item.byte_size);
  const most = Math.max(item.byte_size, config.evidence_bytes);
  const bytes = await storage
    .get(keyOf(object), AbortSignal.timeout(STORAGE_MS), most)
    .catch((error: unknown): number => {
      if (error instanceof ObjectTooLarge) return error.byte_size;
      throw refuse('storage_unavailable', 'Object storage does not answer just now. Try again shortly.');
    });
  if (bytes === null)
    throw new Refusal('not_found', 'The bytes of this evidence were stored here, and are not there any more.');
  if (typeof bytes === 'number') throw isAltered(item, null, bytes, 'They are too large to be served.');
  const actual = await hashOf(bytes);
  const verified = actual === item.sha256;
  if (!verified && altered === 'refuse')
    throw isAltered(item, actual, bytes.length, 'To look at them all the same, ask with ?altered=serve.');
  return { item, bytes, verified };
}

function isAltered({ sha256, byte_size }: Evidence, actual: string | null, actual_size: number, way_out: string) {
  const found = actual === null ? `${actual_size} bytes` : `${actual_size} bytes of ${actual}`;
  return refuse(
    'evidence_altered',
    `The bytes in object storage are not those that were attached: recorded are ${byte_size} bytes of ${sha256}, stored are ${found}. They are not this evidence. ${way_out}`,
    { recorded: { sha256, byte_size }, stored: { sha256: actual, byte_size: actual_size } },
  );
}

/** Deletes what was claimed before `before` and is named by no Run; run now and then. */
export async function sweepEvidence({ db, storage }: Pick<Ledger, 'db' | 'storage'>, before: string): Promise<void> {
  for (const object of await abandonedObjects(db, before)) {
    if (!(await beginRemoval(db, object, before))) continue;
    await storage.delete(keyOf(object), AbortSignal.timeout(STORAGE_MS));
    await db.transaction((tx) => endRemoval(tx, object));
  }
}

function objectOf(
  { organization_id, id: run_id }: Pick<Run, 'organization_id' | 'id'>,
  sha256: string,
  byte_size: number,
): EvidenceObject {
  return { organization_id, run_id, sha256, byte_size };
}

function keyOf({ organization_id, run_id, sha256 }: EvidenceObject): string {
  return evidenceKey(organization_id, run_id, sha256);
}
