import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup } from './address-group.ts';
import { FairShare, type ShareRefusal } from './fair-share.ts';
import type { CountRefusal } from './refusals.ts';

/** The limit on a server's connections. */
export interface ConnectionBound {
  /** Maximum of open connections; one client gets a quarter of them. */
  readonly maxConnections: number;
  readonly refused: CountRefusal;
  /** Whether an address is a trusted proxy, whose connections count separately. Default: no address is. */
  readonly isProxy?: (address: string) => boolean;
  /** Whether connections begin with the handshake of TLS, before which a client reads no text. Default: they do not. */
  readonly isEncrypted?: boolean;
}

const REFUSALS: Readonly<Record<ShareRefusal, string>> = {
  client: answer('429 Too Many Requests', 'Too many connections are open from this address.\n'),
  total: answer('503 Service Unavailable', 'Too many connections are open on this replica.\n'),
};

/** Limits connections before HTTP reads from them. A refused one gets a plain-text response, except before TLS, and is closed. */
export function boundConnections(
  server: Server,
  { maxConnections, refused, isProxy = () => false, isEncrypted = false }: ConnectionBound,
): void {
  const share = new FairShare(maxConnections);
  // The existing listener reads HTTP; refused connections must not reach it.
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '', remotePort = 0 } = socket;
    const client = isProxy(remoteAddress) ? `${remoteAddress} ${remotePort}` : addressGroup(remoteAddress);
    const release = share.take(client, 1, () => {
      refused('connection', 'displaced');
      socket.destroy();
    });
    if (typeof release === 'string') {
      refused('connection', release);
      if (isEncrypted) socket.destroy();
      else refuse(socket, REFUSALS[release]);
      return;
    }
    socket.once('close', release);
    for (const listener of listeners) listener.call(server, socket);
  });
}

/** Does not wait for the client: its data is not read, and the response fits into any send buffer. */
function refuse(socket: Socket, text: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(text, () => socket.destroy());
}

function answer(status: string, text: string): string {
  const head = ['content-type: text/plain; charset=utf-8', `content-length: ${text.length}`, 'retry-after: 5', 'connection: close'];
  return [`HTTP/1.1 ${status}`, ...head, '', text].join('\r\n');
}
