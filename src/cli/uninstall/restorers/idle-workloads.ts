// Workloads that are idle: replicas (or the least of their autoscaler) that were lowered are put back, where they are still
// what Evenkeel set. Sizes in place are another restorer's; the note goes with the other annotations, so this comes first.

import { KubernetesEffectWriter } from '../../../adapters/kubernetes/effect-writer.ts';
import {
  DEPLOYMENTS,
  HPAS,
  objectPath,
  ownResource,
  REPLICA_SETS,
  STATEFUL_SETS,
  type ApiResource,
} from '../../../adapters/kubernetes/resources.ts';
import { ApiFault, isNotFound } from '../../../adapters/kubernetes/status.ts';
import { numberAt, objectAt, objectsAt, optionalObjectAt, textAt } from '../../../adapters/kubernetes/wire.ts';
import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { IdleMemory } from '../../../core/resize/model/idle-memory.ts';
import { PLURALS, type RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import type { Instant } from '../../../core/model/units.ts';
import type { WorkloadRef } from '../../../core/model/workload.ts';
import { recommendationName } from '../../../core/recommendations/recommendation-name.ts';
import { readIdleNote } from '../../../core/resize/status/idle-note.ts';
import { readIdle } from '../../../core/resize/status/memory-codec.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { UNINSTALL_MANAGER } from '../../../core/model/field-managers.ts';
import { nameOf, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import type { Finding, Restorer } from '../restorer.ts';

const SCALABLE: readonly ApiResource[] = [DEPLOYMENTS, STATEFUL_SETS, REPLICA_SETS];

/** @param signer knows the notes that Evenkeel wrote: whoever may patch a workload can write one */
export function idleWorkloadsRestorer(cluster: ClusterAccess, signer: RecordSigner): Restorer {
  return {
    name: 'idle workloads scaled back',
    async *find(signal) {
      for (const resource of SCALABLE) {
        for await (const head of cluster.list(resource, signal)) {
          const note = textAt(head.annotations, WORKLOAD_ANNOTATIONS.idle);
          if (note === '' || isOwned(head)) continue;
          const idle = readIdleNote(note);
          const foreign = await whyForeign(cluster, resource, head, { note, since: idle?.since ?? null }, signer, signal);
          if (foreign !== null) {
            yield { kind: 'keep', object: nameOf(resource, head), why: `its replicas: ${foreign}` };
            continue;
          }
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

/** Why a note tells nothing of how the workload was: not ours, or older than what its Recommendation says. null: it does. */
async function whyForeign(
  cluster: ClusterAccess,
  resource: ApiResource,
  head: ObjectHead,
  { note, since }: { readonly note: string; readonly since: Instant | null },
  signer: RecordSigner,
  signal: AbortSignal,
): Promise<string | null> {
  const { kind } = resource;
  const field = WORKLOAD_ANNOTATIONS.idle;
  if (since === null || !signer.isOurs({ kind, uid: head.uid, field }, note)) return `annotation ${field} is not signed by Evenkeel`;
  const status = await statusOf(cluster, { kind, name: head.name }, head.namespace ?? '', signal);
  if (status === null || readIdle(status)?.since === since) return null;
  return `annotation ${field} is older than its Recommendation`;
}

async function statusOf(
  cluster: ClusterAccess,
  workload: Pick<WorkloadRef, 'kind' | 'name'>,
  namespace: string,
  signal: AbortSignal,
): Promise<RecommendationStatus | null> {
  const name = recommendationName(workload);
  try {
    for await (const head of cluster.list(ownResource(PLURALS.Recommendation), signal, { namespace })) {
      if (head.name === name) return optionalObjectAt(head.wire, 'status');
    }
  } catch (err) {
    if (!(err instanceof ApiFault && isNotFound(err.failure))) throw err;
  }
  return null;
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
