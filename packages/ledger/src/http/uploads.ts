/**
 * `multipart/form-data` evidence, made to look like its JSON form before validation: the fields become the body, the
 * file's bytes and hash become `request.upload`. A few uploads at a time are held in memory; the others are not read.
 */
import multipart from '@fastify/multipart';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http.ts';
import type { FastifyRequest } from 'fastify';
import type { Upload } from '../evidence.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** This route takes a form with a file; the others answer one with 415. */
    takes_file?: boolean;
  }
  interface FastifyRequest {
    upload?: Upload;
  }
}

const UPLOADS_AT_ONCE = 4;
const FIELD_BYTES = 4_096;

export async function acceptUploads(app: App, evidence_bytes: number): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: evidence_bytes, files: 1, fields: 8, fieldSize: FIELD_BYTES, headerPairs: 50 },
    throwFileSizeLimit: true,
  });
  app.decorateRequest('upload', undefined);
  app.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    if (!request.routeOptions.config.takes_file)
      throw new Refusal('unsupported_media_type', 'Send the body as application/json.');
    await readUpload(request);
  });
}

let reading = 0;
const waiting: (() => void)[] = [];

async function readUpload(request: FastifyRequest): Promise<void> {
  if (reading >= UPLOADS_AT_ONCE) await new Promise<void>((turn) => waiting.push(turn));
  reading++;
  try {
    const fields: Record<string, unknown> = {};
    for await (const part of request.parts()) {
      if (part.type === 'field') fields[part.fieldname] = String(part.value);
      else if (part.fieldname !== 'file') throw new Refusal('invalid', 'Send the bytes as the form member "file".');
      else {
        const bytes = await part.toBuffer();
        request.upload = { bytes, sha256: sha256Hex(bytes) };
        fields.label ??= part.filename;
        fields.content_type ??= part.mimetype;
      }
    }
    if (request.upload === undefined) throw new Refusal('invalid', 'The form lacks its member "file".');
    delete fields.content;
    request.body = { kind: 'file', ...fields };
  } catch (error) {
    // The parser's own errors carry no status: the form broke off or is none.
    if (error instanceof Refusal || (error as { statusCode?: number }).statusCode !== undefined) throw error;
    throw new Refusal('malformed_request', `The form cannot be read: ${(error as Error).message}.`);
  } finally {
    reading--;
    waiting.shift()?.();
  }
}
