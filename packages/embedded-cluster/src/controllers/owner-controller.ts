import type { ControllerPorts, Stop } from './controller-ports.ts';
import type { ObjectKey } from './object-key.ts';
import { watchKeys, watchOwners } from './owner-watch.ts';
import { WorkList } from './work-list.ts';

/** What a controller keeps true, and what it does so with. */
export interface OwnerControllerKinds {
  /** What it looks at, by key. */
  readonly resource: string;
  readonly kind: string;
  /** What it makes and owns: a change of one has the owner looked at. */
  readonly owned: string;
}

export interface OwnerController {
  reconcile(key: ObjectKey, work: WorkList): void;
}

/** @param others more that has objects looked at */
export function startOwnerController(
  ports: ControllerPorts,
  controller: OwnerController,
  { resource, kind, owned }: OwnerControllerKinds,
  others: (add: (key: ObjectKey) => void) => readonly Stop[] = () => [],
): Stop {
  const work = new WorkList(ports.clock, (key) => controller.reconcile(key, work));
  const add = (key: ObjectKey): void => work.add(key);
  return work.stopAfter([watchKeys(ports.cluster, resource, add), watchOwners(ports.cluster, owned, kind, add), ...others(add)]);
}
