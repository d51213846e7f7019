// Scales idled workloads back: lowered replicas (or minReplicas of their autoscaler) are restored if the object still has Evenkeel's value.
// Pod sizes have another restorer. It runs before annotations are removed, which have the original values.

import { replicasAt } from '../../../adapters/kubernetes/decode/decode-scalable.ts';
import { readPod } from '../../../adapters/kubernetes/decode/decode-pod.ts';
import { Interner } from '../../../adapters/kubernetes/decode/interner.ts';
import { kubernetesEffectWriter } from '../../../adapters/kubernetes/write/effect-writer.ts';
import {
  apiVersionOf,
  DEPLOYMENTS,
  HPAS,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
  type ApiResource,
} from '../../../adapters/kubernetes/resources.ts';
import { numberAt, objectAt, objectsAt, textAt, type Wire } from '../../../adapters/kubernetes/wire.ts';
import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import { readOriginalValues } from '../../../core/ownership/original-values.ts';
import { NO_ORIGINAL_VALUES, leave, keepRecognized, take, valueToWrite, type OriginalValues } from '../../../core/ownership/owners.ts';
import { isObject } from '#kube/json';
import { groupOfVersion } from '#kube/records/workload';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { IdleMemory, IdleAnnotation } from '../../../core/resize/model/evidence/idle-memory.ts';
import { hasRecordedSizes } from '../../../core/resize/layers/idle/as-recorded.ts';
import { parseIdleAnnotation } from '../../../core/resize/status/idle-annotation.ts';
import { readIdle } from '../../../core/resize/status/memory-codec.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { UNINSTALL_MANAGER } from '../../../core/model/field-managers.ts';
import { nameOf, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { findInEach } from '../look-at-each.ts';
import { granted, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';
import { statusOf } from './own-status.ts';

const SCALABLE: readonly ApiResource[] = [DEPLOYMENTS, STATEFUL_SETS, REPLICA_SETS];

/** @param signer verifies records, since any user who may patch a workload can write one */
export function idleWorkloadsRestorer(cluster: ClusterAccess, signer: RecordSigner): Restorer {
  return {
    name: 'idle workloads scaled back',
    async *find(signal) {
      for (const resource of SCALABLE) {
        yield* findIdled({ cluster, resource, signer, signal, replicasOf: (wire) => numberAt(objectAt(wire, 'spec'), 'replicas', 1) });
      }
      yield* findInEach(await cluster.scalableKinds(signal), async function* (resource) {
        const { desired } = await cluster.replicaPaths(resource, signal);
        yield* findIdled({ cluster, resource, signer, signal, replicasOf: (wire) => replicasAt(wire, desired) });
      });
    },
  };
}

interface IdleKind {
  readonly cluster: ClusterAccess;
  readonly resource: ApiResource;
  readonly signer: RecordSigner;
  readonly signal: AbortSignal;
  /** Replicas in the object's spec; null: unknown. */
  readonly replicasOf: (wire: Wire) => number | null;
}

async function* findIdled(kind: IdleKind): AsyncGenerator<Finding> {
  const { cluster, resource, signer, signal } = kind;
  for await (const head of cluster.list(resource, signal)) {
    const text = textAt(head.annotations, WORKLOAD_ANNOTATIONS.idle);
    // ReplicaSets have copies of their Deployment's annotations.
    if (text === '' || (resource.kind === 'ReplicaSet' && isControlled(head))) continue;
    const record = parseIdleAnnotation(text);
    const status = await statusOf(cluster, { kind: resource.kind, name: head.name, namespace: head.namespace ?? '' }, signal);
    const foreign = await findRecordProblem(cluster, resource, head, { text, record, status }, signer, signal);
    if (foreign !== null) {
      yield { kind: 'keep', object: nameOf(resource, head), why: `its replicas: ${foreign}` };
      continue;
    }
    if (record === null) continue;
    const period = { since: record.since, memory: status === null ? null : readIdle(status) };
    yield* findReplicas(kind, head, readIdlePeriod(signer, resource, head, period));
    yield* findAutoscalers(cluster, resource, head, period, signer, signal);
  }
}

interface IdlePeriod {
  readonly since: Instant;
  /** State in the Recommendation; null: none. */
  readonly memory: IdleMemory | null;
}

/**
 * Original values of an object in this idle period, from its annotation. Where that is missing (removed by a user, or idled by a version
 * without it), from the Recommendation.
 */
function readIdlePeriod(signer: RecordSigner, { kind }: ApiResource, head: ObjectHead, { since, memory }: IdlePeriod): OriginalValues {
  const field = WORKLOAD_ANNOTATIONS.original;
  const text = textAt(head.annotations, field);
  const originals = signer.isAuthentic({ kind, uid: head.uid, field }, text) ? readOriginalValues(text) : null;
  const current = keepRecognized(originals ?? NO_ORIGINAL_VALUES, (writer, takenAt) => writer === 'idle' && takenAt === since);
  const value = memory?.idleReplicas ?? null;
  if (current.fields.size > 0 || memory === null || value === null) return current;
  const { autoscaler, replicas } = memory;
  const taken = { writer: 'idle', value, live: value, at: since } as const;
  if (kind !== HPAS.kind) return autoscaler === null ? take(NO_ORIGINAL_VALUES, { ...taken, field: 'replicas', user: replicas }) : current;
  return autoscaler?.name === head.name
    ? take(NO_ORIGINAL_VALUES, { ...taken, field: 'minReplicas', user: autoscaler.minReplicas })
    : current;
}

/**
 * Why a record is ignored: it is not signed by Evenkeel, is older than the Recommendation, or, without one, pods have other sizes. null: it
 * is valid.
 */
async function findRecordProblem(
  cluster: ClusterAccess,
  resource: ApiResource,
  head: ObjectHead,
  { text, record, status }: { readonly text: string; readonly record: IdleAnnotation | null; readonly status: RecommendationStatus | null },
  signer: RecordSigner,
  signal: AbortSignal,
): Promise<string | null> {
  const { kind } = resource;
  const field = WORKLOAD_ANNOTATIONS.idle;
  if (record === null || !signer.isAuthentic({ kind, uid: head.uid, field }, text)) return `annotation ${field} is not signed by Evenkeel`;
  if (status !== null) return readIdle(status)?.since === record.since ? null : `annotation ${field} is older than its Recommendation`;
  const selector = optionalSelectorOf(head);
  if (selector === null) return `annotation ${field} cannot be compared with its pods, since it has no selector`;
  const pods = await podsOf(cluster, head, selector, signal);
  return hasRecordedSizes(pods, record) ? null : `annotation ${field} does not match the sizes of its pods`;
}

/** Kinds that are not built in may have no selector, or another type of value. */
function optionalSelectorOf({ wire }: ObjectHead): Wire | null {
  const selector = objectAt(wire, 'spec')['selector'];
  return isObject(selector) ? selector : null;
}

async function podsOf(
  cluster: ClusterAccess,
  { namespace }: ObjectHead,
  selector: Wire,
  signal: AbortSignal,
): Promise<readonly PodRecord[]> {
  const interner = new Interner();
  const pods: PodRecord[] = [];
  const within = { namespace: namespace ?? '', labelSelector: selectorText(selector) };
  for await (const head of cluster.list(PODS, signal, within)) {
    const pod = readPod(head.wire, interner);
    if (pod.deletionAt === null && pod.phase !== 'Succeeded' && pod.phase !== 'Failed') pods.push(pod);
  }
  return pods;
}

/** A LabelSelector as a query parameter. */
function selectorText(selector: Wire): string {
  const equal = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${String(value)}`);
  const others = objectsAt(selector, 'matchExpressions').map((each) => {
    const [key, operator] = [textAt(each, 'key'), textAt(each, 'operator')];
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    const values = Array.isArray(each['values']) ? each['values'].map(String) : [];
    return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(',')})`;
  });
  return [...equal, ...others].join(',');
}

