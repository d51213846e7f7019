// JSON of a pod with the fields and the size of a real one, managedFields included.

import type { PlannedWorkload, WorkloadKind } from './cluster-plan.ts';
import { emptyFields, fieldsOf, managed } from './managed-fields.ts';
import { podSpec } from './pod-spec.ts';
import { itemSlot, memberSlot, slot, TextTemplates, valueSlot } from './text-template.ts';

export interface PodOwner {
  readonly name: string;
  readonly uid: string;
  /** `pod-template-hash`, or the revision of a StatefulSet or DaemonSet. */
  readonly hash: string;
}

/** The state of a pod that its JSON depends on. */
export interface PodState {
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly generation: number;
  readonly workload: PlannedWorkload;
  readonly owner: PodOwner;
  readonly createdAt: string;
  /** null: not bound. */
  readonly node: string | null;
  readonly ip: string;
  /** null: not running. */
  readonly startedAt: string | null;
  readonly deletedAt: string | null;
  /** JSON of `resources` by container, in the order of the workload's containers. */
  readonly resources: readonly string[];
  /** JSON of `resources` that the kubelet reports. */
  readonly actual: readonly string[];
  readonly resizedAt: string | null;
  /** OOM kills of the first container, and the time of the last; the container restarts at once. */
  readonly kills: number;
  readonly killedAt: string | null;
}

const SLOTS = [
  'name',
  'namespace',
  'workload',
  'uid',
  'version',
  'generation',
  'createdAt',
  'deletion',
  'ownerName',
  'ownerUid',
  'hash',
  'binding',
  'resources0',
  'resources1',
  'resize',
  'status',
] as const;
type Slot = (typeof SLOTS)[number];

const OWNER_KINDS = { Deployment: 'ReplicaSet', StatefulSet: 'StatefulSet', DaemonSet: 'DaemonSet' } as const;
const templates = new TextTemplates<WorkloadKind, Slot>(podObject, SLOTS);

function podObject(kind: WorkloadKind, containers: readonly string[]): object {
  const containerFields = ['args', 'env', 'image', 'imagePullPolicy', 'name', 'ports', 'readinessProbe', 'resizePolicy', 'resources'];
  const ownedFields = {
    'f:metadata': { 'f:generateName': {}, 'f:labels': emptyFields(['app', 'pod-template-hash']), 'f:ownerReferences': { '.': {} } },
    'f:spec': {
      'f:containers': Object.fromEntries(containers.map((name) => [`k:{"name":"${name}"}`, emptyFields(containerFields)])),
      ...emptyFields([
        'dnsPolicy',
        'restartPolicy',
        'schedulerName',
        'securityContext',
        'serviceAccount',
        'topologySpreadConstraints',
        'volumes',
      ]),
    },
  };
  const statusFields = fieldsOf(['conditions', 'containerStatuses', 'hostIP', 'phase', 'podIP', 'podIPs', 'startTime']);
  const template = podSpec(containers);
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: slot('name'),
      generateName: `${slot('workload')}-`,
      namespace: slot('namespace'),
      uid: slot('uid'),
      resourceVersion: slot('version'),
      generation: valueSlot('generation'),
      creationTimestamp: slot('createdAt'),
      ...memberSlot('deletion'),
      labels: { app: slot('workload'), 'app.kubernetes.io/part-of': slot('namespace'), 'pod-template-hash': slot('hash') },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: OWNER_KINDS[kind],
          name: slot('ownerName'),
          uid: slot('ownerUid'),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        managed('kube-controller-manager', ownedFields),
        managed('kubelet', { 'f:status': statusFields }, { subresource: 'status' }),
        itemSlot('resize'),
      ],
    },
    spec: {
      ...memberSlot('binding'),
      ...template,
      tolerations: ['not-ready', 'unreachable'].map((name) => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: valueSlot('status'),
  };
}

export function podText(pod: PodState): string {
  const { workload, owner, deletedAt, node } = pod;
  return templates
    .of(
      workload.kind,
      workload.containers.map(({ name }) => name),
    )
    .text({
      name: pod.name,
      namespace: workload.namespace,
      workload: workload.name,
      uid: pod.uid,
      version: String(pod.version),
      generation: String(pod.generation),
      createdAt: pod.createdAt,
      deletion: deletedAt === null ? '' : `"deletionTimestamp":"${deletedAt}","deletionGracePeriodSeconds":30,`,
      ownerName: owner.name,
      ownerUid: owner.uid,
      hash: owner.hash,
      binding: node === null ? '' : `"nodeName":"${node}",`,
      resources0: pod.resources[0] ?? '{}',
      resources1: pod.resources[1] ?? '{}',
      resize: pod.resizedAt === null ? '' : resizeEntry(pod.resizedAt),
      status: pod.startedAt === null ? pendingStatus(pod) : runningStatus(pod, pod.startedAt),
    });
}

function resizeEntry(at: string): string {
  return `,{"manager":"evenkeel-controller","operation":"Update","apiVersion":"v1","time":"${at}","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:containers":{}}},"subresource":"resize"}`;
}

function pendingStatus({ node, createdAt }: PodState): string {
  return node === null
    ? '{"phase":"Pending","qosClass":"Burstable"}'
    : `{"phase":"Pending","conditions":[${condition('PodScheduled', 'True', createdAt)}],"qosClass":"Burstable"}`;
}

function runningStatus(pod: PodState, startedAt: string): string {
  const ready = pod.deletedAt === null ? 'True' : 'False';
  const conditions = [
    condition('PodReadyToStartContainers', 'True', startedAt),
    condition('Initialized', 'True', startedAt),
    condition('Ready', ready, startedAt),
    condition('ContainersReady', ready, startedAt),
    condition('PodScheduled', 'True', pod.createdAt),
  ];
  const containers = pod.workload.containers.map((_, index) => containerStatus(pod, index, pod.actual[index] ?? '{}', startedAt));
  return `{"phase":"Running","conditions":[${conditions.join()}],"hostIP":"10.1.0.1","hostIPs":[{"ip":"10.1.0.1"}],"podIP":"${pod.ip}","podIPs":[{"ip":"${pod.ip}"}],"startTime":"${startedAt}","containerStatuses":[${containers.join()}],"qosClass":"Burstable"}`;
}

function condition(type: string, status: string, at: string): string {
  return `{"type":"${type}","status":"${status}","lastProbeTime":null,"lastTransitionTime":"${at}"}`;
}

function containerStatus(pod: PodState, index: number, resources: string, startedAt: string): string {
  const { uid, workload, kills, killedAt } = pod;
  const name = workload.containers[index]?.name ?? '';
  const id = uid.replaceAll('-', '').repeat(2);
  const image = `registry.example.com/${workload.namespace}/${workload.name}-${name}`;
  const killed = index === 0 ? killedAt : null;
  const last =
    killed === null
      ? ''
      : `"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"${startedAt}","finishedAt":"${killed}","containerID":"containerd://${id}"}`;
  return `{"name":"${name}","state":{"running":{"startedAt":"${killed ?? startedAt}"}},"lastState":{${last}},"ready":true,"restartCount":${killed === null ? 0 : kills},"image":"${image}:1.42.0","imageID":"${image}@sha256:${id}","containerID":"containerd://${id}","started":true,${allocatedOf(resources)}"resources":${resources},"user":{"linux":{"uid":1000,"gid":1000,"supplementalGroups":[1000]}}}`;
}

function allocatedOf(resources: string): string {
  const requests = /"requests":(\{[^}]*\})/.exec(resources)?.[1];
  return requests === undefined ? '' : `"allocatedResources":${requests},`;
}
