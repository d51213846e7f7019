import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP client of a server on loopback. */
export class LoopbackClient {
  readonly #socket: Socket;
  #text = '';

  /** Connects to 127.0.0.1. @param address source address; all of 127.0.0.0/8 is this machine */
  constructor(port: number, address = '127.0.0.1') {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: address });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => (this.#text += chunk));
    // The server may reset the connection; data received before that is kept.
    this.#socket.on('error', () => undefined);
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Sends a GET and resolves with the head of the response; an empty text when the connection closes first. */
  async get(path: string): Promise<string> {
    this.#text = '';
    this.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return this.reads('\r\n\r\n');
  }

  /** Resolves with all received text once it contains `part` or the connection is closed. */
  async reads(part: string): Promise<string> {
    while (!this.#text.includes(part) && !this.#socket.closed) {
      await Promise.race([once(this.#socket, 'data'), once(this.#socket, 'close')]);
    }
    return this.#text;
  }

  /** Resolves with all received text once the server closes the connection. */
  async ended(): Promise<string> {
    if (!this.#socket.closed) await once(this.#socket, 'close');
    return this.#text;
  }

  close(): void {
    this.#socket.destroy();
  }
}
