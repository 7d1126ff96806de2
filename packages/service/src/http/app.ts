/**
 * The HTTP shell of both services: strict JSON in, problem+json out, request ids, limits, load shedding, one log line
 * per request, OpenAPI from the schemas that validate. A service brings its problems table, its auth hook and its routes.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { nullStripper } from '@rcpt/contract/nulls.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import fastify, {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchemaCompiler,
} from 'fastify';
import {
  hasZodFastifySchemaValidationErrors,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { Refusal } from '../error.ts';
import type { Logger } from '../process/log.ts';
import type { App } from './app-type.ts';
import { dotted, ERRORS_NAMED, invalid, parseBody } from './body.ts';
import { refuseOnSocket } from './client-errors.ts';
import { watchConnections } from './connections.ts';
import { type EventLoopDelay, watchEventLoopDelay } from './event-loop-delay.ts';
import { type ApiDescription, describeApi } from './openapi.ts';
import { type ProblemRow, problemBody, SHELL_PROBLEMS } from './problem.ts';

export type { App } from './app-type.ts';

export interface HttpOptions extends ApiDescription {
  logger: Logger;
  /** Every code the service's own domain and stores can throw. */
  problems: Record<string, ProblemRow>;
  json_body_bytes: number;
  /** Reads a JSON body by `parse`, at once or when its turn has come, or leaves the bytes for the route to read. */
  readBody?(request: FastifyRequest, bytes: Buffer, parse: (bytes: Uint8Array) => unknown): unknown;
  /** Above this event-loop delay requests are answered 503. */
  overload_delay_ms: number;
  trust_proxy?: string | undefined;
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;
const NOTHING_HERE = 'Nothing is known under this address.';
const PLAIN = /^[\x21-\x7e]{1,200}$/;
/** A whole request, its body included: a slower one would hold a connection for nothing. */
const REQUEST_MS = 120_000;
/** Requests of one connection that are not answered: a client that reads its answers has no more. */
const MAX_UNANSWERED = 4;
/** How long a drain waits for requests that do not end and for answers that are not read. */
const CLOSE_ALL_AFTER_MS = 10_000;
/** What a route takes that asks for no credential. */
export const OPEN_BODY_BYTES = 65_536;

