import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { resolveCount } from '../int-or-percent.ts';
import type { ObjectKey } from '../object-key.ts';
import { splitKey } from '../object-key.ts';
import { startOwnerController } from '../owners/owner-controller.ts';
import { claimPods } from '../pods/pod-adoption.ts';
import { PodControl } from '../pods/pod-control.ts';
import { isAvailable, isReady, isTerminal, isTerminating, nextAvailableAt } from '../pods/pod-state.ts';
import { currentTemplateRevision, templateOf, trimRevisions } from '../owners/revision-history.ts';
import type { Pod } from '../wire/pod.ts';
import type { StatefulSet, StatefulSetStatus } from '../wire/workload.ts';
import type { WorkList } from '../work-list.ts';
import { createClaims, releaseClaims } from './claims-of-set.ts';
import { ordinalOf, podName, podOfSet, revisionOfPod } from './identity.ts';

const RESOURCE = 'statefulsets.apps';
const COMPONENT = 'statefulset-controller';

/** Names of the current and of the update revision; equal when no rollout is in progress. */
interface RevisionNames {
  readonly current: string;
  readonly update: string;
}

/** Keeps the pods of each StatefulSet with stable names, in order unless it uses Parallel. */
export function startStatefulSets(ports: ControllerPorts): Stop {
  return startOwnerController(ports, new StatefulSetController(ports), { resource: RESOURCE, kind: 'StatefulSet', owned: 'pods' });
}

