import { ApiStatusError } from '../../api/api-error.ts';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { withCondition, withoutCondition } from '../nodes/conditions.ts';
import type { ObjectKey } from '../object-key.ts';
import { controllerOf, joinKey, splitKey } from '../object-key.ts';
import { startOwnerController } from '../owners/owner-controller.ts';
import { claimPods } from '../pods/pod-adoption.ts';
import { BURST_PAUSE_MS, PodControl } from '../pods/pod-control.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isActive, isAvailable, isReady, nextAvailableAt } from '../pods/pod-state.ts';
import { isSelectorMatch } from '../selectors.ts';
import type { Pod } from '../wire/pod.ts';
import type { ReplicaSet, ReplicaSetStatus } from '../wire/workload.ts';
import type { WorkList } from '../work-list.ts';
import { sortForDeletion } from './deletion-order.ts';

const RESOURCE = 'replicasets.apps';
const COMPONENT = 'replicaset-controller';

/** Keeps the requested number of pods of each ReplicaSet. */
export function startReplicaSets(ports: ControllerPorts): Stop {
  const controller = new ReplicaSetController(ports);
  return startOwnerController(ports, controller, { resource: RESOURCE, kind: 'ReplicaSet', owned: 'pods' }, (add) => [
    ports.cluster.onChange('pods', ({ type, object }) => {
      if (type !== 'DELETED' && controllerOf(object) === undefined) controller.findAdoptingKeys(object as Pod).forEach(add);
    }),
  ]);
}

class ReplicaSetController {
  readonly #ports: ControllerPorts;
  readonly #control: PodControl;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
    this.#control = new PodControl(ports, COMPONENT);
  }

  /** ReplicaSets that would adopt an orphaned pod. */
  findAdoptingKeys(orphan: Pod): ObjectKey[] {
    const namespace = orphan.metadata.namespace ?? '';
    const sets = this.#ports.cluster.list(RESOURCE, { namespace }) as readonly ReplicaSet[];
    return sets
      .filter(({ spec }) => isSelectorMatch(spec.selector, orphan.metadata.labels))
      .map(({ metadata }) => joinKey(namespace, metadata.name));
  }

  reconcile(key: ObjectKey, work: WorkList): void {
    const { namespace, name } = splitKey(key);
    const set = this.#ports.cluster.get(RESOURCE, namespace, name) as ReplicaSet | undefined;
    if (set === undefined) return;
    const pods = claimPods(this.#ports, set, set.spec.selector);
    let failure: unknown;
    if (set.metadata.deletionTimestamp === undefined) {
      try {
        this.#scale(set, pods, () => work.addAt(key, this.#ports.clock.now() + BURST_PAUSE_MS));
      } catch (error) {
        failure = error;
      }
    }
    const active = pods.filter(isActive);
    this.#writeStatus(set, active, failure);
    const minReadySeconds = set.spec.minReadySeconds ?? 0;
    const at = minReadySeconds > 0 ? nextAvailableAt(active, minReadySeconds, this.#ports.clock.now()) : undefined;
    if (at !== undefined) work.addAt(key, at);
    if (failure !== undefined) throw failure as Error;
  }

  /** Creates the missing pods into `pods`, or deletes the surplus. @param later requests another reconcile */
  #scale(set: ReplicaSet, pods: Pod[], later: () => void): void {
    const active = pods.filter(isActive);
    const missing = (set.spec.replicas ?? 1) - active.length;
    const now = this.#control.limitBurst(set, missing);
    if (now < missing) later();
    for (let created = 0; created < now; created += 1) {
      pods.push(this.#control.createNamed(set, `${set.metadata.name}-`, (name) => podFromTemplate(set, set.spec.template, name)));
    }
    if (missing >= 0) return;
    const related = this.#relatedPodsByNode(set);
    const order = sortForDeletion(active, (node) => related.get(node) ?? 0, this.#ports.clock.now());
    for (const pod of order.slice(0, -missing)) {
      this.#control.delete(set, pod);
      pods.splice(pods.indexOf(pod), 1);
    }
  }

  /** Counts pods of sibling ReplicaSets of the Deployment too, so that old and new revisions spread together. */
  #relatedPodsByNode(set: ReplicaSet): Map<string, number> {
    const parent = controllerOf(set)?.uid;
    const siblings = parent === undefined ? [set] : this.#ports.replicaSets.ownedBy(parent);
    const counts = new Map<string, number>();
    for (const sibling of siblings) {
      for (const pod of this.#ports.pods.ownedBy(sibling.metadata.uid)) {
        const node = pod.spec.nodeName;
        if (node !== undefined && isActive(pod)) counts.set(node, (counts.get(node) ?? 0) + 1);
      }
    }
    return counts;
  }

  #writeStatus(set: ReplicaSet, active: readonly Pod[], failure: unknown): void {
    const now = this.#ports.clock.now();
    const minReadySeconds = set.spec.minReadySeconds ?? 0;
    const templateLabels = { matchLabels: set.spec.template.metadata?.labels ?? {} };
    const { conditions, ...counts } = set.status ?? {};
    const nextConditions =
      failure instanceof ApiStatusError
        ? withCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure.message }, now)
        : withoutCondition(conditions, 'ReplicaFailure');
    const status: ReplicaSetStatus = {
      ...counts,
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => isSelectorMatch(templateLabels, pod.metadata.labels)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
      observedGeneration: set.metadata.generation ?? 1,
      ...(nextConditions.length === 0 ? {} : { conditions: nextConditions }),
    };
    if (isEqualJson(status, set.status)) return;
    this.#ports.cluster.modifyStatus(RESOURCE, set.metadata.namespace ?? '', set.metadata.name, (draft) => {
      draft['status'] = status;
    });
  }
}
