/** The requests in hand of each connection. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** How many requests of this connection are not answered. */
  inHand(socket: Socket): number;
  /**
   * Ends the connections that have none, so that a drain need not wait for them. Node's own list of idle connections leaves out
   * those that never sent a request, such as browsers open ahead; each would hold up a drain for a minute.
   */
  closeQuiet(): void;
}

export function watchConnections(server: Server): Connections {
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
  return {
    inHand: (socket) => inHand.get(socket) ?? 0,
    closeQuiet() {
      closing = true;
      for (const [socket, requests] of inHand) if (requests === 0) socket.destroy();
    },
  };
}
