import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CountRefusal } from './refusals.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Neither browsers nor the usual proxies and clients send a request before the answer to the one before. */
export const MAX_PIPELINED = 4;

/**
 * Bounds the requests of one connection whose answers are not sent yet: Node.js starts every one that it has read, a thousand in one
 * packet. A connection with more is closed.
 */
export function boundPipelining(handle: Handler, refused: CountRefusal): Handler {
  const underWay = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = underWay.get(socket) ?? 0;
    // What else was in the packet is read all the same.
    if (socket.destroyed) return;
    if (count >= MAX_PIPELINED) {
      refused('request', 'pipelined');
      socket.destroy();
      return;
    }
    underWay.set(socket, count + 1);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    handle(request, response);
  };
}
