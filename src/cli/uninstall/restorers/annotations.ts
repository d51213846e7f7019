// Takes away the notes that Evenkeel left on workloads. What a person stated under the same prefix stays.

import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  REPLICA_SETS,
  STATEFUL_SETS,
  type ApiResource,
} from '../../../adapters/kubernetes/resources.ts';
import { objectAt, objectsAt } from '../../../adapters/kubernetes/wire.ts';
import { judgeAnnotation } from '../../../core/uninstall/field-managers.ts';
import { nameOf, withoutAnnotations, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import type { Finding, Restorer } from '../restorer.ts';

/** Deployments before their ReplicaSets, which bear copies. */
const WORKLOADS: readonly ApiResource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, REPLICA_SETS, JOBS, CRON_JOBS];

/** The Deployment controller copies a Deployment's annotations to its ReplicaSets, and `kubectl rollout undo` back. */
const COPIES_AS = 'kube-controller-manager';

export function annotationsRestorer(cluster: ClusterAccess): Restorer {
  return {
    name: 'annotations removed',
    async *find(signal) {
      for (const resource of WORKLOADS) {
        for await (const head of cluster.list(resource, signal))
          yield* annotationFindings(cluster, resource, head, isCopy(head) ? COPIES_AS : null);
      }
    },
  };
}

/** @param copiedBy who else's word does not count as a person's */
export function* annotationFindings(
  cluster: ClusterAccess,
  resource: ApiResource,
  head: ObjectHead,
  copiedBy: string | null = null,
): Generator<Finding> {
  const object = nameOf(resource, head);
  const ours: string[] = [];
  for (const key of Object.keys(head.annotations)) {
    const verdict = judgeAnnotation(key, head.managedFields, copiedBy);
    if (verdict.kind === 'remove') ours.push(key);
    if (verdict.kind === 'keep') yield { kind: 'keep', object, why: `annotation ${key} was written by ${verdict.writtenBy}` };
  }
  if (ours.length === 0) return;
  yield {
    kind: 'change',
    object,
    change: `annotations ${ours.join(', ')} removed`,
    carryOut: (signal) => cluster.patch(resource, head, withoutAnnotations(head, ours), signal),
  };
}

function isCopy({ wire }: ObjectHead): boolean {
  return objectsAt(objectAt(wire, 'metadata'), 'ownerReferences').some(
    (each) => each['controller'] === true && each['kind'] === 'Deployment',
  );
}
