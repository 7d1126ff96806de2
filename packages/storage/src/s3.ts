/** Object storage that speaks S3: AWS, or any other with `endpoint`. Credentials come from the SDK's default chain. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { createProbe } from './probe.ts';
import { type Bounds, namesIn, ObjectTooLarge, type Storage } from './storage.ts';

const MIB = 1_048_576;
/** S3 takes at most 10,000 parts of at least 5 MiB. */
const PARTS = 9_000;

/** @param url `s3://bucket/prefix?endpoint=…&region=…`; with an endpoint and no region, the region is `us-east-1` */
export function openS3(url: URL, bounds: Bounds): Storage {
  const Bucket = url.hostname;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  const within = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);
  const objectOf = (key: string) => ({ Bucket, Key: within(namesIn(key, bounds).join('/')) });
  // Loaded once and off the hot path: the SDK takes a noticeable moment to load.
  const opened = import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: connect(sdk.S3Client, url, bounds.s3) }));
  opened.catch(() => undefined);

  const objects: Omit<Storage, 'probe'> = {
    async put(key, bytes, content_type, signal) {
      const object = { ...objectOf(key), Body: bytes, ContentLength: bytes.length, ContentType: content_type };
      const { sdk, client } = await opened;
      await client.send(new sdk.PutObjectCommand(object), { abortSignal: signal });
    },
    async putFile(key, file, signal) {
      const object = { ...objectOf(key), Metadata: { sha256: file.sha256 } };
      const { client } = await opened;
      const { Upload } = await import('@aws-sdk/lib-storage');
      signal.throwIfAborted();
      const Body = createReadStream(file.path);
      const partSize = Math.max(16 * MIB, Math.ceil(file.byte_size / PARTS));
      const upload = new Upload({ client, params: { ...object, Body }, partSize });
      const give_up = () => void upload.abort();
      signal.addEventListener('abort', give_up);
      try {
        await upload.done();
      } finally {
        signal.removeEventListener('abort', give_up);
        Body.destroy();
      }
    },
    async get(key, signal, most_bytes = Number.POSITIVE_INFINITY) {
      const object = objectOf(key);
      const { sdk, client } = await opened;
      try {
        const hangUp = new AbortController();
        const abortSignal = AbortSignal.any([hangUp.signal, ...(signal === undefined ? [] : [signal])]);
        const { Body, ContentLength = 0 } = await client.send(new sdk.GetObjectCommand(object), { abortSignal });
        if (ContentLength > most_bytes) {
          hangUp.abort();
          (Body as Readable | undefined)?.destroy();
          throw new ObjectTooLarge(ContentLength);
        }
        return Body === undefined ? null : Buffer.from(await Body.transformToByteArray());
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return null;
        throw error;
      }
    },
    async delete(key, signal) {
      const object = objectOf(key);
      const { sdk, client } = await opened;
      await client.send(new sdk.DeleteObjectCommand(object), { abortSignal: signal });
    },
    addressOf: (key) => `s3://${Bucket}/${within(key)}`,
    close() {
      opened.then(({ client }) => client.destroy()).catch(() => undefined);
    },
  };
  return { ...objects, probe: createProbe(objects) };
}

function connect(Client: typeof S3Client, url: URL, { connect_ms, request_ms, attempts }: Bounds['s3']): S3Client {
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
  return new Client({
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: connect_ms, requestTimeout: request_ms, throwOnRequestTimeout: true },
    ...(endpoint !== null ? elsewhere : region !== null ? { region } : {}),
  });
}
