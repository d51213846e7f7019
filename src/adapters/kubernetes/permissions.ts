// What Evenkeel asks of the API server, as RBAC names it. The roles in charts/ and config/ grant exactly this, and tests hold
// both to what running binaries are seen to ask: a request without a row is refused by the API server, and a row that no
// request needs fails the build.

import { PAUSE_CONFIG_MAP } from '../../apis/annotations.ts';
import type { EffectKind } from '../../core/effects/effect.ts';
import { POLICY_KINDS } from '../../core/policies/policy-kinds.ts';
import * as resources from './resources.ts';
import { ownResource, type ApiResource } from './resources.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** Which installations need it: all, or those with the named choice of the chart's. */
export type GrantedWhen =
  | 'always'
  | 'rbac.effects'
  | 'rbac.kubelets'
  | 'config.kubelet.viaProxy: false'
  | 'config.kubelet.viaProxy'
  | 'config.crds.install'
  | 'config.controller.admission.enabled';

export interface Permission {
  readonly resource: Pick<ApiResource, 'group' | 'plural'>;
  readonly subresource?: string;
  readonly verbs: readonly Verb[];
  /** `own`: in Evenkeel's own namespace alone. */
  readonly scope: 'cluster' | 'own';
  /** The only objects by these names; absent: any. */
  readonly names?: readonly string[];
  readonly when: GrantedWhen;
  readonly why: string;
  /** The code that asks, from the root of the checkout. */
  readonly by: string;
}

/** By which the controller's replicas elect their leader. */
export const CONTROLLER_LEASE = 'evenkeel-controller';
const INFORMERS = 'src/adapters/kubernetes/informers.ts';
const EFFECTS = 'src/adapters/kubernetes/effect-writer.ts';
const RECORDS = 'src/adapters/kubernetes/record-writer.ts';
const CRDS = 'src/adapters/kubernetes/crd-installer.ts';
const LEASES = 'src/adapters/kubernetes/lease-store.ts';
const WEBHOOK = 'src/adapters/admission/webhook-configuration.ts';
const CERTIFICATE = 'src/adapters/admission/certificate-secret.ts';
const RECORD_KEY = 'src/adapters/kubernetes/record-key.ts';
const RECORD_KEY_SECRET = 'evenkeel-record-key';
const ADMISSION = 'evenkeel-admission';
const EVENTS = 'src/adapters/kubernetes/event-recorder.ts';
const KUBELETS = 'src/adapters/kubelet/kubelet-fetcher.ts';
const KUBELET_TOKEN = 'src/adapters/kubelet/kubelet-token.ts';
/** ServiceAccount of Evenkeel's own namespace whose tokens kubelets are sent. */
export const KUBELET_READER = 'evenkeel-kubelet-reader';
const METRICS_SERVER = 'src/adapters/metricsserver/metrics-server-usage-source.ts';

const WORKLOADS = [
  resources.DEPLOYMENTS,
  resources.STATEFUL_SETS,
  resources.DAEMON_SETS,
  resources.REPLICA_SETS,
  resources.JOBS,
  resources.CRON_JOBS,
];
/** Kinds whose replicas idle mode may lower. */
const SCALABLE = [resources.DEPLOYMENTS, resources.STATEFUL_SETS, resources.REPLICA_SETS];
const POLICIES = ownResource('podresizepolicies');
const RECOMMENDATIONS = ownResource('recommendations');

function watched(resource: ApiResource, why: string): Permission {
  return { resource, verbs: ['list', 'watch'], scope: 'cluster', when: 'always', why, by: INFORMERS };
}