class StatefulSetController {
  readonly #ports: ControllerPorts;
  readonly #control: PodControl;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
    this.#control = new PodControl(ports, COMPONENT);
  }

  reconcile(key: ObjectKey, work: WorkList): void {
    const { namespace, name } = splitKey(key);
    const { cluster, clock } = this.#ports;
    const set = cluster.get(RESOURCE, namespace, name) as StatefulSet | undefined;
    if (set === undefined) return;
    const update = currentTemplateRevision(this.#ports, set).metadata.name;
    const known = set.status?.currentRevision;
    const current = known !== undefined && templateOf(this.#ports, set, known) !== undefined ? known : update;
    const revisions = { current, update };
    try {
      if (set.metadata.deletionTimestamp === undefined) this.#reconcileReplicas(set, revisions);
    } finally {
      this.#writeStatus(set, revisions);
    }
    const pods = this.#podsOf(set);
    trimRevisions(this.#ports, set, ({ metadata }) => {
      const inUse = metadata.name === current || metadata.name === update;
      return inUse || pods.some((pod) => revisionOfPod(pod) === metadata.name);
    });
    const at = nextAvailableAt(pods, set.spec.minReadySeconds ?? 0, clock.now());
    if (at !== undefined) work.addAt(key, at);
  }

  #reconcileReplicas(set: StatefulSet, revisions: RevisionNames): void {
    const pods = claimPods(this.#ports, set, set.spec.selector).filter((pod) => ordinalOf(set, pod) >= 0);
    const isMonotonic = set.spec.podManagementPolicy !== 'Parallel';
    const start = set.spec.ordinals?.start ?? 0;
    const end = start + (set.spec.replicas ?? 1);
    const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));

    for (let ordinal = start; ordinal < end; ordinal += 1) {
      const settled = this.#reconcileReplica(set, revisions, ordinal, byOrdinal.get(ordinal));
      if (!settled && isMonotonic) return;
    }
    const condemned = pods.filter((pod) => ordinalOf(set, pod) < start || ordinalOf(set, pod) >= end);
    condemned.sort((a, b) => ordinalOf(set, b) - ordinalOf(set, a));
    for (const pod of condemned) {
      if (!isTerminating(pod)) {
        releaseClaims(this.#ports, set, pod);
        this.#control.delete(set, pod);
      }
      if (isMonotonic) return; // the next one only after this one is deleted
    }
    if (set.spec.updateStrategy?.type !== 'OnDelete') this.#roll(set, revisions, byOrdinal, start, end);
  }

  /** @returns whether the next ordinal may be handled when pods are managed in order */
  #reconcileReplica(set: StatefulSet, revisions: RevisionNames, ordinal: number, pod: Pod | undefined): boolean {
    if (pod === undefined) {
      createClaims(this.#ports, set, podName(set, ordinal));
      const revision = this.#revisionFor(set, revisions, ordinal);
      const template = templateOf(this.#ports, set, revision) ?? set.spec.template;
      this.#control.create(set, podOfSet(set, template, ordinal, revision));
      return false;
    }
    if (isTerminating(pod)) return false;
    if (isTerminal(pod)) {
      this.#control.delete(set, pod); // recreated with its name after the deletion
      return false;
    }
    return isAvailable(pod, set.spec.minReadySeconds ?? 0, this.#ports.clock.now());
  }

  /** Below the partition pods are recreated with the current revision. */
  #revisionFor(set: StatefulSet, { current, update }: RevisionNames, ordinal: number): string {
    if (current === update || set.spec.updateStrategy?.type === 'OnDelete') return update;
    const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    return ordinal < (set.spec.ordinals?.start ?? 0) + partition ? current : update;
  }

  /** From the highest ordinal down to the partition, up to maxUnavailable at a time (one by default). */
  #roll(set: StatefulSet, { update }: RevisionNames, byOrdinal: ReadonlyMap<number, Pod>, start: number, end: number): void {
    const { partition = 0, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
    const allowed = Math.max(1, resolveCount(maxUnavailable ?? 1, set.spec.replicas ?? 1, 'up') ?? 1);
    const now = this.#ports.clock.now();
    let unavailable = [...byOrdinal.entries()].filter(
      ([ordinal, pod]) =>
        ordinal >= start && ordinal < end && (isTerminating(pod) || !isAvailable(pod, set.spec.minReadySeconds ?? 0, now)),
    ).length;
    for (let ordinal = end - 1; ordinal >= start + partition; ordinal -= 1) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) return;
      if (revisionOfPod(pod) === update || isTerminating(pod)) continue;
      // An unavailable pod is replaced without additional cost of availability.
      const serves = isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
      if (serves && unavailable >= allowed) return;
      this.#control.delete(set, pod);
      if (serves) unavailable += 1;
    }
  }

  #podsOf(set: StatefulSet): Pod[] {
    return this.#ports.pods.ownedBy(set.metadata.uid);
  }

  #writeStatus(set: StatefulSet, revisions: RevisionNames): void {
    const now = this.#ports.clock.now();
    const pods = this.#podsOf(set).filter((pod) => !isTerminal(pod));
    const living = pods.filter((pod) => !isTerminating(pod));
    const ofRevision = (name: string): number => living.filter((pod) => revisionOfPod(pod) === name).length;
    const readyReplicas = living.filter(isReady).length;
    const updatedReplicas = ofRevision(revisions.update);
    const replicas = set.spec.replicas ?? 1;
    const isRolledOut =
      set.spec.updateStrategy?.type !== 'OnDelete' &&
      updatedReplicas === replicas &&
      readyReplicas === replicas &&
      pods.length === replicas;
    const { currentRevision: _current, ...before } = set.status ?? {};
    const currentRevision = isRolledOut ? revisions.update : revisions.current;
    const status: StatefulSetStatus = {
      ...before,
      observedGeneration: set.metadata.generation ?? 1,
      replicas: pods.length,
      readyReplicas,
      availableReplicas: living.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length,
      currentReplicas: ofRevision(currentRevision),
      updatedReplicas,
      currentRevision,
      updateRevision: revisions.update,
      collisionCount: set.status?.collisionCount ?? 0,
    };
    if (isEqualJson(status, set.status)) return;
    this.#ports.cluster.modifyStatus(RESOURCE, set.metadata.namespace ?? '', set.metadata.name, (draft) => {
      draft['status'] = status;
    });
  }
}
