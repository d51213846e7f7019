// Defaults of built-in kinds that depend on other fields, by schema name. Constant ones are data, in `builtin-rules/`.

import { isObject } from '#kube/json';

type Draft = Record<string, unknown>;

/** Fills one object of the named schema in place. Runs after its constant defaults and those of what it contains. */
export const COMPUTED_DEFAULTS: Readonly<Record<string, (draft: Draft) => void>> = {
  'io.k8s.api.core.v1.Container': pullPolicy,
  'io.k8s.api.core.v1.EphemeralContainer': pullPolicy,
  'io.k8s.api.core.v1.Pod': podDefaults,
  'io.k8s.api.core.v1.ServiceSpec': serviceDefaults,
  'io.k8s.api.core.v1.Volume': emptyVolume,
  'io.k8s.api.core.v1.ServicePort': targetPort,
  'io.k8s.api.core.v1.LimitRangeItem': limitRangeDefaults,
  'io.k8s.api.core.v1.LoadBalancerIngress': addressMode,
  'io.k8s.api.core.v1.ReplicationControllerSpec': podLabelsAsSelector,
  'io.k8s.api.apps.v1.DeploymentStrategy': (draft) => rollingUpdate(draft, { maxUnavailable: '25%', maxSurge: '25%' }),
  'io.k8s.api.apps.v1.DaemonSetUpdateStrategy': (draft) => rollingUpdate(draft, { maxSurge: 0, maxUnavailable: 1 }),
  'io.k8s.api.apps.v1.StatefulSetUpdateStrategy': (draft) => rollingUpdate(draft, { partition: 0 }),
  'io.k8s.api.apps.v1.StatefulSetSpec': claimTemplates,
  'io.k8s.api.batch.v1.Job': (draft) => jobDefaults(mapIn(draft, 'spec')),
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerMetrics,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior': autoscalerBehavior,
  'io.k8s.api.networking.v1.NetworkPolicySpec': policyTypes,
  'io.k8s.api.rbac.v1.Subject': subjectGroup,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames': customNames,
};

function pullPolicy(draft: Draft): void {
  if (draft['imagePullPolicy'] !== undefined || typeof draft['image'] !== 'string') return;
  // The tag is what follows the last colon behind the last slash; a digest pins the image and counts as a tag.
  const image = draft['image'];
  const reference = image.slice(image.lastIndexOf('/') + 1);
  const tag = reference.includes(':') ? reference.slice(reference.indexOf(':') + 1) : 'latest';
  draft['imagePullPolicy'] = tag === 'latest' && !reference.includes('@') ? 'Always' : 'IfNotPresent';
}

/** Of a pod alone: templates stay as they were written. */
function podDefaults(draft: Draft): void {
  const spec = mapIn(draft, 'spec');
  if (draft['spec'] !== spec) return;
  spec['enableServiceLinks'] ??= true;
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of recordsIn(spec, field)) {
      limitsAsRequests(container);
      if (spec['hostNetwork'] === true) for (const port of recordsIn(container, 'ports')) port['hostPort'] ??= port['containerPort'];
    }
  }
}

/** A limit without a request asks for as much. */
function limitsAsRequests(container: Draft): void {
  const resources = mapIn(container, 'resources');
  const limits = mapIn(resources, 'limits');
  if (Object.keys(limits).length > 0) resources['requests'] = { ...limits, ...mapIn(resources, 'requests') };
}

/** How long a client that sticks to an endpoint does so. */
const AFFINITY_SECONDS = 10_800;

