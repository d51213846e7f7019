import type { IncomingMessage, Server } from 'node:http';
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
  /** Called with the number of connections over which no request has arrived yet. */
  readonly reportHalfOpen?: (count: number) => void;
}

const REFUSALS: Readonly<Record<ShareRefusal, string>> = {
  client: answer('429 Too Many Requests', 'Too many connections are open from this address.\n'),
  total: answer('503 Service Unavailable', 'Too many connections are open on this replica.\n'),
};

/** Limits connections before HTTP reads from them. A refused one gets a plain-text response, except before TLS, and is closed. */
export function boundConnections(
  server: Server,
  { maxConnections, refused, isProxy = () => false, isEncrypted = false, reportHalfOpen = () => undefined }: ConnectionBound,
): void {
  const share = new FairShare(maxConnections);
  // By address and port: the socket of a request over TLS is another object than that of its connection.
  const halfOpen = new Set<string>();
  const forget = (peer: string): void => {
    if (halfOpen.delete(peer)) reportHalfOpen(halfOpen.size);
  };
  reportHalfOpen(0);
  server.on('request', ({ socket: { remoteAddress, remotePort } }: IncomingMessage) => forget(`${remoteAddress} ${remotePort}`));
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
    const peer = `${remoteAddress} ${remotePort}`;
    halfOpen.add(peer);
    reportHalfOpen(halfOpen.size);
    socket.once('close', () => {
      release();
      forget(peer);
    });
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
