// What a reflector knows of its kind: the objects by key with their versions, so that a new listing becomes the few
// changes that it really is.

import type { InformerStatus } from '../../ports/cluster-feed.ts';
import type { Decoded, Wire } from './wire.ts';
import { objectAt, textAt, WireError } from './wire.ts';

export interface Entry<T> {
  readonly uid: string;
  /** Opaque: compared for equality alone. */
  readonly resourceVersion: string;
  readonly record: T;
}

export interface Identity {
  /** `name`, or `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** @throws WireError where the metadata is not that of an object */
export function identityOf(wire: Wire): Identity {
  const metadata = objectAt(wire, 'metadata');
  const name = textAt(metadata, 'name');
  if (name === '') throw new WireError('metadata.name', 'a string', metadata['name']);
  const namespace = textAt(metadata, 'namespace');
  return {
    key: namespace === '' ? name : `${namespace}/${name}`,
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

export class ReflectorStore<T> {
  readonly #dependencies: ReflectorStoreDependencies<T>;
  readonly #known = new Map<string, Entry<T>>();
  /** By key: objects whose newest state could not be decoded. */
  readonly #unreadable = new Map<string, { readonly version: string; readonly problem: string }>();

  constructor(dependencies: ReflectorStoreDependencies<T>) {
    this.#dependencies = dependencies;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Objects whose newest state could not be decoded; null: there are none. */
  unreadable(): InformerStatus['unreadable'] {
    for (const [key, { problem }] of this.#unreadable) return { count: this.#unreadable.size, first: { key, problem } };
    return null;
  }

  /** `uid/resourceVersion` by key, for an audit against a listing. */
  versionOf(key: string): string | undefined {
    const unreadable = this.#unreadable.get(key);
    if (unreadable !== undefined) return unreadable.version;
    const entry = this.#known.get(key);
    return entry === undefined ? undefined : versionText(entry);
  }

  keys(): Iterable<string> {
    return this.#known.keys();
  }

  /** A watch event. What cannot be decoded leaves the record before it in place: old knowledge beats none. */
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

  /** The kind is no longer served: all of it is gone. */
  clear(): void {
    for (const key of [...this.#known.keys(), ...this.#unreadable.keys()]) this.#delete(key);
  }

  /** Adds one object of a listing to `staging`. An object that is known in this very version is not decoded again. */
  stage(wire: Wire, staging: Map<string, Entry<T> | null>): void {
    const identity = this.#identity(wire);
    if (identity === null) return;
    const known = this.#known.get(identity.key);
    const same = known?.uid === identity.uid && known.resourceVersion === identity.resourceVersion;
    staging.set(identity.key, same ? known : this.#entryOf(wire, identity));
  }

  /**
   * Makes the store what was listed: removals first, then what is new or changed. `breathe` is awaited now and then, so
   * that a listing of 100,000 objects does not hold the event loop. Null in `staging` is an object that could not be decoded.
   */
  async replace(staging: ReadonlyMap<string, Entry<T> | null>, breathe: () => Promise<void>): Promise<void> {
    let done = 0;
    for (const key of [...this.#known.keys(), ...this.#unreadable.keys()]) if (!staging.has(key)) this.#delete(key);
    for (const [key, entry] of staging) {
      if (entry === null || this.#known.get(key) === entry) continue;
      this.#set(key, entry);
      if (++done % BREATHE_EVERY === 0) await breathe();
    }
  }

  #set(key: string, entry: Entry<T>): void {
    const before = this.#known.get(key);
    // Deleted and created again between two reads: two objects for the handler.
    if (before !== undefined && before.uid !== entry.uid) this.#dependencies.onChange(key, null, before.record);
    this.#known.set(key, entry);
    this.#dependencies.onChange(key, entry.record, before?.uid === entry.uid ? before.record : null);
  }

  #delete(key: string): void {
    this.#unreadable.delete(key);
    const before = this.#known.get(key);
    if (before === undefined) return;
    this.#known.delete(key);
    this.#dependencies.onChange(key, null, before.record);
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
      return { uid: identity.uid, resourceVersion: identity.resourceVersion, record: decoded.record };
    }
    this.#unreadable.set(identity.key, { version: versionText(identity), problem: decoded.problem });
    this.#dependencies.onUndecodable(identity.key, decoded.problem);
    return null;
  }
}

function versionText(of: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${of.uid}/${of.resourceVersion}`;
}

/** Applying this many records takes about 10 ms. */
const BREATHE_EVERY = 5_000;
