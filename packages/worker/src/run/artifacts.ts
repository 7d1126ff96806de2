/** What a job made: found, hashed, stored, reported. */
import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArtifactType } from '@rcpt/contract/router/vocabulary.ts';
import { KeyRefused, type StoredFile } from '@rcpt/storage/storage.ts';
import type { z } from 'zod';
import type { WorkerContext } from '../context.ts';
import type { ActiveLease } from '../leases.ts';
import { messageOf, retry } from '../retry.ts';
import { CALL_MS, underLease } from '../under-lease.ts';
import { type JobFolder, openPlainFile } from './folder.ts';

type Type = z.infer<typeof ArtifactType>;

const MOST = 1_000;
const STORE_ATTEMPTS = 12;

export class ArtifactsRefused extends Error {}

interface FoundArtifact {
  /** Relative to the artifacts folder, with `/`. */
  name: string;
  path: string;
}

/** Stores and reports each artifact, in the order of their names. Returns the address they share; undefined without any. */
export async function deliverArtifacts(
  worker: WorkerContext,
  lease: ActiveLease,
  folder: JobFolder,
): Promise<string | undefined> {
  const prefix = `${lease.job.id}/${lease.job.attempt}`;
  const found = await findArtifacts(folder.artifacts);
  for (const { name, path } of found) {
    const file = { path, ...(await measure(path)) };
    const key = `${prefix}/${name}`;
    await store(worker, lease, key, file);
    const report = {
      lease_token: lease.lease_token,
      artifact_type: typeOf(name),
      name,
      uri: worker.store.addressOf(key),
      checksum_sha256: file.sha256,
      size_bytes: file.byte_size,
    };
    await underLease(worker, lease, () => {
      const signal = AbortSignal.any([lease.lost, AbortSignal.timeout(CALL_MS)]);
      return worker.router.artifact(lease.job.id, report, signal);
    });
  }
  return found.length > 0 ? worker.store.addressOf(`${prefix}/`) : undefined;
}

/**
 * Regular files only: a link may lead anywhere, and the folder may have been replaced by one. Throws `ArtifactsRefused`, also when
 * there are too many.
 */
export async function findArtifacts(folder: string): Promise<FoundArtifact[]> {
  const expected = join(await realpath(join(folder, '../..')), basename(dirname(folder)), basename(folder));
  if ((await realpath(folder).catch(() => null)) !== expected)
    throw new ArtifactsRefused('The command removed or replaced its artifacts folder.');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { name: relative(folder, path).split(sep).join('/'), path };
    });
  if (files.length > MOST) throw new ArtifactsRefused(`${files.length} artifacts; at most ${MOST} are reported.`);
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function store({ store, log }: WorkerContext, lease: ActiveLease, key: string, file: StoredFile) {
  return retry(() => store.putFile(key, file, lease.lost), {
    signal: lease.lost,
    attempts: STORE_ATTEMPTS,
    isRetryable: (error) => !(error instanceof KeyRefused),
    onFailure: (error) =>
      log.warn(
        { job_id: lease.job.id, key, reason: messageOf(error) },
        'an artifact could not be stored; trying again',
      ),
  }).catch((error: unknown) => {
    lease.lost.throwIfAborted();
    throw new ArtifactsRefused(`${key} could not be stored: ${messageOf(error)}`);
  });
}

async function measure(path: string): Promise<{ byte_size: number; sha256: string }> {
  const file = await openPlainFile(path).catch(() => null);
  if (file === null) throw new ArtifactsRefused(`${basename(path)} changed while it was looked at.`);
  const hash = createHash('sha256');
  const { size } = await file.stat();
  await pipeline(file.createReadStream(), hash);
  return { byte_size: size, sha256: hash.digest('hex') };
}

const BY_NAME: [RegExp, Type][] = [
  [/checkpoint|\.ckpt$/i, 'checkpoint'],
  [/(^|\/)(model|adapter)[^/]*$|\.(safetensors|gguf|onnx|pt|pth|h5)$/i, 'model'],
  [/(^|\/)metrics[^/]*$/i, 'metrics'],
  [/\.log$/i, 'log'],
  [/(^|\/)report[^/]*$|\.(md|html|pdf)$/i, 'report'],
  [/\.(csv|tsv|jsonl|ndjson|parquet|arrow)$/i, 'dataset'],
];

/** A folder named after a type says it; else the file's own name. */
export function typeOf(name: string): Type {
  const said = ArtifactType.safeParse(name.includes('/') ? name.split('/')[0] : undefined);
  return said.data ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}