export async function createHttp(options: HttpOptions): Promise<App> {
  const { logger } = options;
  const problems: Record<string, ProblemRow> = { ...SHELL_PROBLEMS, ...options.problems };
  const app = fastify({
    // The shell logs by itself, one line per request: Fastify's own lines would name URLs.
    logger: false,
    bodyLimit: options.json_body_bytes,
    requestIdHeader: false,
    genReqId: requestId,
    forceCloseConnections: 'idle',
    // A drain answers what it reads, in our words; Fastify's own 503 would be neither.
    return503OnClosing: false,
    requestTimeout: REQUEST_MS,
    clientErrorHandler: refuseOnSocket,
    trustProxy: options.trust_proxy ?? false,
    routerOptions: { maxParamLength: 400 },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>();

  const connections = watchConnections(app.server);
  app.addHook('preClose', async () => {
    connections.closeIdle();
    setTimeout(() => app.server.closeAllConnections(), CLOSE_ALL_AFTER_MS).unref();
  });
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler);
  // From the first request it can answer: the time that the start took is not counted.
  let eventLoop: EventLoopDelay | null = null;
  app.addHook('onListen', async () => {
    eventLoop = watchEventLoopDelay();
  });
  app.addHook('onClose', async () => eventLoop?.close());
  // Hooks that wait for nothing call back: a promise each would be made for every request.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const isLate = eventLoop !== null && eventLoop.delay() > options.overload_delay_ms;
    // Node hands on all that a connection has sent, and every answer would wait in memory behind the one before it.
    if (connections.unanswered(request.socket) > MAX_UNANSWERED) {
      reply.header('connection', 'close');
      return done(
        new Refusal(
          'rate_limited',
          `A connection takes ${MAX_UNANSWERED} requests at a time. Read their answers first.`,
        ),
      );
    }
    // The caller has hung up: no address to count it under is known, and the answer would not be read.
    if (request.socket.remoteAddress === undefined) done(new Refusal('request_timeout', 'The caller has gone.'));
    else
      done(isLate ? new Refusal('overloaded', 'The service is busy. Nothing was done; try again shortly.') : undefined);
  });
  // Nothing of a body is read that no route takes.
  app.addHook('preParsing', (request, _, payload, done) =>
    request.is404 ? done(new Refusal('not_found', NOTHING_HERE)) : done(null, payload),
  );
  app.addHook('preValidation', (request, _, done) => {
    const params = (request.params ?? {}) as Record<string, string>;
    for (const name in params) if (!PLAIN.test(params[name]!)) return done(new Refusal('not_found', NOTHING_HERE));
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logger.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? '(none)',
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
    done();
  });

  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    return options.readBody === undefined ? parseBody(body) : options.readBody(request, body, parseBody);
  });

  app.setNotFoundHandler((request, reply) => send(request, reply, 'not_found', NOTHING_HERE));
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply));

  await describeApi(app, options, problems);
  return app;

  function send(request: FastifyRequest, reply: FastifyReply, code: string, detail: string, members = {}) {
    const row = problems[code] ?? problems.internal!;
    reply.code(row.status).type('application/problem+json');
    // Of a body that is too large Fastify closes the connection while the caller still sends, who would then read no answer.
    if (code === 'payload_too_large') reply.removeHeader('connection');
    // A request that Fastify itself refuses has passed no hook.
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (row.retry_after !== undefined) reply.header('retry-after', String(row.retry_after));
    if (row.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.send(JSON.stringify(problemBody(code, row, detail, request.id, members)));
  }

  function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalOf(error);
    if (refusal === null) {
      logger.error({ request_id: request.id, err: error }, 'unknown error');
      return send(
        request,
        reply,
        'internal',
        'Something went wrong on our side. Name the request_id when you report it.',
      );
    }
    if (refusal.code === 'database_unavailable')
      logger.warn({ request_id: request.id, err: refusal.cause }, 'database unavailable');
    return send(request, reply, refusal.code, refusal.detail, refusal.members);
  }
}

/** Every schema is Zod's. Bytes are validated by the route that reads them. */
const compileValidator: FastifySchemaCompiler<z.ZodType> = (route) => {
  const validate = validatorCompiler(route);
  if (route.httpPart !== 'body') return validate;
  const strip = nullStripper(route.schema);
  return (body) => (body instanceof Uint8Array ? { value: body } : validate(strip === null ? body : strip(body)));
};

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Fastify's own errors in our words; null for an unknown error. */
function refusalOf(error: FastifyError | Error): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof ProofError) return new Refusal('not_representable', error.message);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.slice(0, ERRORS_NAMED);
    return invalid(issues.map(({ instancePath, message = 'is invalid' }) => ({ path: dotted(instancePath), message })));
  }
  const { statusCode: status, code, message } = error as FastifyError;
  // Fastify's words would repeat the address, and a share link is a secret.
  if (code === 'FST_ERR_BAD_URL') return new Refusal('malformed_request', 'The path is not percent-encoded UTF-8.');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new Refusal('not_found', NOTHING_HERE);
  if (status === 413) return new Refusal('payload_too_large', 'The body is larger than this endpoint takes.');
  if (status === 415) return new Refusal('unsupported_media_type', 'Send the body as application/json.');
  if (status === 429) return new Refusal('rate_limited', message);
  if (status === 503) return new Refusal('overloaded', 'The service is stopping or busy. Try again shortly.');
  if (status !== undefined && status >= 400 && status < 500)
    return new Refusal(
      status === 404 ? 'not_found' : 'malformed_request',
      message || STATUS_CODES[status] || 'Bad request',
    );
  return null;
}
