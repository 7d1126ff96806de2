/** Requests that never become one: a broken request line, too many headers, a body that does not come. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problemBody, SHELL_PROBLEMS, type ShellCode } from './problem.ts';

const CODES: Record<string, ShellCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Answers on the socket itself and closes it: whatever follows on it cannot be told from the rest of the bad request. */
export function refuseOnSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const code = CODES[error.code ?? ''] ?? 'malformed_request';
  const row = SHELL_PROBLEMS[code];
  const request_id = randomUUID();
  const body = JSON.stringify(problemBody(code, row, 'This is not an HTTP request that can be answered.', request_id));
  socket.end(
    [
      `HTTP/1.1 ${row.status} ${STATUS_CODES[row.status]}`,
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${request_id}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
