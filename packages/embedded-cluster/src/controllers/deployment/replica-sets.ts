import { ApiStatusError } from '../../api/api-error.ts';
import type { ControllerPorts } from '../controller-ports.ts';
import { shortHash } from '../owners/canonical.ts';
import { isEqualJson } from '../../api/json.ts';
import { controllerReference } from '../object-key.ts';
import { isSelectorMatch } from '../selectors.ts';
import type { PodTemplate } from '../wire/pod.ts';
import type { Deployment, ReplicaSet } from '../wire/workload.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, TEMPLATE_HASH, revisionAnnotations } from './revisions.ts';
import type { RolloutBounds } from './rolling-update.ts';

const RESOURCE = 'replicasets.apps';
const COMPONENT = 'deployment-controller';

/** Access of a Deployment to its ReplicaSets. */
export class ReplicaSetControl {
  readonly #ports: ControllerPorts;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
  }

  /** The deployment's ReplicaSets, after adopting those that match its selector and have no controller. */
  claim(deployment: Deployment): ReplicaSet[] {
    const { cluster, replicaSets } = this.#ports;
    const own = replicaSets.ownedBy(deployment.metadata.uid);
    for (const orphan of replicaSets.orphansIn(deployment.metadata.namespace ?? '')) {
      if (orphan.metadata.deletionTimestamp !== undefined || !isSelectorMatch(deployment.spec.selector, orphan.metadata.labels)) continue;
      const adopted = cluster.modify(RESOURCE, orphan.metadata.namespace ?? '', orphan.metadata.name, (draft) => {
        draft.metadata.ownerReferences = [...(draft.metadata.ownerReferences ?? []), controllerReference(deployment)];
      });
      if (adopted === undefined) continue;
      replicaSets.note(adopted);
      own.push(adopted as ReplicaSet);
    }
    return own;
  }

  /**
   * The ReplicaSet of the Deployment's current template. A hash collision with another template increments the Deployment's
   * `collisionCount` and retries under another name.
   */
  create(deployment: Deployment, bounds: RolloutBounds, replicas: number, revision: number): ReplicaSet {
    const { cluster, replicaSets } = this.#ports;
    const collisions = deployment.status?.collisionCount ?? 0;
    const hash = shortHash(deployment.spec.template, collisions);
    const labels = { ...deployment.spec.template.metadata?.labels, [TEMPLATE_HASH]: hash };
    const template: PodTemplate = structuredClone(deployment.spec.template);
    template.metadata = { ...template.metadata, labels };
    const { selector } = deployment.spec;
    try {
      const created = cluster.create(RESOURCE, {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: `${deployment.metadata.name}-${hash}`,
          namespace: deployment.metadata.namespace,
          labels,
          annotations: { ...revisionAnnotations(deployment, undefined, revision), ...sizeAnnotations(bounds) },
          ownerReferences: [controllerReference(deployment)],
        },
        spec: {
          replicas,
          minReadySeconds: deployment.spec.minReadySeconds ?? 0,
          selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH]: hash } },
          template,
        },
      }) as ReplicaSet;
      replicaSets.note(created);
      if (replicas > 0) this.#emitScaled(deployment, created, 0, replicas);
      return created;
    } catch (error) {
      if (error instanceof ApiStatusError && error.reason === 'AlreadyExists') this.#countCollision(deployment, collisions + 1);
      throw error;
    }
  }

  /** Updates size and annotations, emits an Event when the size changes, and returns the current ReplicaSet. */
  update(
    deployment: Deployment,
    set: ReplicaSet,
    replicas: number,
    annotations: Record<string, string>,
    minReadySeconds?: number,
  ): ReplicaSet {
    const before = set.spec.replicas ?? 1;
    const ready = minReadySeconds ?? set.spec.minReadySeconds ?? 0;
    const unchanged = before === replicas && (set.spec.minReadySeconds ?? 0) === ready;
    if (unchanged && isEqualJson(annotations, set.metadata.annotations)) return set;
    const written = this.#ports.cluster.modify(RESOURCE, set.metadata.namespace ?? '', set.metadata.name, (draft) => {
      draft.metadata.annotations = annotations;
      const spec = draft['spec'] as ReplicaSet['spec'];
      spec.replicas = replicas;
      spec.minReadySeconds = ready;
    });
    if (before !== replicas) this.#emitScaled(deployment, set, before, replicas);
    return (written ?? set) as ReplicaSet;
  }

  delete(set: ReplicaSet): void {
    this.#ports.cluster.delete(RESOURCE, set.metadata.namespace ?? '', set.metadata.name, { uid: set.metadata.uid });
  }

  #emitScaled(deployment: Deployment, set: ReplicaSet, from: number, to: number): void {
    const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${String(from)} to ${String(to)}`;
    this.#ports.events.emit(deployment, COMPONENT, 'Normal', 'ScalingReplicaSet', message);
  }

  #countCollision(deployment: Deployment, collisionCount: number): void {
    this.#ports.cluster.modifyStatus('deployments.apps', deployment.metadata.namespace ?? '', deployment.metadata.name, (draft) => {
      draft['status'] = { ...(draft['status'] as object | undefined), collisionCount };
    });
  }
}

/** Annotations that a later scale reads to keep proportions. */
export function sizeAnnotations({ replicas, maxSurge }: RolloutBounds): Record<string, string> {
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge) };
}
