import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import type { ObjectKey } from '../object-key.ts';
import { joinKey, splitKey } from '../object-key.ts';
import { startOwnerController } from '../owners/owner-controller.ts';
import { isTerminal } from '../pods/pod-state.ts';
import { isEmptySelector, isSelectorMatch } from '../selectors.ts';
import type { Deployment, ReplicaSet } from '../wire/workload.ts';
import type { WorkList } from '../work-list.ts';
import type { Revisions } from './deployment-status.ts';
import { deploymentStatus, isComplete, progressDeadline } from './deployment-status.ts';
import { ReplicaSetControl, sizeAnnotations } from './replica-sets.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, REVISION, findNewReplicaSet, oldestFirst, revisionAnnotations, revisionOf } from './revisions.ts';
import type { RevisionSize, RolloutBounds } from './rolling-update.ts';
import { newRevisionReplicas, oldRevisionReplicas, proportionalReplicas, rolloutBounds } from './rolling-update.ts';

const RESOURCE = 'deployments.apps';
const COMPONENT = 'deployment-controller';
const DEFAULT_HISTORY_LIMIT = 10;

/** Rolls each Deployment's template out by ReplicaSets, one per revision. */
export function startDeployments(ports: ControllerPorts): Stop {
  const controller = new DeploymentController(ports);
  return startOwnerController(ports, controller, { resource: RESOURCE, kind: 'Deployment', owned: 'replicasets.apps' }, (add) => [
    // Recreate waits until the last old pod is deleted. The status of ReplicaSets does not show that: terminating pods do not count in it.
    ports.cluster.onChange('pods', ({ type, object }) => {
      if (type === 'DELETED') controller.findWaitingKeys(object.metadata.namespace ?? '', object.metadata.labels).forEach(add);
    }),
  ]);
}

