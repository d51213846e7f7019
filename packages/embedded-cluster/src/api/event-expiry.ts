import { HOUR_MS } from '#kube/units';
import type { Clock } from '../ports/clock.ts';
import type { ObjectStore } from './store/object-store.ts';

interface Due {
  readonly at: number;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly resourceVersion: string;
}

/** How long an Event lives after its last change; the default of `kube-apiserver --event-ttl`. */
const EVENT_TTL_MS = HOUR_MS;

/** Removes Events an hour of domain time after their last change, with one timer: they expire in the order of their changes. */
export class EventExpiry {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  #queue: Due[] = [];
  #next = 0;
  #cancel: (() => void) | null = null;

  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    store.table('events').onCommit(({ type, object }) => {
      if (type === 'DELETED') return;
      const { namespace, name, resourceVersion } = object.metadata;
      this.#queue.push({ at: clock.now() + EVENT_TTL_MS, namespace, name, resourceVersion });
      this.#arm();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #arm(): void {
    const due = this.#queue[this.#next];
    if (due === undefined) return;
    this.#cancel ??= this.#clock.schedule(due.at, () => this.#expire());
  }

  #expire(): void {
    this.#cancel = null;
    const table = this.#store.table('events');
    for (let due = this.#queue[this.#next]; due !== undefined && due.at <= this.#clock.now(); due = this.#queue[this.#next]) {
      this.#next++;
      const stored = table.get(due.namespace, due.name);
      if (stored?.metadata.resourceVersion === due.resourceVersion) table.remove(due.namespace, due.name);
    }
    if (this.#next > this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    this.#arm();
  }
}
