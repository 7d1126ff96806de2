/**
 * The OpenAPI description, from the schemas that validate, and the page that shows it. Every operation is described with
 * the problem it may answer instead. The page loads nothing from elsewhere.
 */
import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Problem } from '@rcpt/contract/problem.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { App } from './app-type.ts';
import type { ProblemRow } from './problem.ts';

/** Swagger UI sets style attributes; scripts it only loads. No `upgrade-insecure-requests`: many run without TLS at first. */
const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_STYLE = `
.swagger-ui .info { margin: 32px 0 16px; }
.swagger-ui .scheme-container { box-shadow: none; padding: 0 0 16px; background: none; }
.swagger-ui .opblock .opblock-summary-description { text-align: left; }
`;

const IN_COMMON = [
  'Send the API key as `Authorization: Bearer …`. Bodies are JSON; unknown members are ignored.',
  'What goes wrong is answered as `application/problem+json` (RFC 9457) with a stable `code`.',
].join(' ');

export interface ApiDescription {
  title: string;
  description: string;
  version: string;
  /** Operation groups in the order they are read. */
  tags: { name: string; description: string }[];
  /** The cookie of a person's session, where people sign in. */
  session_cookie?: string;
  /** Whether a GET of this path is a page to a browser. */
  isPage?(path: string): boolean;
}

export async function describeApi(
  app: App,
  options: ApiDescription,
  problems: Record<string, ProblemRow>,
): Promise<void> {
  const { title, description, version, tags, session_cookie, isPage = () => false } = options;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, description: `${description}\n\n${IN_COMMON}`, version },
      tags,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `rk_…`' },
          ...(session_cookie && { session: { type: 'apiKey', in: 'cookie', name: session_cookie } }),
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) =>
      'openapiObject' in document
        ? (withProblems(
            withFiles(withPages(document.openapiObject as Described, isPage)),
            problems,
          ) as typeof document.openapiObject)
        : document.swaggerObject,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: PAGE_CSP,
    theme: { title, css: [{ filename: 'page.css', content: PAGE_STYLE }] },
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'list',
      defaultModelsExpandDepth: -1,
      displayRequestDuration: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
    },
  });
  // It never changes, and everybody may ask for it: it is written once.
  let text = '';
  let etag = '';
  app.addHook('onReady', async () => {
    text = JSON.stringify(app.swagger());
    etag = `"${sha256Hex(text).slice(0, 22)}"`;
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

/** The response of a route that sends bytes, not JSON. */
export function binary(description: string, media_type: string) {
  const schema = z.unknown().meta({ type: 'string', format: 'binary' });
  return { description, content: { [media_type]: { schema } } };
}

/** What of an OpenAPI document is touched here. */
interface Described {
  paths?: Record<
    string,
    Record<
      string,
      {
        requestBody?: { content?: Record<string, { schema?: { properties?: object; required?: string[] } }> };
        responses?: Record<string, { description?: string; content?: object }>;
      }
    >
  >;
  components?: { schemas?: Record<string, unknown>; responses?: Record<string, unknown> };
}

function withPages(document: Described, isPage: (path: string) => boolean): Described {
  for (const [path, { get }] of Object.entries(document.paths ?? {})) {
    const answer = get?.responses?.['200'];
    if (answer === undefined || !isPage(path)) continue;
    answer.content = { ...answer.content, 'text/html': { schema: { type: 'string' } } };
  }
  return document;
}

/** A form is described by its fields, all of which may be left out; its file is taken before they are looked at. */
function withFiles(document: Described): Described {
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    const content = operation.requestBody?.content ?? {};
    const form = content['multipart/form-data'];
    if (form?.schema === undefined) continue;
    const { content: _, ...fields } = (form.schema.properties ?? {}) as Record<string, unknown>;
    const file = { type: 'string', format: 'binary' };
    // The JSON form is described by the same object.
    content['multipart/form-data'] = {
      ...form,
      schema: { ...form.schema, properties: { ...fields, file }, required: ['file'] },
    };
  }
  return document;
}

function withProblems(document: Described, problems: Record<string, ProblemRow>): Described {
  const { $schema: _, ...schema } = z.toJSONSchema(Problem, { io: 'input' });
  (schema.properties as Record<string, unknown>).code = { type: 'string', enum: Object.keys(problems) };
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: schema },
    responses: {
      Problem: {
        description: 'What went wrong instead (RFC 9457). `code` is stable; programs decide on it.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(operation.responses ?? {}))
      if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? 'Answer';
    operation.responses = { ...operation.responses, default: { $ref: '#/components/responses/Problem' } as object };
  }
  return document;
}
