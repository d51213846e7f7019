// The built-in resources of the embedded cluster, as data.

import type { ResourceDescriptor } from '../resource-descriptor.ts';

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
/** Namespaces have no deletecollection. */
const NAMESPACE_VERBS = ALL_VERBS.filter((verb) => verb !== 'deletecollection');
const REVIEW_VERBS = ['create'] as const;
const READ_VERBS = ['get', 'list'] as const;

interface Traits {
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: true;
  readonly verbs?: readonly string[];
  readonly sub?: readonly string[];
  /** Generation moves with the spec; true for most that have a spec worth observing. */
  readonly generation?: true;
  readonly select?: readonly string[];
  readonly putCreates?: true;
  readonly generationCountsAnnotations?: true;
  readonly plural?: string;
  /** Package of the schema where it is not `io.k8s.api.<group>.<version>`. */
  readonly schema?: string;
}

function group(name: string, version: string, kinds: Readonly<Record<string, Traits>>): readonly ResourceDescriptor[] {
  const shortGroup = name === '' ? 'core' : (name.split('.')[0] ?? name);
  return Object.entries(kinds).map(([kind, traits]) => ({
    group: name,
    version,
    kind,
    listKind: `${kind}List`,
    plural: traits.plural ?? pluralOf(kind),
    singular: kind.toLowerCase(),
    shortNames: traits.short ?? [],
    categories: traits.categories ?? [],
    namespaced: traits.cluster !== true,
    verbs: traits.verbs ?? ALL_VERBS,
    subresources: traits.sub ?? [],
    hasGeneration: traits.generation === true,
    ...(traits.generationCountsAnnotations === true ? { generationCountsAnnotations: true as const } : {}),
    ...(traits.putCreates === true ? { createdByUpdate: true as const } : {}),
    schemaName: `${traits.schema ?? `io.k8s.api.${shortGroup}.${version}`}.${kind}`,
    fieldSelectors: traits.select ?? [],
  }));
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith('ss')) return `${lower}es`;
  if (lower.endsWith('cy')) return `${lower.slice(0, -1)}ies`;
  return lower.endsWith('s') ? lower : `${lower}s`;
}

const EVENT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;
const ALL = ['all'] as const;

const core = group('', 'v1', {
  ConfigMap: { short: ['cm'] },
  Endpoints: { short: ['ep'], putCreates: true },
  Event: {
    short: ['ev'],
    putCreates: true,
    select: [...EVENT_FIELDS.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'source', 'type'],
  },
  LimitRange: { short: ['limits'], putCreates: true },
  Namespace: { short: ['ns'], cluster: true, verbs: NAMESPACE_VERBS, sub: ['status', 'finalize'], select: ['status.phase'] },
  Node: { short: ['no'], cluster: true, sub: ['status', 'proxy'], select: ['spec.unschedulable'] },
  PersistentVolumeClaim: { short: ['pvc'], sub: ['status'] },
  PersistentVolume: { short: ['pv'], cluster: true, sub: ['status'] },
  Pod: {
    short: ['po'],
    categories: ALL,
    generation: true,
    sub: ['status', 'binding', 'eviction', 'resize', 'log'],
    select: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
  },
  PodTemplate: { generation: true },
  ReplicationController: { short: ['rc'], categories: ALL, generation: true, sub: ['status', 'scale'], select: ['status.replicas'] },
  ResourceQuota: { short: ['quota'], sub: ['status'] },
  Secret: { select: ['type'] },
  ServiceAccount: { short: ['sa'], sub: ['token'] },
  Service: { putCreates: true, short: ['svc'], categories: ALL, sub: ['status'], select: ['spec.clusterIP', 'spec.type'] },
});

const apps = group('apps', 'v1', {
  ControllerRevision: {},
  DaemonSet: { short: ['ds'], categories: ALL, generation: true, sub: ['status'] },
  Deployment: { short: ['deploy'], categories: ALL, generation: true, generationCountsAnnotations: true, sub: ['status', 'scale'] },
  ReplicaSet: { short: ['rs'], categories: ALL, generation: true, sub: ['status', 'scale'] },
  StatefulSet: { short: ['sts'], categories: ALL, generation: true, sub: ['status', 'scale'] },
});

