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
import { isRecord, judgeAnnotation } from '../../../core/model/field-managers.ts';
import { nameOf, withoutAnnotations, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { lookAtEach } from '../look-at-each.ts';
import { always, granted, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';

/** Deployments before their ReplicaSets, which bear copies. */
const WORKLOADS: readonly ApiResource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, REPLICA_SETS, JOBS, CRON_JOBS];

export function annotationsRestorer(cluster: ClusterAccess): Restorer {
  return {
    name: 'annotations removed',
    async *find(signal) {
      for (const resource of WORKLOADS) yield* ofKind(cluster, resource, signal);
      yield* lookAtEach(await cluster.scalableKinds(signal), (resource) => ofKind(cluster, resource, signal));
    },
  };
}

async function* ofKind(cluster: ClusterAccess, resource: ApiResource, signal: AbortSignal): AsyncGenerator<Finding> {
  for await (const head of cluster.list(resource, signal)) {
    if (isCopy(head)) yield* removal(cluster, resource, head, Object.keys(head.annotations).filter(isRecord));
    else yield* annotationFindings(cluster, resource, head);
  }
}

/** Of one object: what is removed, and what stays because a person wrote it. */
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

/** Their controllers copy their annotations to ReplicaSets. */
const COPYING: ReadonlySet<unknown> = new Set(['Deployment', 'Rollout']);

/**
 * The Deployment controller copies a Deployment's annotations to its ReplicaSets under a name of its own, and
 * `kubectl rollout undo` copies them back: Evenkeel's records are removed there too; a user's annotations stay on the Deployment.
 */
function isCopy({ wire }: ObjectHead): boolean {
  return objectsAt(objectAt(wire, 'metadata'), 'ownerReferences').some((each) => each['controller'] === true && COPYING.has(each['kind']));
}

const SOURCE = 'src/cli/uninstall/restorers/annotations.ts';

export const ANNOTATIONS: RestorerRegistration = {
  name: 'annotations',
  permissions: WORKLOADS.map((resource) =>
    granted(['list', 'patch'], resource, SOURCE, "Evenkeel's annotations taken away, nothing else touched"),
  ),
  runsWith: always,
  removesRecords: true,
  create: ({ cluster }) => annotationsRestorer(cluster),
};
