import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CountRefusal } from './refusals.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Browsers, common proxies and clients do not send a request before the previous response. */
export const MAX_PIPELINED = 4;

/**
 * Limits the unanswered requests of one connection: Node.js starts every request that it has read, even a thousand in one packet. A
 * connection that exceeds the limit is closed.
 */
export function boundPipelining(handle: Handler, refused: CountRefusal): Handler {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = unanswered.get(socket) ?? 0;
    // Node.js still reads the other requests of the packet.
    if (socket.destroyed) return;
    if (count >= MAX_PIPELINED) {
      refused('request', 'pipelined');
      socket.destroy();
      return;
    }
    unanswered.set(socket, count + 1);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handle(request, response);
  };
}
