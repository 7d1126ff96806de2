/** Connections that nobody waits on, so that a drain need not wait for them. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns what ends the connections that have no request in hand. Node's own list of idle connections leaves out those
 * that never sent a request, such as browsers open ahead; each would hold up a drain for a minute.
 */
export function watchQuietConnections(server: Server): () => void {
  const inHand = new Map<Socket, number>();
  let closing = false;
  const count = (socket: Socket, change: number) => {
    const requests = (inHand.get(socket) ?? 0) + change;
    if (closing && requests === 0) socket.destroy();
    else if (!socket.destroyed) inHand.set(socket, requests);
  };
  server.on('connection', (socket) => {
    socket.once('close', () => inHand.delete(socket));
    count(socket, 0);
  });
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  return () => {
    closing = true;
    for (const [socket, requests] of inHand) if (requests === 0) socket.destroy();
  };
}
