// Workloads that are idle: replicas (or the least of their autoscaler) that were lowered are put back, where they are still
// what Evenkeel set. Sizes in place are another restorer's; the note goes with the other annotations, so this comes first.

import { KubernetesEffectWriter } from '../../../adapters/kubernetes/effect-writer.ts';
import { DEPLOYMENTS, HPAS, objectPath, REPLICA_SETS, STATEFUL_SETS, type ApiResource } from '../../../adapters/kubernetes/resources.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../../../adapters/kubernetes/wire.ts';
import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { IdleMemory } from '../../../core/resize/model/idle-memory.ts';
import { readIdleNote } from '../../../core/resize/status/idle-note.ts';
import { UNINSTALL_MANAGER } from '../../../core/model/field-managers.ts';
import { nameOf, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import type { Finding, Restorer } from '../restorer.ts';

const SCALABLE: readonly ApiResource[] = [DEPLOYMENTS, STATEFUL_SETS, REPLICA_SETS];

export function idleWorkloadsRestorer(cluster: ClusterAccess): Restorer {
  return {
    name: 'idle workloads scaled back',
    async *find(signal) {
      for (const resource of SCALABLE) {
        for await (const head of cluster.list(resource, signal)) {
          const idle = isOwned(head) ? null : readIdleNote(textAt(head.annotations, WORKLOAD_ANNOTATIONS.idle));
          const lowered = idle?.idleReplicas ?? null;
          if (idle === null || lowered === null) continue;
          yield* idle.autoscaler === null
            ? ofReplicas(cluster, resource, head, idle.replicas, lowered)
            : await ofAutoscaler(cluster, head, idle, signal);
        }
      }
    },
  };
}

/** A Deployment's annotations are copied to its ReplicaSets. */
function isOwned({ wire }: ObjectHead): boolean {
  return objectsAt(objectAt(wire, 'metadata'), 'ownerReferences').some((each) => each['controller'] === true);
}

function* ofReplicas(cluster: ClusterAccess, resource: ApiResource, head: ObjectHead, to: number, from: number): Generator<Finding> {
  const object = nameOf(resource, head);
  const now = numberAt(objectAt(head.wire, 'spec'), 'replicas', 1);
  if (now === to) return;
  if (now !== from) {
    yield { kind: 'keep', object, why: `its ${now} replicas were set by somebody else since it fell idle` };
    return;
  }
  const resourceVersion = textAt(objectAt(head.wire, 'metadata'), 'resourceVersion');
  const scale = { path: objectPath(resource, head.namespace, head.name), from, to, resourceVersion };
  const writer = new KubernetesEffectWriter(cluster.transport, UNINSTALL_MANAGER);
  yield { kind: 'change', object, change: `replicas ${from} → ${to}`, carryOut: (signal) => writer.scaleWorkload(scale, signal) };
}

async function ofAutoscaler(
  cluster: ClusterAccess,
  { namespace }: ObjectHead,
  { autoscaler, idleReplicas }: IdleMemory,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  let hpa: ObjectHead | null = null;
  for await (const head of cluster.list(HPAS, signal, { namespace: namespace ?? '' })) if (head.name === autoscaler?.name) hpa = head;
  if (hpa === null || autoscaler === null) return [];
  const now = numberAt(objectAt(hpa.wire, 'spec'), 'minReplicas', 1);
  if (now !== idleReplicas) return [];
  const path = '/spec/minReplicas';
  return [
    {
      kind: 'change',
      object: nameOf(HPAS, hpa),
      change: `minReplicas ${now} → ${autoscaler.minReplicas}`,
      carryOut: (stop) => cluster.patch(HPAS, hpa, [{ op: 'add', path, value: autoscaler.minReplicas }], stop),
    },
  ];
}
