/** Answers held against the description: whatever is answered, its status, media type and body stand there. */
import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Case, Document, Operation, Schema } from './openapi-cases.ts';

export interface Sent {
  method: string;
  /** As it goes over the wire: nothing is normalized. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | undefined;
  chunked?: boolean | undefined;
}

export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** How much of an event stream is read: most never end. */
const STREAM_MS = 20;

/** A client without opinions: sends what it is told, byte for byte. */
export function plainClient(url: string): { send(sent: Sent): Promise<Got>; close(): void } {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    send: ({ method, path, headers = {}, body, chunked }) =>
      new Promise((resolve, reject) => {
        const framing: Record<string, string> =
          body === undefined
            ? {}
            : chunked
              ? { 'transfer-encoding': 'chunked' }
              : { 'content-length': String(Buffer.byteLength(body)) };
        const request = httpRequest(
          { agent, hostname, port, method, path, headers: { ...headers, ...framing } },
          (response) => {
            const parts: Buffer[] = [];
            response.on('data', (part: Buffer) => parts.push(part));
            response.on('error', reject);
            const read = () => {
              const text = Buffer.concat(parts).toString('utf8');
              resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
            };
            response.on('end', read);
            if (response.headers['content-type']?.startsWith('text/event-stream'))
              setTimeout(() => {
                read();
                response.destroy();
              }, STREAM_MS);
          },
        );
        request.on('error', reject);
        if (body !== undefined && chunked)
          for (let i = 0; i < body.length; i += 8192) request.write(body.slice(i, i + 8192));
        else if (body !== undefined) request.write(body);
        request.end();
      }),
    close: () => agent.destroy(),
  };
}

export interface Judge {
  /** A refusal: 4xx, a whole problem, nothing of the inside, nothing of the credential. */
  problem(what: string, got: Got, statuses?: number[]): void;
  /** Whatever was answered is described for this operation. */
  described(operation: Operation, got: Pick<Got, 'status' | 'text'> & { content_type: string }): void;
}

const INSIDE = /\bat .+:\d+:\d+|node_modules|\.ts:\d|SQLITE|sqlite|postgres|pg_|syntax error|stack/;

export function judgeOf({ components }: Document): Judge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  const compiled = new Map<Schema, ValidateFunction>();
  const matches = (schema: Schema, value: unknown, what: string) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components });
    compiled.set(schema, validate);
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
  };
  const problemSchema = components.schemas.Problem!;
  return {
    problem(what, { status, headers, text }, statuses) {
      if (statuses)
        assert.ok(
          statuses.includes(status),
          `${what}: ${status} instead of ${statuses.join(' or ')}: ${text.slice(0, 300)}`,
        );
      assert.ok(status >= 400 && status < 500, `${what}: ${status}: ${text.slice(0, 300)}`);
      assert.match(headers['content-type'] ?? '', /^application\/problem\+json/, what);
      const problem = JSON.parse(text) as { status: number; request_id: string; code: string };
      matches(problemSchema, problem, what);
      assert.equal(problem.status, status, what);
      assert.equal(problem.request_id, headers['x-request-id'], `${what}: the request id`);
      assert.equal(headers['x-content-type-options'], 'nosniff', what);
      if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer', what);
      if (status === 429) assert.ok(Number(headers['retry-after']) > 0, what);
      assert.doesNotMatch(text, INSIDE, what);
      assert.doesNotMatch(text, /\brk_[0-9a-f]{32}_/, what);
      assert.equal(headers['set-cookie'], undefined, what);
    },
    described(operation, { status, text, content_type }) {
      const response = operation.responses[status] ?? operation.responses.default;
      assert.ok(response, `${operation.name}: ${status} is not described`);
      if (status < 400)
        assert.ok(operation.responses[status], `${operation.name}: ${status} is described as a problem only`);
      const [media_type = ''] = content_type.split(';');
      const content = response.content?.[media_type] ?? response.content?.['*/*'];
      assert.ok(content, `${operation.name}: ${status} ${media_type} is not described: ${text.slice(0, 200)}`);
      if (/\bjson$/.test(media_type) && !response.content?.['*/*'])
        matches(content.schema, JSON.parse(text), `${operation.name} ${status}`);
    },
  };
}

export function sentOf(
  { body, headers, chunked }: Case,
  method: string,
  path: string,
  credential: string | null,
): Sent {
  return { method, path, headers: { ...presented(credential), ...headers }, body, chunked };
}

/** A person's session cookie, as our own pages send it, or a bearer token. */
function presented(credential: string | null): Record<string, string> {
  if (credential === null) return {};
  if (credential.startsWith('rcpt_session=')) return { cookie: credential, 'sec-fetch-site': 'same-origin' };
  return { authorization: `Bearer ${credential}` };
}
