// Evenkeel's RBAC permissions. The roles in charts/ and config/ grant exactly these, and tests compare both with the requests of running
// binaries: the API server refuses a request without a row, and a row without a request fails the build.

import { PAUSE_CONFIG_MAP } from '../../../apis/annotations.ts';
import type { EffectKind } from '../../../core/effects/effect.ts';
import { POLICY_KINDS } from '../../../core/policies/policy-kinds.ts';
import * as resources from '../resources.ts';
import { ownResource, type ApiResource } from '../resources.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** Installations that need it: all, or those with this chart value. */
export type GrantedWhen =
  | 'always'
  | 'rbac.effects'
  | 'rbac.kubelets'
  | 'config.kubelet.viaProxy: false'
  | 'config.kubelet.viaProxy'
  | 'config.crds.install'
  | 'config.controller.admission.enabled'
  | 'config.auth.enabled';

export interface Permission {
  readonly resource: Pick<ApiResource, 'group' | 'plural'>;
  readonly subresource?: string;
  readonly verbs: readonly Verb[];
  /** `own`: only in Evenkeel's namespace. */
  readonly scope: 'cluster' | 'own';
  /** Names of the only objects; absent: any. */
  readonly names?: readonly string[];
  readonly when: GrantedWhen;
  /** Reason, for docs/rbac.md. */
  readonly why: string;
  /** Source file of the request, relative to the repository root. */
  readonly by: string;
}

/** Lease of the leader election of the controller's replicas. */
export const CONTROLLER_LEASE = 'evenkeel-controller';
const INFORMERS = 'src/adapters/kubernetes/watch/informers.ts';
const EFFECTS = 'src/adapters/kubernetes/write/effect-writer.ts';
const RECORDS = 'src/adapters/kubernetes/write/record-writer.ts';
const CRDS = 'src/adapters/kubernetes/write/crd-installer.ts';
const LEASES = 'src/adapters/kubernetes/write/lease-store.ts';
const WEBHOOK = 'src/adapters/admission/webhook-configuration.ts';
const CERTIFICATE = 'src/adapters/admission/certificate-secret.ts';
const RECORD_KEY = 'src/adapters/kubernetes/write/record-key.ts';
const RECORD_KEY_SECRET = 'evenkeel-record-key';
const ACCESS_SECRETS = 'src/adapters/kubernetes/credentials/access-secrets.ts';
const ACCESS_STORE = 'src/adapters/kubernetes/credentials/access-store.ts';
const REPLICA_LEASES = 'src/adapters/kubernetes/credentials/replica-leases.ts';
const ACCESS_CREATOR = 'src/adapters/kubernetes/credentials/access-creator.ts';
const ADMISSION = 'evenkeel-admission';
const EVENTS = 'src/adapters/kubernetes/write/event-recorder.ts';
const KUBELETS = 'src/adapters/kubelet/kubelet-fetcher.ts';
const KUBELET_TOKEN = 'src/adapters/kubelet/kubelet-token.ts';
/** ServiceAccount in Evenkeel's namespace whose tokens are sent to kubelets. */
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
const ACCESS_POLICIES = ownResource('accesspolicies');

function watched(resource: ApiResource, why: string): Permission {
  return { resource, verbs: ['list', 'watch'], scope: 'cluster', when: 'always', why, by: INFORMERS };
}

/** Permissions of each kind of effect. The rows of `restart` also cover annotations on workloads. */
export const EFFECT_PERMISSIONS: Readonly<Record<EffectKind, readonly Permission[]>> = {
  resize: [
    {
      resource: resources.PODS,
      verbs: ['get'],
      scope: 'cluster',
      when: 'always',
      why: 'the current pod, from which a resize patch is built; in dry-run as well',
      by: EFFECTS,
    },
    {
      resource: resources.PODS,
      subresource: 'resize',
      verbs: ['patch'],
      scope: 'cluster',
      when: 'rbac.effects',
      why: 'resizing pods in place; in dry-run, validating it',
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
      why: 'evicting a pod that cannot be resized in place, in policies with apply: InPlaceOrEvict; disruption budgets apply',
      by: EFFECTS,
    },
  ],
  patchHpa: [
    {
      resource: resources.HPAS,
      verbs: ['patch'],
      scope: 'cluster',
      when: 'rbac.effects',
      why: 'utilization targets that follow the request (hpa: Preserve), and the record of the original values; minReplicas while idle (idle.replicas); in dry-run, validating it',
      by: EFFECTS,
    },
  ],
  scale: SCALABLE.map((resource): Permission => ({
    resource,
    subresource: 'scale',
    verbs: ['patch'],
    scope: 'cluster',
    when: 'rbac.effects',
    why: 'scaling down while idle, in policies with idle.replicas, and restoring; in dry-run, validating it',
    by: EFFECTS,
  })),
  restart: WORKLOADS.map((resource): Permission => ({
    resource,
    verbs: ['patch'],
    scope: 'cluster',
    when: 'rbac.effects',
    why: 'annotations under evenkeel.io/: user settings (mode, floor, ceiling, exclude, …) and applied changes; and kubectl.kubernetes.io/restartedAt of the template, where a user requested a reset',
    by: RECORDS,
  })),
};

