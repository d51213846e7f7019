// Stream of a watch: one JSON document per line.

import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { HANG_MS } from '../../eventually.ts';
import type { Json } from './raw-client.ts';

export interface RawEvent {
  readonly type: string;
  readonly object: Json;
}

/** Reads the events of one watch in order. */
export class RawWatch {
  readonly #answer: IncomingMessage;
  readonly #path: string;
  readonly #events: RawEvent[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(answer: IncomingMessage, path: string) {
    this.#answer = answer;
    this.#path = path;
    answer.on('error', () => undefined);
    const lines = createInterface({ input: answer });
    // A cut connection also ends the lines; a waiting reader then sees the end of the stream.
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      if (line.trim() !== '') this.#events.push(JSON.parse(line) as RawEvent);
      this.#wake();
    });
    lines.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Content type of the stream. */
  get contentType(): string {
    return this.#answer.headers['content-type'] ?? '';
  }

  /** The next event; rejects when the stream ends or the deadline passes first. */
  async next(): Promise<RawEvent> {
    await this.#until(() => this.#events.length > 0 || this.#ended, 'the next event');
    const event = this.#events.shift();
    if (event === undefined) throw new Error(`watching ${this.#path}: the stream ended`);
    return event;
  }

  /** The next `count` events. */
  async take(count: number): Promise<RawEvent[]> {
    const events: RawEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  /** All events up to and including the first that satisfies the condition. */
  async through(isMet: (event: RawEvent) => boolean): Promise<RawEvent[]> {
    const events: RawEvent[] = [];
    for (;;) {
      const event = await this.next();
      events.push(event);
      if (isMet(event)) return events;
    }
  }

  /** The remaining events, when the server ends the stream. */
  async rest(): Promise<RawEvent[]> {
    await this.#until(() => this.#ended, 'its end');
    return this.#events.splice(0);
  }

  close(): void {
    this.#answer.destroy();
  }

  #until(isMet: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        this.#wake = () => undefined;
        reject(new Error(`watching ${this.#path}: no ${what} within ${HANG_MS} ms; unread: ${JSON.stringify(this.#events)}`));
      }, HANG_MS);
      this.#wake = () => {
        if (!isMet()) return;
        clearTimeout(deadline);
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake();
    });
  }
}
