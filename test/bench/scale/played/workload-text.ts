// JSON of workloads and ReplicaSets with the fields and the size of real ones.

import type { PlannedWorkload, WorkloadKind } from './cluster-plan.ts';
import { CREATED, emptyFields, fieldsOf, managed } from './managed-fields.ts';
import { podSpec } from './pod-spec.ts';
import type { PodOwner } from './pod-text.ts';
import { memberSlot, slot, TextTemplates, valueSlot } from './text-template.ts';

/** Replicas as a rollout changes them. */
export interface Replicas {
  readonly desired: number;
  readonly current: number;
  readonly updated: number;
  readonly ready: number;
}

interface WorkloadState {
  readonly workload: PlannedWorkload;
  readonly version: number;
  readonly generation: number;
  readonly replicas: Replicas;
  /** Revision of a StatefulSet or DaemonSet. */
  readonly hash: string;
  /** JSON of annotations that clients have written, each followed by a comma. */
  readonly annotations: string;
}

interface ReplicaSetState {
  readonly workload: PlannedWorkload;
  readonly owner: PodOwner;
  readonly revision: number;
  readonly version: number;
  readonly createdAt: string;
  readonly replicas: Replicas;
}

type Kind = WorkloadKind | 'ReplicaSet';

const SLOTS = [
  'name',
  'namespace',
  'workload',
  'uid',
  'version',
  'generation',
  'createdAt',
  'annotations',
  'revision',
  'owner',
  'desired',
  'status',
  'resources0',
  'resources1',
  'hash',
] as const;
type Slot = (typeof SLOTS)[number];

const templates = new TextTemplates<Kind, Slot>(workloadObject, SLOTS);

function workloadObject(kind: Kind, containers: readonly string[]): object {
  const containerFields = ['args', 'env', 'image', 'imagePullPolicy', 'name', 'ports', 'readinessProbe', 'resources', 'volumeMounts'];
  const specFields = {
    'f:replicas': {},
    'f:selector': {},
    'f:strategy': emptyFields(['rollingUpdate', 'type']),
    'f:template': {
      'f:metadata': { 'f:labels': emptyFields(['app']) },
      'f:spec': { 'f:containers': Object.fromEntries(containers.map((name) => [`k:{"name":"${name}"}`, emptyFields(containerFields)])) },
    },
  };
  const apps = { apiVersion: 'apps/v1' };
  return {
    kind,
    ...apps,
    metadata: {
      name: slot('name'),
      namespace: slot('namespace'),
      uid: slot('uid'),
      resourceVersion: slot('version'),
      generation: valueSlot('generation'),
      creationTimestamp: slot('createdAt'),
      labels: { app: slot('workload'), 'app.kubernetes.io/part-of': slot('namespace') },
      annotations: { ...memberSlot('annotations'), 'deployment.kubernetes.io/revision': slot('revision') },
      ...memberSlot('owner'),
      managedFields: [
        managed('deployer', { 'f:metadata': { 'f:labels': emptyFields(['app']) }, 'f:spec': specFields }, apps),
        managed('kube-controller-manager', { 'f:status': fieldsOf(['conditions', 'replicas']) }, { ...apps, subresource: 'status' }),
      ],
    },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: valueSlot('desired') }),
      selector: { matchLabels: { app: slot('workload') } },
      template: {
        metadata: { creationTimestamp: null, labels: { app: slot('workload'), 'pod-template-hash': slot('hash') } },
        spec: podSpec(containers),
      },
      ...(kind === 'Deployment' ? { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } } } : {}),
      ...(kind === 'StatefulSet' ? { serviceName: slot('workload'), updateStrategy: { type: 'RollingUpdate' } } : {}),
      ...(kind === 'DaemonSet' ? { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } } } : {}),
      revisionHistoryLimit: 10,
    },
    status: valueSlot('status'),
  };
}

export function workloadText({ workload, version, generation, replicas, hash, annotations }: WorkloadState): string {
  return print(workload.kind, workload, {
    name: workload.name,
    uid: workload.uid,
    version: String(version),
    generation: String(generation),
    createdAt: CREATED,
    annotations,
    revision: String(workload.replicaSets),
    owner: '',
    desired: String(replicas.desired),
    status: STATUS_TEXTS[workload.kind](replicas, generation, hash),
    hash,
  });
}

export function replicaSetText({ workload, owner, revision, version, createdAt, replicas }: ReplicaSetState): string {
  const ownerReference = { apiVersion: 'apps/v1', kind: 'Deployment', name: workload.name, uid: workload.uid, controller: true };
  return print('ReplicaSet', workload, {
    name: owner.name,
    uid: owner.uid,
    version: String(version),
    generation: '1',
    createdAt,
    annotations: `"deployment.kubernetes.io/desired-replicas":"${workload.replicas}","deployment.kubernetes.io/max-replicas":"${workload.replicas + 2}",`,
    revision: String(revision),
    owner: `"ownerReferences":${JSON.stringify([{ ...ownerReference, blockOwnerDeletion: true }])},`,
    desired: String(replicas.desired),
    status: `{"replicas":${replicas.current},"fullyLabeledReplicas":${replicas.current},"readyReplicas":${replicas.ready},"availableReplicas":${replicas.ready},"observedGeneration":1}`,
    hash: owner.hash,
  });
}

type Values = Readonly<Record<Exclude<Slot, 'namespace' | 'workload' | 'resources0' | 'resources1'>, string>>;

function print(kind: Kind, workload: PlannedWorkload, values: Values): string {
  const [first, second] = workload.containers.map(({ requests, limits }) => JSON.stringify({ limits, requests }));
  return templates
    .of(
      kind,
      workload.containers.map(({ name }) => name),
    )
    .text({ ...values, namespace: workload.namespace, workload: workload.name, resources0: first ?? '{}', resources1: second ?? '{}' });
}

type StatusText = (replicas: Replicas, generation: number, hash: string) => string;

const STATUS_TEXTS: Readonly<Record<WorkloadKind, StatusText>> = {
  Deployment: ({ current, updated, ready }, generation) =>
    `{"observedGeneration":${generation},"replicas":${current},"updatedReplicas":${updated},"readyReplicas":${ready},"availableReplicas":${ready},"conditions":[{"type":"Available","status":"True","lastUpdateTime":"${CREATED}","lastTransitionTime":"${CREATED}","reason":"MinimumReplicasAvailable","message":"Deployment has minimum availability."}]}`,
  StatefulSet: ({ current, updated, ready }, generation, hash) =>
    `{"observedGeneration":${generation},"replicas":${current},"readyReplicas":${ready},"currentReplicas":${current},"updatedReplicas":${updated},"currentRevision":"${hash}","updateRevision":"${hash}","collisionCount":0,"availableReplicas":${ready}}`,
  DaemonSet: ({ current, updated, ready }, generation) =>
    `{"currentNumberScheduled":${current},"numberMisscheduled":0,"desiredNumberScheduled":${current},"numberReady":${ready},"observedGeneration":${generation},"updatedNumberScheduled":${updated},"numberAvailable":${ready}}`,
};
