/** Evidence bytes: hashed here, kept in object storage under their hash, best effort; what is recorded says whether they were. */
import { Buffer } from 'node:buffer';
import type { Evidence, NewEvidence } from '@rcpt/contract/ledger/runs.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId } from '@rcpt/service/identity.ts';
import { evidenceKey } from './copies/storage.ts';
import type { Principal } from './domain/principal.ts';
import { type Run, refuse } from './domain/run.ts';
import type { Ledger } from './ledger.ts';
import { loadRun } from './store/runs.ts';

/** A file as it was uploaded. */
export interface Upload {
  bytes: Buffer;
  sha256: string;
}

/** How long an upload may wait for storage before it is recorded as not stored. */
const STORE_MS = 10_000;

/**
 * Hashes and stores what was sent. Throws `not_found`, `payload_too_large`, `evidence_mismatch` when a declared hash differs,
 * `invalid` when nothing was declared. A crash after storing leaves bytes that no Run names: harmless, and the retry stores them again in place.
 */
export async function receiveEvidence(
  { db, storage, config }: Ledger,
  by: Principal,
  run_id: string,
  { kind, label, content, sha256, content_type }: NewEvidence,
  upload: Upload | undefined,
): Promise<Evidence> {
  const { stage } = await loadRun(db, by.organization_id, run_id);
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
  if (bytes.length > config.evidence_bytes)
    throw new Refusal('payload_too_large', `A piece of evidence takes at most ${config.evidence_bytes} bytes.`);
  const actual = upload?.sha256 ?? sha256Hex(bytes);
  if (sha256 !== undefined && sha256 !== actual)
    throw refuse(
      'evidence_mismatch',
      `The declared sha256 is ${sha256}, the bytes have ${actual}. Nothing was attached.`,
    );
  const type = content_type ?? (upload === undefined ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  // At another stage this is refused, or was answered before under its Idempotency-Key: neither is worth 25 MiB of storage.
  const wanted = stage === 'Inputs' || stage === 'Evidence';
  const stored =
    wanted &&
    (await storage
      .put(evidenceKey(by.organization_id, run_id, actual), bytes, type, AbortSignal.timeout(STORE_MS))
      .then(
        () => true,
        () => false,
      ));
  return { id, kind, label, sha256: actual, byte_size: bytes.length, content_type: type, stored };
}

/** Throws `not_found` where the bytes are not with us. */
export async function fetchEvidence(
  { storage }: Ledger,
  run: Run,
  id: string,
): Promise<{ item: Evidence; bytes: Buffer }> {
  const item = run.evidence.find((evidence) => evidence.id === id);
  const bytes = item?.stored ? await storage.get(evidenceKey(run.organization_id, run.id, item.sha256)) : null;
  if (item === undefined || bytes === null)
    throw new Refusal('not_found', 'The bytes of this evidence are not stored here.');
  return { item, bytes };
}
