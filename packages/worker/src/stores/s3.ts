/**
 * Artifacts in object storage that speaks S3, in parts: a model is often larger than one request may be. Credentials come
 * from the SDK's default chain.
 */
import { createReadStream } from 'node:fs';
import type { S3Client } from '@aws-sdk/client-s3';
import { namesIn } from './key.ts';
import type { ArtifactStore } from './open.ts';

const CONNECT_MS = 5_000;
const SILENCE_MS = 60_000;
const MIB = 1_048_576;
/** S3 takes at most 10,000 parts of at least 5 MiB. */
const PARTS = 9_000;

/** @param url `s3://bucket/prefix?endpoint=…&region=…`; with an endpoint and no region, the region is `us-east-1` */
export function openS3(url: URL): ArtifactStore {
  const bucket = url.hostname;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  const keyOf = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);
  const address = (key: string) => `s3://${bucket}/${keyOf(key)}`;
  let opened: Promise<{ Upload: typeof import('@aws-sdk/lib-storage').Upload; client: S3Client }> | undefined;

  return {
    address,
    async put(key, file, signal) {
      // Loaded with the first artifact: the SDK takes a noticeable moment.
      const object = keyOf(namesIn(key).join('/'));
      opened ??= open(url);
      const { Upload, client } = await opened;
      const Body = createReadStream(file.path);
      const upload = new Upload({
        client,
        params: { Bucket: bucket, Key: object, Body, Metadata: { sha256: file.sha256 } },
        partSize: Math.max(16 * MIB, Math.ceil(file.byte_size / PARTS)),
      });
      const give_up = () => void upload.abort();
      signal.addEventListener('abort', give_up);
      try {
        signal.throwIfAborted();
        await upload.done();
        return address(key);
      } finally {
        signal.removeEventListener('abort', give_up);
        Body.destroy();
      }
    },
    close() {
      opened?.then(({ client }) => client.destroy()).catch(() => undefined);
    },
  };
}

async function open(url: URL) {
  const [{ S3Client }, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region');
  // Many S3-speaking servers do not know the newer checksums, and are addressed by path.
  const elsewhere = {
    endpoint: endpoint ?? '',
    region: region ?? 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  const client = new S3Client({
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: SILENCE_MS, throwOnRequestTimeout: true },
    ...(endpoint !== null ? elsewhere : region !== null ? { region } : {}),
  });
  return { Upload, client };
}
