// Removes the annotations that Evenkeel wrote on workloads. User annotations under the same prefix stay.

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
import { isRecord, judgeAnnotation } from '../../../core/model/field-managers.ts';
import { nameOf, withoutAnnotations, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { findInEach } from '../look-at-each.ts';
import { isAlwaysEnabled, granted, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';

/** Deployments before their ReplicaSets, which have copies of the annotations. */
const WORKLOADS: readonly ApiResource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, REPLICA_SETS, JOBS, CRON_JOBS];

/** Removes Evenkeel's annotations from workloads of all kinds. */
export function annotationsRestorer(cluster: ClusterAccess): Restorer {
  return {
    name: 'annotations removed',
    async *find(signal) {
      for (const resource of WORKLOADS) yield* ofKind(cluster, resource, signal);
      yield* findInEach(await cluster.scalableKinds(signal), (resource) => ofKind(cluster, resource, signal));
    },
  };
}

async function* ofKind(cluster: ClusterAccess, resource: ApiResource, signal: AbortSignal): AsyncGenerator<Finding> {
  for await (const head of cluster.list(resource, signal)) {
    if (isCopy(head)) yield* removal(cluster, resource, head, Object.keys(head.annotations).filter(isRecord));
    else yield* annotationFindings(cluster, resource, head);
  }
}

/** Findings of one object: annotations to remove, and those that stay because a user wrote them. */
export function* annotationFindings(cluster: ClusterAccess, resource: ApiResource, head: ObjectHead): Generator<Finding> {
  const ours: string[] = [];
  for (const key of Object.keys(head.annotations)) {
    const verdict = judgeAnnotation(key, head.managedFields);
    if (verdict.kind === 'remove') ours.push(key);
    if (verdict.kind === 'keep')
      yield { kind: 'keep', object: nameOf(resource, head), why: `annotation ${key} was written by ${verdict.writtenBy}` };
  }
  yield* removal(cluster, resource, head, ours);
}

function* removal(cluster: ClusterAccess, resource: ApiResource, head: ObjectHead, keys: readonly string[]): Generator<Finding> {
  if (keys.length === 0) return;
  yield {
    kind: 'change',
    object: nameOf(resource, head),
    change: `annotations ${keys.join(', ')} removed`,
    carryOut: (signal) => cluster.patch(resource, head, withoutAnnotations(head, keys), signal),
  };
}

/** Kinds whose controllers copy annotations to ReplicaSets. */
const COPYING: ReadonlySet<unknown> = new Set(['Deployment', 'Rollout']);

/**
 * The Deployment controller copies annotations to its ReplicaSets under its own field manager, and `kubectl rollout undo` copies them back:
 * Evenkeel's records are removed there too; user annotations stay on the Deployment.
 */
function isCopy({ wire }: ObjectHead): boolean {
  return objectsAt(objectAt(wire, 'metadata'), 'ownerReferences').some((each) => each['controller'] === true && COPYING.has(each['kind']));
}

const SOURCE = 'src/cli/uninstall/restorers/annotations.ts';

export const ANNOTATIONS: RestorerRegistration = {
  name: 'annotations',
  permissions: WORKLOADS.map((resource) => granted(['list', 'patch'], resource, SOURCE, "removing Evenkeel's annotations, nothing else")),
  isEnabled: isAlwaysEnabled,
  removesRecords: true,
  create: ({ cluster }) => annotationsRestorer(cluster),
};
