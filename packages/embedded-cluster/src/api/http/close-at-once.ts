import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * Makes a server's close: it stops listening and ends every connection. `closeAllConnections` alone leaves those that are still in
 * their TLS handshake, and the server would wait for them until the handshake times out. Call it before the server listens.
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