class DeploymentController {
  readonly #ports: ControllerPorts;
  readonly #sets: ReplicaSetControl;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
    this.#sets = new ReplicaSetControl(ports);
  }

  findWaitingKeys(namespace: string, labels: Readonly<Record<string, string>> | undefined): ObjectKey[] {
    const deployments = this.#ports.cluster.list(RESOURCE, { namespace }) as readonly Deployment[];
    return deployments
      .filter(({ spec }) => spec.strategy?.type === 'Recreate' && isSelectorMatch(spec.selector, labels))
      .map(({ metadata }) => joinKey(namespace, metadata.name));
  }

  reconcile(key: ObjectKey, work: WorkList): void {
    const { namespace, name } = splitKey(key);
    const { cluster, clock, events } = this.#ports;
    const deployment = cluster.get(RESOURCE, namespace, name) as Deployment | undefined;
    if (deployment === undefined) return;
    if (isEmptySelector(deployment.spec.selector)) {
      const message = 'This deployment is selecting all pods. A non-empty selector is required.';
      events.emit(deployment, COMPONENT, 'Warning', 'SelectingAll', message);
      return;
    }
    const revisions = this.#reconcileReplicas(deployment, this.#sets.claim(deployment));
    const status = deploymentStatus(deployment, revisions, clock.now());
    if (!isEqualJson(status, deployment.status)) {
      cluster.modifyStatus(RESOURCE, namespace, name, (draft) => {
        draft['status'] = status;
      });
    }
    if (deployment.metadata.deletionTimestamp !== undefined) return;
    if (isComplete(deployment, status)) this.#cleanUp(deployment, revisions.old);
    const deadline = progressDeadline(deployment, status);
    if (deadline !== undefined) work.addAt(key, Math.max(deadline, clock.now() + 1));
  }

  #reconcileReplicas(deployment: Deployment, sets: readonly ReplicaSet[]): Revisions {
    const found = findNewReplicaSet(deployment, sets);
    const old = oldestFirst(sets.filter((set) => set !== found));
    if (deployment.metadata.deletionTimestamp !== undefined) return { fresh: found, old, created: false };
    const bounds = boundsOf(deployment);
    if (deployment.spec.paused === true) return this.#resize(deployment, bounds, found, old);

    const revision = Math.max(0, ...old.map(revisionOf)) + 1;
    const known = found === undefined ? undefined : this.#numbered(deployment, found, revision);
    this.#numberDeployment(deployment, known === undefined ? revision : revisionOf(known));
    if (hasNewSize(bounds, known, old)) return this.#resize(deployment, bounds, known, old);
    return deployment.spec.strategy?.type === 'Recreate'
      ? this.#recreate(deployment, bounds, known, old, revision)
      : this.#roll(deployment, bounds, known, old, revision);
  }

  #roll(
    deployment: Deployment,
    bounds: RolloutBounds,
    known: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
    revision: number,
  ): Revisions {
    const total = [...old, ...(known === undefined ? [] : [known])].reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
    const size = newRevisionReplicas(bounds, known?.spec.replicas ?? 0, total);
    const fresh =
      known === undefined ? this.#sets.create(deployment, bounds, size, revision) : this.#sized(deployment, bounds, known, size);
    const sizes = oldRevisionReplicas(bounds, sizeOf(fresh), old.map(sizeOf));
    const shrunk = old.map((set) => this.#sized(deployment, bounds, set, sizes.get(set.metadata.name) ?? 0));
    return { fresh, old: shrunk, created: known === undefined };
  }

  /** Removes the old revision entirely before the new one starts. */
  #recreate(
    deployment: Deployment,
    bounds: RolloutBounds,
    known: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
    revision: number,
  ): Revisions {
    const shrunk = old.map((set) => this.#sized(deployment, bounds, set, 0));
    const { pods } = this.#ports;
    if (shrunk.some((set) => pods.ownedBy(set.metadata.uid).some((pod) => !isTerminal(pod)))) {
      return { fresh: known, old: shrunk, created: false };
    }
    const fresh =
      known === undefined
        ? this.#sets.create(deployment, bounds, bounds.replicas, revision)
        : this.#sized(deployment, bounds, known, bounds.replicas);
    return { fresh, old: shrunk, created: known === undefined };
  }

  /** Scaling, also during a rollout or while paused: keeps the proportions of the revisions. */
  #resize(deployment: Deployment, bounds: RolloutBounds, known: ReplicaSet | undefined, old: readonly ReplicaSet[]): Revisions {
    const all = [...(known === undefined ? [] : [known]), ...old];
    const active = all.filter((set) => (set.spec.replicas ?? 0) > 0);
    const sizes = new Map(all.map((set) => [set.metadata.name, set.spec.replicas ?? 0]));
    const only = active.length <= 1 ? (active[0] ?? known ?? old.at(-1)) : undefined;
    if (only !== undefined) {
      sizes.set(only.metadata.name, bounds.replicas);
    } else if (known !== undefined && isSaturated(known, bounds.replicas)) {
      for (const set of old) sizes.set(set.metadata.name, 0);
    } else if (deployment.spec.strategy?.type !== 'Recreate') {
      const largestFirst = [...active].sort((a, b) => (b.spec.replicas ?? 0) - (a.spec.replicas ?? 0) || revisionOf(b) - revisionOf(a));
      const shares = largestFirst.map((set) => ({
        name: set.metadata.name,
        replicas: set.spec.replicas ?? 0,
        maxReplicasBefore: Number(set.metadata.annotations?.[MAX_REPLICAS] ?? deployment.status?.replicas ?? 0),
      }));
      for (const [name, size] of proportionalReplicas(bounds, shares)) sizes.set(name, size);
    }
    const sized = (set: ReplicaSet): ReplicaSet => this.#sized(deployment, bounds, set, sizes.get(set.metadata.name) ?? 0);
    return { fresh: known === undefined ? undefined : sized(known), old: old.map(sized), created: false };
  }

  #sized(deployment: Deployment, bounds: RolloutBounds, set: ReplicaSet, replicas: number): ReplicaSet {
    // An idle old revision keeps its annotations: updating each at every scale would be useless writes.
    const idle = replicas === 0 && (set.spec.replicas ?? 0) === 0;
    const annotations = idle ? (set.metadata.annotations ?? {}) : { ...set.metadata.annotations, ...sizeAnnotations(bounds) };
    return this.#sets.update(deployment, set, replicas, annotations);
  }

  /** The target of a rollback becomes the newest revision. */
  #numbered(deployment: Deployment, set: ReplicaSet, revision: number): ReplicaSet {
    const annotations = revisionAnnotations(deployment, set, revision);
    return this.#sets.update(deployment, set, set.spec.replicas ?? 0, annotations, deployment.spec.minReadySeconds ?? 0);
  }

  #numberDeployment(deployment: Deployment, revision: number): void {
    if (deployment.metadata.annotations?.[REVISION] === String(revision)) return;
    this.#ports.cluster.modifyStatus(RESOURCE, deployment.metadata.namespace ?? '', deployment.metadata.name, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [REVISION]: String(revision) };
    });
  }

  #cleanUp(deployment: Deployment, old: readonly ReplicaSet[]): void {
    const limit = deployment.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT;
    const idle = old.filter(
      ({ spec, status, metadata }) =>
        (spec.replicas ?? 0) === 0 && (status?.replicas ?? 0) === 0 && metadata.deletionTimestamp === undefined,
    );
    const byRevision = idle.sort((a, b) => revisionOf(a) - revisionOf(b));
    for (const set of byRevision.slice(0, Math.max(0, idle.length - limit))) this.#sets.delete(set);
  }
}

function boundsOf({ spec }: Deployment): RolloutBounds {
  const replicas = spec.replicas ?? 1;
  return spec.strategy?.type === 'Recreate'
    ? { replicas, maxSurge: 0, maxUnavailable: replicas }
    : rolloutBounds(replicas, spec.strategy?.rollingUpdate);
}

function sizeOf(set: ReplicaSet): RevisionSize {
  return { name: set.metadata.name, replicas: set.spec.replicas ?? 0, available: set.status?.availableReplicas ?? 0 };
}

/** Whether `spec.replicas` changed since the active revisions were last scaled. */
function hasNewSize(bounds: RolloutBounds, known: ReplicaSet | undefined, old: readonly ReplicaSet[]): boolean {
  const active = [...(known === undefined ? [] : [known]), ...old].filter((set) => (set.spec.replicas ?? 0) > 0);
  return active.some((set) => {
    const desired = set.metadata.annotations?.[DESIRED_REPLICAS];
    return desired !== undefined && desired !== String(bounds.replicas);
  });
}

function isSaturated(set: ReplicaSet, replicas: number): boolean {
  const annotated = Number(set.metadata.annotations?.[DESIRED_REPLICAS] ?? Number.NaN);
  return set.spec.replicas === replicas && annotated === replicas && set.status?.availableReplicas === replicas;
}
