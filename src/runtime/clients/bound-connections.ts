import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup } from './address-group.ts';
import { FairShare, type ShareRefusal } from './fair-share.ts';
import type { CountRefusal } from './refusals.ts';

/** The sockets of a server. */
export interface ConnectionBound {
  /** How many there may be, a quarter of them of one client. */
  readonly maxConnections: number;
  readonly refused: CountRefusal;
  /** Addresses that pass connections of others on: each connection of theirs counts by itself. Left out: none. */
  readonly isProxy?: (address: string) => boolean;
}

const REFUSALS: Readonly<Record<ShareRefusal, string>> = {
  client: answer('429 Too Many Requests', 'Too many connections are open from this address.\n'),
  total: answer('503 Service Unavailable', 'Too many connections are open on this replica.\n'),
};

/** Admits connections before HTTP reads anything of them. One that is refused is answered in plain text and closed. */
export function boundConnections(server: Server, { maxConnections, refused, isProxy = () => false }: ConnectionBound): void {
  const share = new FairShare(maxConnections);
  // The one listener that is there already reads HTTP; a refused connection must never come to it.
  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '', remotePort = 0 } = socket;
    const client = isProxy(remoteAddress) ? `${remoteAddress} ${remotePort}` : addressGroup(remoteAddress);
    const held = share.take(client, 1, () => {
      refused('connection', 'displaced');
      socket.destroy();
    });
    if (typeof held === 'string') {
      refused('connection', held);
      refuse(socket, REFUSALS[held]);
      return;
    }
    socket.once('close', held);
    for (const listener of serve) listener.call(server, socket);
  });
}

/** Does not wait for the client: what it sends is not read, and the text fits into any send buffer. */
function refuse(socket: Socket, text: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(text, () => socket.destroy());
}

function answer(status: string, text: string): string {
  const head = ['content-type: text/plain; charset=utf-8', `content-length: ${text.length}`, 'retry-after: 5', 'connection: close'];
  return [`HTTP/1.1 ${status}`, ...head, '', text].join('\r\n');
}
