/**
 * `multipart/form-data` evidence, made to look like its JSON form before validation: the fields become the body, the
 * file's bytes and hash become `request.upload`. body-limits.ts bounds what is held in memory.
 */
import multipart from '@fastify/multipart';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyRequest } from 'fastify';
import { hashOf, type Upload } from '../runs/evidence.ts';
import type { Arrival, BodyLimits } from './body-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** This route takes a form with a file; the others answer one with 415. */
    takes_file?: boolean;
  }
  interface FastifyRequest {
    upload?: Upload;
  }
}

const FIELD_BYTES = 4_096;

export async function acceptUploads(app: App, bodies: BodyLimits, evidence_bytes: number): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: evidence_bytes, files: 1, fields: 8, fieldSize: FIELD_BYTES, headerPairs: 50 },
    throwFileSizeLimit: true,
  });
  app.decorateRequest('upload', undefined);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isForm(request)) done(null, payload);
    else bodies.ofBody(request, reply).then(() => done(null, payload), done);
  });
  app.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return;
    if (!request.routeOptions.config.takes_file)
      throw new Refusal('unsupported_media_type', 'Send the body as application/json.');
    const arrival = bodies.ofForm(request, reply);
    await Promise.race([readForm(request, arrival), arrival.late]);
  });
}

function isForm({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/') ?? false;
}

async function readForm(request: FastifyRequest, arrival: Arrival): Promise<void> {
  try {
    const fields: Record<string, unknown> = {};
    for await (const part of request.parts()) {
      if (part.type === 'field') fields[part.fieldname] = String(part.value);
      else if (part.fieldname !== 'file') throw new Refusal('invalid', 'Send the bytes as the form member "file".');
      else {
        const bytes = await readFile(part.file, arrival);
        request.upload = { bytes, sha256: await hashOf(bytes) };
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
  }
}

async function readFile(file: AsyncIterable<Buffer> & { truncated?: boolean }, arrival: Arrival): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) {
    await arrival.count(chunk.length);
    chunks.push(chunk);
  }
  if (file.truncated) throw new Refusal('payload_too_large', 'The file is larger than this ledger takes.');
  return Buffer.concat(chunks);
}
