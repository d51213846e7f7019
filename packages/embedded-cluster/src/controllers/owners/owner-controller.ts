import type { ControllerPorts, Stop } from '../controller-ports.ts';
import type { ObjectKey } from '../object-key.ts';
import { watchKeys, watchOwners } from './owner-watch.ts';
import { WorkList } from '../work-list.ts';

/** Resources of a controller, and its reconcile function. */
export interface OwnerControllerKinds {
  /** The reconciled resource, by key. */
  readonly resource: string;
  readonly kind: string;
  /** The created resource: a change of an object reconciles its owner. */
  readonly owned: string;
}

export interface OwnerController {
  reconcile(key: ObjectKey, work: WorkList): void;
}

/** @param others additional triggers of a reconcile */
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
