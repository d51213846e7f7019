// Objects of one kind with their versions, as an API server's watch cache has them: lists in pages, and watches from a version.

/** The counter of resourceVersions, which all kinds share. */
export class Versions {
  #last = 1_000;

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

export interface StoredObject {
  readonly key: string;
  version: number;
  /** JSON of the current state. */
  text(): string;
}

export type WatchListener = (line: string, version: number, key: string) => void;

interface PastEvent {
  readonly version: number;
  readonly line: string;
  readonly key: string;
}

/** Watches reconnect within moments, so a few seconds of events suffice. */
const MAX_PAST_EVENTS = 2_000;

export class ResourceStore {
  readonly kind: string;
  readonly apiVersion: string;
  readonly versions: Versions;
  readonly #objects = new Map<string, StoredObject>();
  readonly #listeners = new Set<WatchListener>();
  readonly #past: PastEvent[] = [];
  /** Version of the newest event that is no longer kept. */
  #forgotten = 0;

  constructor(kind: string, apiVersion: string, versions: Versions) {
    this.kind = kind;
    this.apiVersion = apiVersion;
    this.versions = versions;
  }

  get size(): number {
    return this.#objects.size;
  }

  find(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  objects(): Iterable<StoredObject> {
    return this.#objects.values();
  }

  /** Adds an object without an event, before anything watches. */
  load(object: StoredObject): void {
    object.version = this.versions.next();
    this.#objects.set(object.key, object);
  }

  /** Stores a new or changed object under a new version. */
  save(object: StoredObject): void {
    const type = this.#objects.has(object.key) ? 'MODIFIED' : 'ADDED';
    object.version = this.versions.next();
    this.#objects.set(object.key, object);
    this.#publish(type, object);
  }

  remove(object: StoredObject): void {
    if (!this.#objects.delete(object.key)) return;
    object.version = this.versions.next();
    this.#publish('DELETED', object);
  }

  /** Calls the listener for each later event; returns the function that ends it. */
  listen(listener: WatchListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Events after a version; null where some are no longer kept. */
  eventsAfter(version: number): readonly PastEvent[] | null {
    return version < this.#forgotten ? null : this.#past.filter((event) => event.version > version);
  }

  #publish(type: string, object: StoredObject): void {
    const { key, version } = object;
    const line = `{"type":"${type}","object":${object.text()}}\n`;
    this.#past.push({ version, line, key });
    if (this.#past.length > MAX_PAST_EVENTS * 2) {
      const dropped = this.#past.splice(0, MAX_PAST_EVENTS);
      this.#forgotten = dropped.at(-1)?.version ?? this.#forgotten;
    }
    for (const listener of this.#listeners) listener(line, version, key);
  }
}
