import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * Returns the close function of a server: it stops listening and ends every connection. `closeAllConnections` skips connections in their
 * TLS handshake, for which the server would wait. Must be called before the server listens.
 */
export function closeAtOnce(server: Server): () => Promise<void> {
  const open = new Set<Duplex>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
    });
}
