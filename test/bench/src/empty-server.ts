/** The least an HTTP server on Node can do: answers everything with a body of a receipt's size. Its port on stdout. */
import { createServer } from 'node:http';
import { ROW_BYTES } from './yardstick.ts';

const body = 'x'.repeat(ROW_BYTES);
const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
const server = createServer((_, answer) => answer.writeHead(200, head).end(body));
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));
