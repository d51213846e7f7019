import type { Clock } from '../ports/clock.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import { EventWriter } from '../api/event-writer.ts';
import type { KubeObject } from '../api/kube-object.ts';

/** Emits the Events of a controller, which `kubectl describe` shows. */
export class EventEmitter {
  readonly #cluster: ClusterAccess;
  readonly #clock: Clock;
  readonly #writers = new Map<string, EventWriter>();

  constructor(cluster: ClusterAccess, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** @param component source of the Events, as in the From column: `deployment-controller` */
  emit(about: KubeObject, component: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    let writer = this.#writers.get(component);
    if (writer === undefined) this.#writers.set(component, (writer = new EventWriter(this.#cluster, this.#clock, component)));
    writer.record(about, { type, reason, message });
  }
}
