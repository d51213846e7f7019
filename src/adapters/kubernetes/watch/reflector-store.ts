// Objects of one kind by key with their versions, so that a new listing yields only the actual changes.

import type { InformerStatus } from '../../../ports/cluster/cluster-feed.ts';
import type { Decoded, Wire } from '../wire.ts';
import { objectAt, textAt, WireError } from '../wire.ts';

/** Identity and version of an object. `resourceVersion` is opaque: compared only for equality. */
interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A record with the version of its object. A record that has its version itself is its own entry. */
export type Entry<T> = VersionedRecord<T> | (T & ObjectVersion);

class VersionedRecord<T> implements ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly record: T;

  constructor({ uid, resourceVersion }: ObjectVersion, record: T) {
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.record = record;
  }
}

function entryOf<T>(record: T, version: ObjectVersion): Entry<T> {
  return isOfVersion(record, version) ? record : new VersionedRecord(version, record);
}

function isOfVersion<T>(record: T, { uid, resourceVersion }: ObjectVersion): record is T & ObjectVersion {
  const { uid: ownUid, resourceVersion: ownVersion } = record as Partial<ObjectVersion>;
  return ownUid === uid && ownVersion === resourceVersion;
}

function recordOf<T>(entry: Entry<T>): T {
  return entry instanceof VersionedRecord ? entry.record : entry;
}

export interface Identity extends ObjectVersion {
  /** `name`, or `namespace/name`. */
  readonly key: string;
}

/** Key, UID and version of an object. @throws WireError where the metadata is malformed */
export function identityOf(wire: Wire): Identity {
  const metadata = objectAt(wire, 'metadata');
  const name = textAt(metadata, 'name');
  if (name === '') throw new WireError('metadata.name', 'a string', metadata['name']);
  const namespace = textAt(metadata, 'namespace');
  return {
    // Joined into one string: a template of parts keeps each of them.
    key: namespace === '' ? name : [namespace, name].join('/'),
    uid: textAt(metadata, 'uid'),
    resourceVersion: textAt(metadata, 'resourceVersion'),
  };
}

/** Called after each change is stored. `record` null: deleted. */
export type ChangeHandler<T> = (key: string, record: T | null, previous: T | null) => void;

export interface ReflectorStoreDependencies<T> {
  readonly decode: (wire: Wire) => Decoded<T>;
  readonly onChange: ChangeHandler<T>;
  readonly onUndecodable: (key: string, problem: string) => void;
}

/** Stores decoded records of one kind and reports each change. */
export class ReflectorStore<T> {
  readonly #dependencies: ReflectorStoreDependencies<T>;
  readonly #entries = new Map<string, Entry<T>>();
  /** Objects whose newest state could not be decoded, by key. */
  readonly #unreadable = new Map<string, { readonly version: string; readonly problem: string }>();

  constructor(dependencies: ReflectorStoreDependencies<T>) {
    this.#dependencies = dependencies;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Objects whose newest state could not be decoded; null: none. */
  unreadable(): InformerStatus['unreadable'] {
    for (const [key, { problem }] of this.#unreadable) return { count: this.#unreadable.size, first: { key, problem } };
    return null;
  }

  /** `uid/resourceVersion` of an object, for the drift audit; undefined: unknown object. */
  versionOf(key: string): string | undefined {
    const unreadable = this.#unreadable.get(key);
    if (unreadable !== undefined) return unreadable.version;
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : versionText(entry);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Applies a watch event. If the object cannot be decoded, its previous record stays. */
  upsert(wire: Wire): void {
    const identity = this.#identity(wire);
    if (identity === null) return;
    const entry = this.#entryOf(wire, identity);
    if (entry !== null) this.#set(identity.key, entry);
  }

  remove(wire: Wire): void {
    const identity = this.#identity(wire);
    if (identity !== null) this.#delete(identity.key);
  }

  /** Deletes every record, where the kind is no longer served. */
  clear(): void {
    for (const key of [...this.#entries.keys(), ...this.#unreadable.keys()]) this.#delete(key);
  }

  /** Adds an object of a listing to `staging`. An object already stored in this version is not decoded again. */
  stage(wire: Wire, staging: Map<string, Entry<T> | null>): void {
    const identity = this.#identity(wire);
    if (identity === null) return;
    const known = this.#entries.get(identity.key);
    const same = known?.uid === identity.uid && known.resourceVersion === identity.resourceVersion;
    staging.set(identity.key, same ? known : this.#entryOf(wire, identity));
  }

  /**
   * Replaces the contents by a listing: first deletions, then new and changed objects. Awaits `yieldToEventLoop` at intervals, so that
   * 100,000 objects do not block the event loop. null in `staging`: the object could not be decoded.
   */
  async replace(staging: ReadonlyMap<string, Entry<T> | null>, yieldToEventLoop: () => Promise<void>): Promise<void> {
    let done = 0;
    for (const key of [...this.#entries.keys(), ...this.#unreadable.keys()]) if (!staging.has(key)) this.#delete(key);
    for (const [key, entry] of staging) {
      if (entry === null || this.#entries.get(key) === entry) continue;
      this.#set(key, entry);
      if (++done % YIELD_EVERY === 0) await yieldToEventLoop();
    }
  }

  #set(key: string, entry: Entry<T>): void {
    const before = this.#entries.get(key);
    // An object deleted and recreated between two reads is reported as a deletion and a creation.
    if (before !== undefined && before.uid !== entry.uid) this.#dependencies.onChange(key, null, recordOf(before));
    this.#entries.set(key, entry);
    this.#dependencies.onChange(key, recordOf(entry), before?.uid === entry.uid ? recordOf(before) : null);
  }

  #delete(key: string): void {
    this.#unreadable.delete(key);
    const before = this.#entries.get(key);
    if (before === undefined) return;
    this.#entries.delete(key);
    this.#dependencies.onChange(key, null, recordOf(before));
  }

  #identity(wire: Wire): Identity | null {
    try {
      return identityOf(wire);
    } catch (err) {
      if (!(err instanceof WireError)) throw err;
      this.#dependencies.onUndecodable('?', err.message);
      return null;
    }
  }

  #entryOf(wire: Wire, identity: Identity): Entry<T> | null {
    const decoded = this.#dependencies.decode(wire);
    if (decoded.ok) {
      this.#unreadable.delete(identity.key);
      return entryOf(decoded.record, identity);
    }
    this.#unreadable.set(identity.key, { version: versionText(identity), problem: decoded.problem });
    this.#dependencies.onUndecodable(identity.key, decoded.problem);
    return null;
  }
}

function versionText(of: ObjectVersion): string {
  return `${of.uid}/${of.resourceVersion}`;
}

/** Applying this many records takes about 10 ms. */
const YIELD_EVERY = 5_000;