function serviceDefaults(draft: Draft): void {
  const type = draft['type'];
  if (draft['sessionAffinity'] === 'ClientIP') draft['sessionAffinityConfig'] ??= { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  if (type !== 'ExternalName') draft['internalTrafficPolicy'] ??= 'Cluster';
  if (type === 'LoadBalancer') draft['allocateLoadBalancerNodePorts'] ??= true;
}

function claimTemplates(draft: Draft): void {
  for (const claim of recordsIn(draft, 'volumeClaimTemplates')) {
    claim['apiVersion'] ??= 'v1';
    claim['kind'] ??= 'PersistentVolumeClaim';
    claim['status'] = { phase: 'Pending', ...mapIn(claim, 'status') };
  }
}

function emptyVolume(draft: Draft): void {
  if (Object.keys(draft).every((field) => field === 'name')) draft['emptyDir'] = {};
}

function targetPort(draft: Draft): void {
  const target = draft['targetPort'];
  if (target === undefined || target === 0 || target === '') draft['targetPort'] = draft['port'];
}

function addressMode(draft: Draft): void {
  if (typeof draft['ip'] === 'string' && draft['ip'] !== '') draft['ipMode'] ??= 'VIP';
}

function limitRangeDefaults(draft: Draft): void {
  if (draft['type'] !== 'Container') return;
  const limits = { ...mapIn(draft, 'max'), ...mapIn(draft, 'default') };
  const requests = { ...mapIn(draft, 'min'), ...limits, ...mapIn(draft, 'defaultRequest') };
  if (Object.keys(limits).length > 0) draft['default'] = limits;
  if (Object.keys(requests).length > 0) draft['defaultRequest'] = requests;
}

function podLabelsAsSelector(draft: Draft): void {
  if (Object.keys(mapIn(draft, 'selector')).length > 0) return;
  const labels = mapIn(mapIn(mapIn(draft, 'template'), 'metadata'), 'labels');
  if (Object.keys(labels).length > 0) draft['selector'] = { ...labels };
}

function rollingUpdate(draft: Draft, values: Draft): void {
  if (draft['type'] !== 'RollingUpdate') return;
  draft['rollingUpdate'] = { ...values, ...mapIn(draft, 'rollingUpdate') };
}

/** Of a job alone: the template of a CronJob stays as it was written. */
function jobDefaults(draft: Draft): void {
  draft['completionMode'] ??= 'NonIndexed';
  draft['manualSelector'] ??= false;
  draft['suspend'] ??= false;
  if (draft['completions'] === undefined && draft['parallelism'] === undefined) draft['completions'] = 1;
  draft['parallelism'] ??= 1;
  // An indexed job with a limit per index is limited by it alone.
  draft['backoffLimit'] ??= draft['backoffLimitPerIndex'] === undefined ? 6 : 2_147_483_647;
  draft['podReplacementPolicy'] ??= draft['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed';
}

function autoscalerMetrics(draft: Draft): void {
  const metrics = draft['metrics'];
  if (Array.isArray(metrics) && metrics.length > 0) return;
  draft['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
}

function autoscalerBehavior(draft: Draft): void {
  draft['scaleUp'] = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
    ...mapIn(draft, 'scaleUp'),
  };
  // The stabilization window of scaling down stays unset here: the controller's own setting rules it.
  draft['scaleDown'] = {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    ...mapIn(draft, 'scaleDown'),
  };
}

function policyTypes(draft: Draft): void {
  const given = draft['policyTypes'];
  if (Array.isArray(given) && given.length > 0) return;
  const egress = draft['egress'];
  draft['policyTypes'] = Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function subjectGroup(draft: Draft): void {
  if (draft['apiGroup'] === undefined && (draft['kind'] === 'User' || draft['kind'] === 'Group'))
    draft['apiGroup'] = 'rbac.authorization.k8s.io';
}

function customNames(draft: Draft): void {
  if (typeof draft['kind'] !== 'string') return;
  draft['singular'] ??= draft['kind'].toLowerCase();
  draft['listKind'] ??= `${draft['kind']}List`;
}

function recordsIn(draft: Draft, field: string): Draft[] {
  const list = draft[field];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function mapIn(draft: Draft, field: string): Draft {
  const value = draft[field];
  return isObject(value) ? value : {};
}
