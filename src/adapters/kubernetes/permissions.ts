// What Evenkeel asks of the API server, as RBAC names it. The roles in charts/ and config/ grant exactly this, and tests hold
// both to what running binaries are seen to ask: a request without a row is refused by the API server, and a row that no
// request needs fails the build.

import { PAUSE_CONFIG_MAP } from '../../apis/annotations.ts';
import type { EffectKind } from '../../core/effects/effect.ts';
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

const LEASE = 'evenkeel-controller';
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

const STANDSTILL = 'src/cli/uninstall/standstill.ts';
const POD_SIZES = 'src/cli/uninstall/restorers/pod-sizes.ts';
const IDLE_WORKLOADS = 'src/cli/uninstall/restorers/idle-workloads.ts';
const TEMPLATES = 'src/cli/uninstall/restorers/templates.ts';
const ANNOTATIONS = 'src/cli/uninstall/restorers/annotations.ts';
const AUTOSCALERS = 'src/cli/uninstall/restorers/autoscalers.ts';
const NODE_TRACES = 'src/cli/uninstall/restorers/nodes.ts';
const ADMISSION_TRACES = 'src/cli/uninstall/restorers/admission.ts';
const OWN_OBJECTS = 'src/cli/uninstall/restorers/own-objects.ts';

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
/** Deployments own pods by their ReplicaSets, CronJobs by their Jobs. */
const OWNERS_OF_PODS = [resources.REPLICA_SETS, resources.STATEFUL_SETS, resources.DAEMON_SETS, resources.JOBS];
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
  ...['nodescalingpolicies', 'rebalancepolicies'].map((plural): Permission => ({
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
    names: [LEASE],
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

/** Objects of these kinds go at an uninstall; of NodeScalingPolicies the implied one. */
const MADE_BY_EVENKEEL = ['recommendations', 'rebalanceruns', 'nodescalingpolicies'];
const MADE_BY_PEOPLE = ['podresizepolicies', 'nodescalingpolicies', 'rebalancepolicies', 'scheduledscalepolicies', 'accesspolicies'];

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

/** For what an uninstall does once. */
function once(verbs: readonly Verb[], resource: ApiResource, by: string, why: string, subresource?: string): Permission {
  return { resource, ...(subresource === undefined ? {} : { subresource }), verbs, scope: 'cluster', when: 'always', why, by };
}

/** Of the ServiceAccount of the chart's pre-delete hook, which runs `evenkeel uninstall --restore`. */
export const UNINSTALL_PERMISSIONS: readonly Permission[] = [
  once(['get', 'list'], resources.PODS, POD_SIZES, 'which pods have other sizes than their templates'),
  once(['patch'], resources.PODS, POD_SIZES, 'those sizes put back, in place', 'resize'),
  once(['list'], resources.LIMIT_RANGES, POD_SIZES, 'defaults that a template leaves to its namespace'),
  ...WORKLOADS.map((resource) => once(['list', 'patch'], resource, ANNOTATIONS, "Evenkeel's annotations taken away, nothing else touched")),
  ...OWNERS_OF_PODS.map((resource) => once(['get'], resource, TEMPLATES, 'the templates that pods were made from')),
  once(['get'], resources.CONTROLLER_REVISIONS, TEMPLATES, 'older templates of StatefulSets and DaemonSets'),
  ...SCALABLE.map((resource) => once(['patch'], resource, IDLE_WORKLOADS, 'replicas that were lowered while idle put back', 'scale')),
  once(
    ['list', 'patch'],
    resources.HPAS,
    AUTOSCALERS,
    'targets that followed the requests, and minReplicas that were lowered while idle, put back where they were',
  ),
  once(['list', 'patch'], resources.NODES, NODE_TRACES, "Evenkeel's own taints, cordons and annotations taken away"),
  ...resources.OWN_RESOURCES.map((resource) => once(['list', 'patch'], resource, OWN_OBJECTS, 'set free of finalizers and annotations')),
  ...MADE_BY_PEOPLE.map((plural) =>
    once(['patch'], ownResource(plural), OWN_OBJECTS, 'a status that nobody keeps true is cleared', 'status'),
  ),
  ...MADE_BY_EVENKEEL.map((plural) =>
    once(['delete'], ownResource(plural), OWN_OBJECTS, 'what Evenkeel made itself goes; what people wrote stays'),
  ),
  {
    resource: resources.MUTATING_WEBHOOKS,
    verbs: ['get', 'delete'],
    scope: 'cluster',
    names: [ADMISSION],
    when: 'always',
    why: "the admission webhook's configuration goes: nobody answers any more",
    by: ADMISSION_TRACES,
  },
  {
    resource: resources.SECRETS,
    verbs: ['get', 'delete'],
    scope: 'own',
    names: [ADMISSION, RECORD_KEY_SECRET],
    when: 'always',
    why: 'its certificate goes, and the key of records once all that they tell of is put back',
    by: ADMISSION_TRACES,
  },
  {
    resource: resources.CONFIG_MAPS,
    verbs: ['get', 'create', 'patch', 'delete'],
    scope: 'own',
    names: [PAUSE_CONFIG_MAP],
    when: 'always',
    why: 'controllers stand still meanwhile: the kill switch; one that a person set stays',
    by: STANDSTILL,
  },
  {
    resource: resources.LEASES,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: 'a lease that nobody holds yet; a name cannot be asked for where an object is made by POST',
    by: STANDSTILL,
  },
  {
    resource: resources.LEASES,
    verbs: ['get', 'patch', 'delete'],
    scope: 'own',
    names: [LEASE],
    when: 'always',
    why: 'controllers stand still meanwhile: the lease is taken from them',
    by: STANDSTILL,
  },
];
