import type { ContainerRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { packTime, unpackTime } from './compact-values.ts';

/** Values that a container has in common with those of the other pods of its template while they run. */
export type SharedContainerFields = Omit<ContainerRecord, 'startedAt'>;

/** A container record that has only its start for itself. Read its fields by name, and copy it with `copyContainer`. */
export class CompactContainer implements ContainerRecord {
  readonly #shared: SharedContainerFields;
  readonly #startedAt: number | null;

  constructor(shared: SharedContainerFields, startedAt: Instant | null) {
    this.#shared = shared;
    this.#startedAt = packTime(startedAt);
  }

  get requests(): OptionalResources {
    return this.#shared.requests;
  }

  get limits(): OptionalResources {
    return this.#shared.limits;
  }

  get name(): string {
    return this.#shared.name;
  }

  get sidecar(): boolean {
    return this.#shared.sidecar;
  }

  get actual(): RequestsAndLimits | null {
    return this.#shared.actual;
  }

  get allocated(): OptionalResources | null {
    return this.#shared.allocated;
  }

  get resizePolicy(): ContainerRecord['resizePolicy'] {
    return this.#shared.resizePolicy;
  }

  get state(): ContainerRecord['state'] {
    return this.#shared.state;
  }

  get waitingReason(): string | null {
    return this.#shared.waitingReason;
  }

  get startedAt(): Instant | null {
    return unpackTime(this.#startedAt);
  }

  get ready(): boolean {
    return this.#shared.ready;
  }

  get restarts(): number {
    return this.#shared.restarts;
  }

  get lastTermination(): ContainerRecord['lastTermination'] {
    return this.#shared.lastTermination;
  }
}