/** What each kind of effect asks of the API server. The row of a restart is that of annotations on workloads, too. */
export const EFFECT_PERMISSIONS: Readonly<Record<EffectKind, readonly Permission[]>> = {
  resize: [
    {
      resource: resources.PODS,
      verbs: ['get'],
      scope: 'cluster',
      when: 'always',
      why: 'a resize is made from the pod as it is at that moment; in dry-run, too',
      by: EFFECTS,
    },
    {
      resource: resources.PODS,
      subresource: 'resize',
      verbs: ['patch'],
      scope: 'cluster',
      when: 'rbac.effects',
      why: 'resizing pods in place; in dry-run, having that validated',
      by: EFFECTS,
    },
  ],
  evict: [
    {
      resource: resources.PODS,
      subresource: 'eviction',
      verbs: ['create'],
      scope: 'cluster',
      when: 'rbac.effects',
      why: 'a pod that cannot be resized where it is, in policies with apply: InPlaceOrEvict; disruption budgets hold',
      by: EFFECTS,
    },
  ],
  patchHpa: [
    {
      resource: resources.HPAS,
      verbs: ['patch'],
      scope: 'cluster',
      when: 'rbac.effects',
      why: 'utilization targets that move with the request (hpa: Preserve), and the note of what they were; minReplicas while idle (idle.replicas); in dry-run, having that validated',
      by: EFFECTS,
    },
  ],
  scale: SCALABLE.map((resource): Permission => ({
    resource,
    subresource: 'scale',
    verbs: ['patch'],
    scope: 'cluster',
    when: 'rbac.effects',
    why: 'fewer replicas while idle, in policies with idle.replicas, and back; in dry-run, having that validated',
    by: EFFECTS,
  })),
  restart: WORKLOADS.map((resource): Permission => ({
    resource,
    verbs: ['patch'],
    scope: 'cluster',
    when: 'rbac.effects',
    why: 'annotations under evenkeel.io/: what a person set (mode, floor, ceiling, exclude, …) and what was done; and of the template kubectl.kubernetes.io/restartedAt, where a person asked for a reset',
    by: RECORDS,
  })),
};