function isControlled({ wire }: ObjectHead): boolean {
  return objectsAt(objectAt(wire, 'metadata'), 'ownerReferences').some((each) => each['controller'] === true);
}

function* findReplicas({ cluster, resource, replicasOf }: IdleKind, head: ObjectHead, originals: OriginalValues): Generator<Finding> {
  const object = nameOf(resource, head);
  const field = originals.fields.get('replicas');
  if (field === undefined) return;
  const from = replicasOf(head.wire);
  if (from === null) {
    yield { kind: 'keep', object, why: 'its number of replicas is unknown' };
    return;
  }
  const to = valueToWrite(
    originals,
    leave(originals, 'idle', () => from),
    'replicas',
    from,
  );
  if (to === from) {
    if (from !== field.user) yield { kind: 'keep', object, why: `its ${from} replicas were set by another writer since it was idled` };
    return;
  }
  const resourceVersion = textAt(objectAt(head.wire, 'metadata'), 'resourceVersion');
  const target = {
    apiVersion: apiVersionOf(resource),
    plural: resource.plural,
    kind: resource.kind,
    namespace: head.namespace ?? '',
    name: head.name,
  };
  const writer = kubernetesEffectWriter(cluster.transport, UNINSTALL_MANAGER);
  yield {
    kind: 'change',
    object,
    change: `replicas ${from} → ${to}`,
    carryOut: (signal) => writer.write({ kind: 'scale', target, from, to, resourceVersion }, signal),
  };
}

/** The autoscaler's annotation is removed by another restorer. */
async function* findAutoscalers(
  cluster: ClusterAccess,
  { group, kind }: ApiResource,
  { name, namespace }: ObjectHead,
  period: IdlePeriod,
  signer: RecordSigner,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  for await (const hpa of cluster.list(HPAS, signal, { namespace: namespace ?? '' })) {
    const spec = objectAt(hpa.wire, 'spec');
    const target = objectAt(spec, 'scaleTargetRef');
    if (groupOfVersion(textAt(target, 'apiVersion')) !== group || textAt(target, 'kind') !== kind) continue;
    if (textAt(target, 'name') !== name) continue;
    const originals = readIdlePeriod(signer, HPAS, hpa, period);
    const from = numberAt(spec, 'minReplicas', 1);
    const to = valueToWrite(
      originals,
      leave(originals, 'idle', () => from),
      'minReplicas',
      from,
    );
    if (to === from) continue;
    yield {
      kind: 'change',
      object: nameOf(HPAS, hpa),
      change: `minReplicas ${from} → ${to}`,
      carryOut: (stop) => cluster.patch(HPAS, hpa, [{ op: 'add', path: '/spec/minReplicas', value: to }], stop),
    };
  }
}

const SOURCE = 'src/cli/uninstall/restorers/idle-workloads.ts';

export const IDLE_WORKLOADS: RestorerRegistration = {
  name: 'idle-workloads',
  permissions: SCALABLE.map((resource) => granted(['patch'], resource, SOURCE, 'restoring replicas that were lowered while idle', 'scale')),
  isEnabled: ({ restore }) => restore,
  followsRecords: true,
  create: ({ cluster, signer }) => idleWorkloadsRestorer(cluster, signer),
};