/** Permissions of the controller's ServiceAccount. */
export const CONTROLLER_PERMISSIONS: readonly Permission[] = [
  watched(resources.PODS, 'requests, limits, states and owners of running pods'),
  watched(resources.NODES, 'capacity, prices, and the addresses of kubelets'),
  watched(resources.NAMESPACES, 'policies select by namespaces and their labels'),
  watched(resources.LIMIT_RANGES, 'recommendations must satisfy limit ranges'),
  watched(resources.RESOURCE_QUOTAS, 'recommendations must fit quotas'),
  ...WORKLOADS.map((resource) => watched(resource, 'templates, replicas, roll-outs and annotations of workloads')),
  watched(resources.HPAS, 'targets follow the requests, so that the replica count stays'),
  watched(resources.VPAS, 'workloads sized by a VerticalPodAutoscaler are not changed'),
  watched(resources.SCALED_OBJECTS, 'autoscalers managed by KEDA are not changed'),
  watched(resources.DISRUPTION_BUDGETS, 'allowed disruptions, for the health score and before evictions'),
  ...resources.OWN_RESOURCES.map((resource) => watched(resource, "Evenkeel's custom resources")),

  ...Object.values(EFFECT_PERMISSIONS).flat(),

  {
    resource: RECOMMENDATIONS,
    verbs: ['create', 'patch', 'delete'],
    scope: 'cluster',
    when: 'always',
    why: 'one object per workload, by server-side apply; approvals and other user requests; deletion where a mode publishes none',
    by: RECORDS,
  },
  {
    resource: RECOMMENDATIONS,
    subresource: 'status',
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'recommendations and their outcomes',
    by: RECORDS,
  },
  {
    resource: POLICIES,
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'the annotations evenkeel.io/trigger (a cycle requested by a user) and evenkeel.io/overrides (temporary overrides)',
    by: RECORDS,
  },
  ...POLICY_KINDS.filter(({ overridable, plural }) => overridable && plural !== POLICIES.plural).map(({ plural }): Permission => ({
    resource: ownResource(plural),
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'the annotation evenkeel.io/overrides: temporary overrides by users',
    by: RECORDS,
  })),
  {
    resource: POLICIES,
    subresource: 'status',
    verbs: ['patch'],
    scope: 'cluster',
    when: 'always',
    why: 'the workloads of a policy and the results of its last cycle',
    by: RECORDS,
  },
  {
    resource: resources.EVENTS,
    verbs: ['create', 'patch'],
    scope: 'cluster',
    when: 'always',
    why: 'Events about changed objects; patch counts repetitions',
    by: EVENTS,
  },

  {
    resource: resources.SERVICE_ACCOUNTS,
    subresource: 'token',
    verbs: ['create'],
    scope: 'own',
    names: [KUBELET_READER],
    when: 'rbac.kubelets',
    why: "the token sent to kubelets instead of the controller's own: it only reads node metrics, for ten minutes",
    by: KUBELET_TOKEN,
  },
  {
    resource: resources.NODES,
    subresource: 'proxy',
    verbs: ['get'],
    scope: 'cluster',
    when: 'config.kubelet.viaProxy',
    why: 'the same through the API server, where kubelets cannot be reached directly: a broad permission',
    by: KUBELETS,
  },
  ...[resources.POD_METRICS, resources.NODE_METRICS].map((resource): Permission => ({
    resource,
    verbs: ['list'],
    scope: 'cluster',
    when: 'config.kubelet.viaProxy: false',
    why: 'usage from metrics-server, where kubelets may not be read or most of their certificates are not trusted',
    by: METRICS_SERVER,
  })),

  {
    resource: resources.CUSTOM_RESOURCE_DEFINITIONS,
    verbs: ['get', 'create', 'patch'],
    scope: 'cluster',
    names: resources.OWN_RESOURCES.map(({ plural, group }) => `${plural}.${group}`).sort(),
    when: 'config.crds.install',
    why: "Evenkeel's CRDs, by server-side apply at each start; no others",
    by: CRDS,
  },
  {
    resource: resources.MUTATING_WEBHOOKS,
    verbs: ['delete'],
    scope: 'cluster',
    names: [ADMISSION],
    when: 'always',
    why: 'removing the webhook of an earlier run with controller.admission.enabled, where that is disabled',
    by: WEBHOOK,
  },
  {
    resource: resources.MUTATING_WEBHOOKS,
    verbs: ['create', 'patch'],
    scope: 'cluster',
    names: [ADMISSION],
    when: 'config.controller.admission.enabled',
    why: 'the webhook of Evenkeel, by server-side apply; no others',
    by: WEBHOOK,
  },
  {
    resource: resources.SECRETS,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: "the record key, the webhook's certificate, and with auth.enabled session keys and API keys; RBAC cannot restrict create by name",
    by: RECORD_KEY,
  },
  {
    resource: resources.SECRETS,
    verbs: ['get'],
    scope: 'own',
    names: [RECORD_KEY_SECRET],
    when: 'always',
    why: 'the key that authenticates the records that Evenkeel writes on workloads and autoscalers',
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
    resource: resources.SECRETS,
    verbs: ['get'],
    scope: 'own',
    names: ['evenkeel-ended-sessions', 'evenkeel-local-admin', 'evenkeel-session-keys'],
    when: 'config.auth.enabled',
    why: 'the keys of session cookies, sessions that ended, and the password hash of the local admin',
    by: ACCESS_SECRETS,
  },
  {
    resource: resources.SECRETS,
    verbs: ['list', 'watch', 'patch', 'delete'],
    scope: 'own',
    when: 'config.auth.enabled',
    why: 'API keys, a Secret each under a random name, and ended sessions; RBAC can restrict neither by label nor by prefix',
    by: ACCESS_STORE,
  },
  {
    resource: ACCESS_POLICIES,
    verbs: ['get', 'patch'],
    scope: 'cluster',
    names: ['default'],
    when: 'config.auth.enabled',
    why: 'the grants in effect, confirmed every five seconds, and their changes by admins through the API',
    by: ACCESS_STORE,
  },
  {
    resource: ACCESS_POLICIES,
    subresource: 'status',
    verbs: ['patch'],
    scope: 'cluster',
    names: ['default'],
    when: 'config.auth.enabled',
    why: 'access requests, counts and conditions',
    by: ACCESS_STORE,
  },
  {
    resource: ACCESS_POLICIES,
    verbs: ['create'],
    scope: 'cluster',
    when: 'config.auth.enabled',
    why: 'the grant of auth.initialAdmin, where no AccessPolicy exists; RBAC cannot restrict create by name',
    by: ACCESS_CREATOR,
  },
  {
    resource: resources.LEASES,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: 'leader election, and with auth.enabled a Lease for each replica; RBAC cannot restrict create by name',
    by: LEASES,
  },
  {
    resource: resources.LEASES,
    verbs: ['list', 'watch', 'patch', 'delete'],
    scope: 'own',
    when: 'config.auth.enabled',
    why: 'a Lease for each replica, named after it, by which a revoked permission is confirmed on every replica; RBAC cannot restrict by prefix',
    by: REPLICA_LEASES,
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
    why: 'pace Hourly applies only while evenkeel-autoscaler holds this Lease',
    by: LEASES,
  },
  {
    resource: resources.CONFIG_MAPS,
    verbs: ['list', 'watch'],
    scope: 'own',
    names: [PAUSE_CONFIG_MAP],
    when: 'always',
    why: 'pausing all effects',
    by: INFORMERS,
  },
];

/** Permissions of the ServiceAccount whose tokens are sent to kubelets. No pod runs as it. */
export const KUBELET_READER_PERMISSIONS: readonly Permission[] = [
  {
    resource: resources.NODES,
    subresource: 'metrics',
    verbs: ['get'],
    scope: 'cluster',
    when: 'rbac.kubelets',
    why: "usage, throttling and OOM events of containers, from each node's kubelet, which checks access with the API server",
    by: KUBELETS,
  },
  {
    resource: resources.NODES,
    subresource: 'stats',
    verbs: ['get'],
    scope: 'cluster',
    when: 'rbac.kubelets',
    why: "usage of volumes and pressure of containers, from each node's kubelet, which checks access with the API server",
    by: KUBELETS,
  },
];
