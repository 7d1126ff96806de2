/** The requests in hand of each connection. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** How many requests of this connection are not answered. */
  unanswered(socket: Socket): number;
  /**
   * Ends the connections that have none, so that a drain need not wait for them. Node's own list of idle connections leaves out
   * those that never sent a request, such as browsers open ahead; each would hold up a drain for a minute.
   */
  closeIdle(): void;
}

export function watchConnections(server: Server): Connections {
  const unanswered = new Map<Socket, number>();
  let closing = false;
  const count = (socket: Socket, change: number) => {
    const requests = (unanswered.get(socket) ?? 0) + change;
    if (closing && requests === 0) socket.destroy();
    else if (!socket.destroyed) unanswered.set(socket, requests);
  };
  server.on('connection', (socket) => {
    socket.once('close', () => unanswered.delete(socket));
    count(socket, 0);
  });
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  return {
    unanswered: (socket) => unanswered.get(socket) ?? 0,
    closeIdle() {
      closing = true;
      for (const [socket, requests] of unanswered) if (requests === 0) socket.destroy();
    },
  };
}