const batch = group('batch', 'v1', {
  CronJob: { short: ['cj'], categories: ALL, generation: true, sub: ['status'] },
  Job: { categories: ALL, generation: true, sub: ['status'], select: ['status.successful'] },
});

const HPA: Traits = { short: ['hpa'], categories: ALL, sub: ['status'] };
const NO_STATUS = { generation: true, cluster: true } as const;

const reviews = { cluster: true, verbs: REVIEW_VERBS } as const;

/** Every built-in resource, in order of group priority. Of several served versions of a group, the first is the storage version. */
export const BUILT_IN_RESOURCES: readonly ResourceDescriptor[] = [
  ...core,
  ...apps,
  ...group('events.k8s.io', 'v1', {
    Event: {
      short: ['ev'],
      select: [...EVENT_FIELDS.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
    },
  }),
  ...group('authentication.k8s.io', 'v1', { SelfSubjectReview: reviews, TokenReview: reviews }),
  ...group('authorization.k8s.io', 'v1', {
    LocalSubjectAccessReview: { verbs: REVIEW_VERBS },
    SelfSubjectAccessReview: reviews,
    SelfSubjectRulesReview: reviews,
    SubjectAccessReview: reviews,
  }),
  ...group('autoscaling', 'v2', { HorizontalPodAutoscaler: HPA }),
  ...group('autoscaling', 'v1', { HorizontalPodAutoscaler: HPA }),
  ...batch,
  ...group('networking.k8s.io', 'v1', {
    IngressClass: { ...NO_STATUS },
    Ingress: { short: ['ing'], generation: true, sub: ['status'] },
    NetworkPolicy: { short: ['netpol'], generation: true },
  }),
  ...group('policy', 'v1', { PodDisruptionBudget: { short: ['pdb'], generation: true, sub: ['status'] } }),
  ...group('rbac.authorization.k8s.io', 'v1', {
    ClusterRoleBinding: { cluster: true, putCreates: true },
    ClusterRole: { cluster: true, putCreates: true },
    RoleBinding: { putCreates: true },
    Role: { putCreates: true },
  }),
  ...group('storage.k8s.io', 'v1', {
    CSIDriver: { cluster: true },
    CSINode: { cluster: true },
    CSIStorageCapacity: { plural: 'csistoragecapacities' },
    StorageClass: { short: ['sc'], cluster: true },
    VolumeAttachment: { cluster: true, sub: ['status'] },
  }),
  ...group('admissionregistration.k8s.io', 'v1', {
    MutatingWebhookConfiguration: { ...NO_STATUS, categories: ['api-extensions'] },
    ValidatingAdmissionPolicy: { ...NO_STATUS, categories: ['api-extensions'], sub: ['status'] },
    ValidatingAdmissionPolicyBinding: { ...NO_STATUS, categories: ['api-extensions'] },
    ValidatingWebhookConfiguration: { ...NO_STATUS, categories: ['api-extensions'] },
  }),
  ...group('apiextensions.k8s.io', 'v1', {
    CustomResourceDefinition: {
      short: ['crd', 'crds'],
      categories: ['api-extensions'],
      cluster: true,
      generation: true,
      sub: ['status'],
      schema: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    },
  }),
  ...group('scheduling.k8s.io', 'v1', { PriorityClass: { short: ['pc'], cluster: true, generation: true } }),
  ...group('coordination.k8s.io', 'v1', { Lease: { putCreates: true } }),
  ...group('node.k8s.io', 'v1', { RuntimeClass: { cluster: true, putCreates: true } }),
  ...group('discovery.k8s.io', 'v1', { EndpointSlice: { generation: true } }),
  ...group('metrics.k8s.io', 'v1beta1', {
    NodeMetrics: { plural: 'nodes', cluster: true, verbs: READ_VERBS, schema: 'io.k8s.metrics.pkg.apis.metrics.v1beta1' },
    PodMetrics: { plural: 'pods', verbs: READ_VERBS, schema: 'io.k8s.metrics.pkg.apis.metrics.v1beta1' },
  }),
];