/** Of the controller's ServiceAccount. */
export const CONTROLLER_PERMISSIONS: readonly Permission[] = [
  watched(resources.PODS, 'requests, limits, states and owners of what runs'),
  watched(resources.NODES, 'capacity, prices, and the addresses of kubelets'),
  watched(resources.NAMESPACES, 'policies choose by namespaces and their labels'),
  watched(resources.LIMIT_RANGES, 'what is recommended must be admitted'),
  watched(resources.RESOURCE_QUOTAS, 'what is recommended must fit'),
  ...WORKLOADS.map((resource) => watched(resource, 'templates, replicas, roll-outs and annotations of workloads')),
  watched(resources.HPAS, 'their targets move with the requests, so that the replicas stay'),
  watched(resources.VPAS, 'workloads that a VerticalPodAutoscaler sizes are left to it'),
  watched(resources.SCALED_OBJECTS, 'autoscalers that KEDA keeps are left to it'),
  watched(resources.DISRUPTION_BUDGETS, 'what may be disrupted, for the health score and before evictions'),
  ...resources.OWN_RESOURCES.map((resource) => watched(resource, "Evenkeel's own kinds")),

  ...Object.values(EFFECT_PERMISSIONS).flat(),

  {
    resource: RECOMMENDATIONS,
    verbs: ['create', 'patch', 'delete'],
    scope: 'cluster',
    when: 'always',
    why: 'one object a workload, made by server-side apply; approvals and the like; taken back where a mode publishes none',
    by: RECORDS,
  },
  {
    resource: RECOMMENDATIONS,
    subresource: 'status',
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'what is recommended and what came of it',
    by: RECORDS,
  },
  {
    resource: POLICIES,
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'the annotations evenkeel.io/trigger (a person asked for a cycle now) and evenkeel.io/overrides (for a while)',
    by: RECORDS,
  },
  ...POLICY_KINDS.filter(({ overridable, plural }) => overridable && plural !== POLICIES.plural).map(({ plural }): Permission => ({
    resource: ownResource(plural),
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'the annotation evenkeel.io/overrides: a person has overridden a field for a while',
    by: RECORDS,
  })),
  {
    resource: POLICIES,
    subresource: 'status',
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'what a policy governs and what its last cycle did',
    by: RECORDS,
  },
  {
    resource: resources.EVENTS,
    verbs: ['create', 'patch'],
    scope: 'cluster',
    when: 'always',
    why: 'Events beside the objects that they are about; patch counts repetitions',
    by: EVENTS,
  },

  {
    resource: resources.SERVICE_ACCOUNTS,
    subresource: 'token',
    verbs: ['create'],
    scope: 'own',
    names: [KUBELET_READER],
    when: 'rbac.kubelets',
    why: "what kubelets are sent instead of the controller's own token: one that reads nodes' metrics alone, for ten minutes",
    by: KUBELET_TOKEN,
  },
  {
    resource: resources.NODES,
    subresource: 'proxy',
    verbs: ['get'],
    scope: 'cluster',
    when: 'config.kubelet.viaProxy',
    why: 'the same through the API server, where kubelets cannot be reached: a far-reaching permission',
    by: KUBELETS,
  },
  ...[resources.POD_METRICS, resources.NODE_METRICS].map((resource): Permission => ({
    resource,
    verbs: ['list'],
    scope: 'cluster',
    when: 'config.kubelet.viaProxy: false',
    why: 'usage from metrics-server, where kubelets may not be asked or the certificates of most of them are not trusted',
    by: METRICS_SERVER,
  })),

  {
    resource: resources.CUSTOM_RESOURCE_DEFINITIONS,
    verbs: ['get', 'create', 'patch'],
    scope: 'cluster',
    names: resources.OWN_RESOURCES.map(({ plural, group }) => `${plural}.${group}`).sort(),
    when: 'config.crds.install',
    why: "Evenkeel's own definitions, by server-side apply at each start; no others",
    by: CRDS,
  },
  {
    resource: resources.MUTATING_WEBHOOKS,
    verbs: ['delete'],
    scope: 'cluster',
    names: [ADMISSION],
    when: 'always',
    why: 'what an earlier run with controller.admission.enabled announced, taken away where that is off',
    by: WEBHOOK,
  },
  {
    resource: resources.MUTATING_WEBHOOKS,
    verbs: ['create', 'patch'],
    scope: 'cluster',
    names: [ADMISSION],
    when: 'config.controller.admission.enabled',
    why: 'our one webhook, by server-side apply; no others',
    by: WEBHOOK,
  },
  {
    resource: resources.SECRETS,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: "the key of records, and the webhook's certificate; a name cannot be asked for where an object is made by POST",
    by: RECORD_KEY,
  },
  {
    resource: resources.SECRETS,
    verbs: ['get'],
    scope: 'own',
    names: [RECORD_KEY_SECRET],
    when: 'always',
    why: 'the key by which Evenkeel knows the records that it wrote on workloads and autoscalers',
    by: RECORD_KEY,
  },
  {
    resource: resources.SECRETS,
    verbs: ['get', 'update'],
    scope: 'own',
    names: [ADMISSION],
    when: 'config.controller.admission.enabled',
    why: "the webhook's certificate, shared by all replicas and renewed by the leader",
    by: CERTIFICATE,
  },
  {
    resource: resources.LEASES,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: 'leader election; a name cannot be asked for where an object is made by POST',
    by: LEASES,
  },
  {
    resource: resources.LEASES,
    verbs: ['get', 'update'],
    scope: 'own',
    names: [CONTROLLER_LEASE],
    when: 'always',
    why: 'leader election',
    by: LEASES,
  },
  {
    resource: resources.LEASES,
    verbs: ['get'],
    scope: 'own',
    names: ['evenkeel-autoscaler'],
    when: 'always',
    why: 'pace Hourly is in force only while evenkeel-autoscaler holds it',
    by: LEASES,
  },
  {
    resource: resources.CONFIG_MAPS,
    verbs: ['list', 'watch'],
    scope: 'own',
    names: [PAUSE_CONFIG_MAP],
    when: 'always',
    why: 'the kill switch',
    by: INFORMERS,
  },
];

/** Of the ServiceAccount whose tokens kubelets are sent. No pod runs as it. */
export const KUBELET_READER_PERMISSIONS: readonly Permission[] = [
  {
    resource: resources.NODES,
    subresource: 'metrics',
    verbs: ['get'],
    scope: 'cluster',
    when: 'rbac.kubelets',
    why: "usage, throttling and OOM events of containers; asked of each node's kubelet, which asks the API server whether that may be",
    by: KUBELETS,
  },
  {
    resource: resources.NODES,
    subresource: 'stats',
    verbs: ['get'],
    scope: 'cluster',
    when: 'rbac.kubelets',
    why: "usage of volumes, pressure of containers; asked of each node's kubelet, which asks the API server whether that may be",
    by: KUBELETS,
  },
];
