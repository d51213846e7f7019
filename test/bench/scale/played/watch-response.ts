// One open watch: initial events where requested, then live events and bookmarks until its timeout.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ResourceStore } from './resource-store.ts';
import type { RequestCounts } from './request-counts.ts';

/** An initial list is written in parts, between which other requests are answered. */
const PART_CHARACTERS = 256 * 1024;
const MAX_TIMEOUT_S = 3_600;

export interface WatchQuery {
  /** Name that a field selector chooses; null: all objects. */
  readonly name: string | null;
  /** Version to resume at; null: initial events. */
  readonly from: number | null;
  readonly timeoutSeconds: number;
}

export class WatchResponse {
  readonly #store: ResourceStore;
  readonly #response: ServerResponse;
  readonly #query: WatchQuery;
  /** Events during the initial list; null: live. */
  #waiting: string[] | null = null;
  #isTimedOut = false;

  constructor(store: ResourceStore, response: ServerResponse, query: WatchQuery) {
    this.#store = store;
    this.#response = response;
    this.#query = query;
  }

  /** Resolves when the watch has ended; a client that ends it before its timeout counts as `watch ended by client`. */
  async serve(counts: RequestCounts): Promise<void> {
    const { from, timeoutSeconds } = this.#query;
    const response = this.#response;
    const past = from === null ? [] : this.#store.eventsAfter(from);
    response.writeHead(200, { 'content-type': 'application/json' });
    if (past === null) {
      counts.add('watch expired');
      response.end(`${JSON.stringify({ type: 'ERROR', object: GONE })}\n`);
      return;
    }
    response.flushHeaders();
    const closed = once(response, 'close');
    const timer = setTimeout(
      () => {
        this.#isTimedOut = true;
        response.end();
      },
      Math.min(timeoutSeconds, MAX_TIMEOUT_S) * 1000,
    );
    const unlisten = this.#store.listen((line, _version, key) => this.#take(line, key));
    for (const { line, key } of past) this.#take(line, key);
    if (from === null) await this.#sendInitial();
    await closed;
    clearTimeout(timer);
    unlisten();
    if (!this.#isTimedOut) counts.add('watch ended by client');
  }

  bookmark(initial = false): void {
    if (this.#waiting !== null && !initial) return;
    const { kind, apiVersion, versions } = this.#store;
    const annotations = initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = { kind, apiVersion, metadata: { resourceVersion: String(versions.last), creationTimestamp: null, ...annotations } };
    this.#send(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #take(line: string, key: string): void {
    if (!this.#selects(key)) return;
    if (this.#waiting === null) this.#send(line);
    else this.#waiting.push(line);
  }

  /** After its timeout the connection closes only when the client has read everything. */
  #send(text: string): void {
    if (!this.#response.writableEnded) this.#response.write(text);
  }

  #selects(key: string): boolean {
    const { name } = this.#query;
    return name === null || key === name || key.endsWith(`/${name}`);
  }

  async #sendInitial(): Promise<void> {
    const response = this.#response;
    this.#waiting = [];
    let part = '';
    for (const object of this.#store.objects()) {
      if (response.destroyed) return;
      if (!this.#selects(object.key)) continue;
      part += `{"type":"ADDED","object":${object.text()}}\n`;
      if (part.length < PART_CHARACTERS) continue;
      await this.#write(part);
      part = '';
    }
    if (part !== '') await this.#write(part);
    // Objects are written as they are now, so that events during the list are repeated, which does not matter.
    const missed = this.#waiting;
    this.bookmark(true);
    this.#waiting = null;
    for (const line of missed) this.#send(line);
  }

  async #write(text: string): Promise<void> {
    const response = this.#response;
    if (response.writableEnded) return;
    if (response.write(text)) {
      await new Promise(setImmediate);
      return;
    }
    await new Promise<void>((resolve) => {
      const proceed = (): void => {
        response.off('drain', proceed).off('close', proceed);
        resolve();
      };
      response.once('drain', proceed).once('close', proceed);
    });
  }
}

const GONE = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'too old resource version', reason: 'Expired', code: 410 };
