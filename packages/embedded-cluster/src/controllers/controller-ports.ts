import type { Clock } from '../ports/clock.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { EventEmitter } from './event-emitter.ts';
import type { GeneratedNames } from './owners/names.ts';
import type { OwnedObjects } from './owners/owned-objects.ts';
import type { Pod } from './wire/pod.ts';
import type { ControllerRevision, Job, ReplicaSet } from './wire/workload.ts';

/** Stops a controller with all its listeners and timers. */
export type Stop = () => void;

/** Dependencies of every controller. The indices are shared, so that each resource is watched once for ownership. */
export interface ControllerPorts {
  readonly cluster: ClusterAccess;
  readonly clock: Clock;
  readonly names: GeneratedNames;
  readonly events: EventEmitter;
  readonly pods: OwnedObjects<Pod>;
  readonly replicaSets: OwnedObjects<ReplicaSet>;
  readonly jobs: OwnedObjects<Job>;
  readonly revisions: OwnedObjects<ControllerRevision>;
}
