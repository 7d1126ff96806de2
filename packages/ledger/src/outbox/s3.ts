/** Object storage that speaks S3: AWS, or any other with `endpoint`. Credentials come from the SDK's default chain. */
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { createStorageProbe, isKey, ObjectTooLarge, type Storage } from './object.ts';

const CONNECT_MS = 2_000;
const REQUEST_MS = 10_000;
const ATTEMPTS = 2;

/** @param url `s3://bucket/prefix?endpoint=…&region=…`; with an endpoint and no region, the region is `us-east-1` */
export function openS3(url: URL): Storage {
  const bucket = url.hostname;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  // Loaded once and off the hot path: the SDK takes a noticeable moment to load.
  const opened = import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: connect(sdk.S3Client, url) }));
  opened.catch(() => undefined);

  function objectOf(key: string) {
    if (!isKey(key)) throw new Error('not an object key');
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` };
  }

  const objects: Omit<Storage, 'probe'> = {
    async put(key, bytes, content_type, signal) {
      const { sdk, client } = await opened;
      const object = { ...objectOf(key), Body: bytes, ContentLength: bytes.length, ContentType: content_type };
      await client.send(new sdk.PutObjectCommand(object), { abortSignal: signal });
    },
    async get(key, signal, most_bytes = Number.POSITIVE_INFINITY) {
      const { sdk, client } = await opened;
      try {
        const hangUp = new AbortController();
        const abortSignal = AbortSignal.any([hangUp.signal, ...(signal === undefined ? [] : [signal])]);
        const { Body, ContentLength = 0 } = await client.send(new sdk.GetObjectCommand(objectOf(key)), { abortSignal });
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
      const { sdk, client } = await opened;
      await client.send(new sdk.DeleteObjectCommand(objectOf(key)), { abortSignal: signal });
    },
    close() {
      opened.then(({ client }) => client.destroy()).catch(() => undefined);
    },
  };
  return { ...objects, probe: createStorageProbe(objects) };
}

function connect(Client: typeof S3Client, url: URL): S3Client {
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
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    },
    ...(endpoint !== null ? elsewhere : region !== null ? { region } : {}),
  });
}
