// Resources that are watched or written, as data: their paths are fixed, so no discovery is needed at start.

import { POLICY_KINDS } from '../../core/policies/policy-kinds.ts';

/** A resource of the Kubernetes API. */
export interface ApiResource {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Name in RBAC, logs and metrics: `pods`, `deployments.apps`. */
export function resourceName(resource: Pick<ApiResource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** `v1` or `GROUP/VERSION`. */
export function apiVersionOf(resource: Pick<ApiResource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Path of a list in one namespace; null: all namespaces. */
export function collectionPath(resource: ApiResource, namespace: string | null): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== null ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${resource.plural}`;
}

/** Path of one object, or of a subresource of it. */
export function objectPath(resource: ApiResource, namespace: string | null, name: string, subresource?: string): string {
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function resource(group: string, version: string, plural: string, kind: string, namespaced = true): ApiResource {
  return { group, version, plural, kind, namespaced };
}

export const PODS = resource('', 'v1', 'pods', 'Pod');
export const NODES = resource('', 'v1', 'nodes', 'Node', false);
export const NAMESPACES = resource('', 'v1', 'namespaces', 'Namespace', false);
export const CONFIG_MAPS = resource('', 'v1', 'configmaps', 'ConfigMap');
export const SECRETS = resource('', 'v1', 'secrets', 'Secret');
export const SERVICE_ACCOUNTS = resource('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const LIMIT_RANGES = resource('', 'v1', 'limitranges', 'LimitRange');
export const RESOURCE_QUOTAS = resource('', 'v1', 'resourcequotas', 'ResourceQuota');
export const DEPLOYMENTS = resource('apps', 'v1', 'deployments', 'Deployment');
export const STATEFUL_SETS = resource('apps', 'v1', 'statefulsets', 'StatefulSet');
export const DAEMON_SETS = resource('apps', 'v1', 'daemonsets', 'DaemonSet');
export const REPLICA_SETS = resource('apps', 'v1', 'replicasets', 'ReplicaSet');
export const CONTROLLER_REVISIONS = resource('apps', 'v1', 'controllerrevisions', 'ControllerRevision');
export const JOBS = resource('batch', 'v1', 'jobs', 'Job');
export const CRON_JOBS = resource('batch', 'v1', 'cronjobs', 'CronJob');
export const HPAS = resource('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler');
/** Kinds of other projects, where installed. */
export const VPAS = resource('autoscaling.k8s.io', 'v1', 'verticalpodautoscalers', 'VerticalPodAutoscaler');
export const SCALED_OBJECTS = resource('keda.sh', 'v1alpha1', 'scaledobjects', 'ScaledObject');
export const DISRUPTION_BUDGETS = resource('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget');
export const LEASES = resource('coordination.k8s.io', 'v1', 'leases', 'Lease');
export const EVENTS = resource('events.k8s.io', 'v1', 'events', 'Event');
export const CUSTOM_RESOURCE_DEFINITIONS = resource(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);
export const MUTATING_WEBHOOKS = resource(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  false,
);
export const ACCESS_REVIEWS = resource('authorization.k8s.io', 'v1', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', false);
export const POD_METRICS = resource('metrics.k8s.io', 'v1beta1', 'pods', 'PodMetrics');
export const NODE_METRICS = resource('metrics.k8s.io', 'v1beta1', 'nodes', 'NodeMetrics', false);

/** Pod template annotation of `kubectl rollout restart`: a new value triggers a rollout. */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

function own(plural: string, kind: string, namespaced: boolean): ApiResource {
  return resource('evenkeel.io', 'v1alpha1', plural, kind, namespaced);
}

/** Evenkeel's custom resources. A kind whose CRD is not installed is retried and counts as empty until then. */
export const OWN_RESOURCES: readonly ApiResource[] = [
  ...POLICY_KINDS.map(({ kind, plural, namespaced }) => own(plural, kind, namespaced)),
  own('recommendations', 'Recommendation', true),
  own('rebalanceruns', 'RebalanceRun', false),
  own('accesspolicies', 'AccessPolicy', false),
];

/** The resource of a plural. @throws Error where it is not Evenkeel's, which is a bug in the caller */
export function ownResource(plural: string): ApiResource {
  const found = OWN_RESOURCES.find((candidate) => candidate.plural === plural);
  if (found === undefined) throw new Error(`no kind of evenkeel.io is called "${plural}"`);
  return found;
}
