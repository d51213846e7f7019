// Input of hack/generate-builtin-schemas.ts: the built-in kinds, and facts about them beyond their structure. Facts of the Kubernetes API,
// in our own words.

import { CORE_FACTS } from './facts/core-facts.ts';
import { GROUP_FACTS } from './facts/group-facts.ts';
import { POD_FACTS } from './facts/pod-facts.ts';
import { WORKLOAD_FACTS } from './facts/workload-facts.ts';
import type { FactsByType } from './schema-facts.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Kinds of one API group and version, by model name, and the schema package. */
export interface BuiltinRoots {
  readonly groupVersion: string;
  readonly schemaPrefix: string;
  readonly kinds: readonly string[];
}

/** Every built-in kind of the embedded API server. A type that several kinds share belongs to the first. */
export const BUILTIN_ROOTS: readonly BuiltinRoots[] = [
  {
    groupVersion: 'v1',
    schemaPrefix: 'io.k8s.api.core.v1',
    kinds: [
      'V1Pod',
      'V1PodTemplate',
      'V1Node',
      'V1Namespace',
      'V1Service',
      'V1Endpoints',
      'CoreV1Event',
      'V1ConfigMap',
      'V1Secret',
      'V1ServiceAccount',
      'V1PersistentVolume',
      'V1PersistentVolumeClaim',
      'V1ReplicationController',
      'V1ResourceQuota',
      'V1LimitRange',
      'V1Binding',
    ],
  },
  {
    groupVersion: 'apps/v1',
    schemaPrefix: 'io.k8s.api.apps.v1',
    kinds: ['V1Deployment', 'V1ReplicaSet', 'V1StatefulSet', 'V1DaemonSet', 'V1ControllerRevision'],
  },
  { groupVersion: 'batch/v1', schemaPrefix: 'io.k8s.api.batch.v1', kinds: ['V1Job', 'V1CronJob'] },
  { groupVersion: 'autoscaling/v2', schemaPrefix: 'io.k8s.api.autoscaling.v2', kinds: ['V2HorizontalPodAutoscaler'] },
  { groupVersion: 'autoscaling/v1', schemaPrefix: 'io.k8s.api.autoscaling.v1', kinds: ['V1HorizontalPodAutoscaler', 'V1Scale'] },
  { groupVersion: 'policy/v1', schemaPrefix: 'io.k8s.api.policy.v1', kinds: ['V1PodDisruptionBudget', 'V1Eviction'] },
  { groupVersion: 'coordination.k8s.io/v1', schemaPrefix: 'io.k8s.api.coordination.v1', kinds: ['V1Lease'] },
  {
    groupVersion: 'storage.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.storage.v1',
    kinds: ['V1StorageClass', 'V1VolumeAttachment', 'V1CSINode', 'V1CSIDriver', 'V1CSIStorageCapacity', 'V1VolumeAttributesClass'],
  },
  { groupVersion: 'events.k8s.io/v1', schemaPrefix: 'io.k8s.api.events.v1', kinds: ['EventsV1Event'] },
  { groupVersion: 'discovery.k8s.io/v1', schemaPrefix: 'io.k8s.api.discovery.v1', kinds: ['V1EndpointSlice'] },
  {
    groupVersion: 'networking.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.networking.v1',
    kinds: ['V1Ingress', 'V1IngressClass', 'V1NetworkPolicy'],
  },
  {
    groupVersion: 'rbac.authorization.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.rbac.v1',
    kinds: ['V1Role', 'V1RoleBinding', 'V1ClusterRole', 'V1ClusterRoleBinding'],
  },
  { groupVersion: 'scheduling.k8s.io/v1', schemaPrefix: 'io.k8s.api.scheduling.v1', kinds: ['V1PriorityClass'] },
  { groupVersion: 'node.k8s.io/v1', schemaPrefix: 'io.k8s.api.node.v1', kinds: ['V1RuntimeClass'] },
  {
    groupVersion: 'apiextensions.k8s.io/v1',
    schemaPrefix: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    kinds: ['V1CustomResourceDefinition'],
  },
  {
    groupVersion: 'admissionregistration.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.admissionregistration.v1',
    kinds: [
      'V1MutatingWebhookConfiguration',
      'V1ValidatingWebhookConfiguration',
      'V1ValidatingAdmissionPolicy',
      'V1ValidatingAdmissionPolicyBinding',
    ],
  },
  {
    groupVersion: 'authentication.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.authentication.v1',
    kinds: ['V1TokenReview', 'AuthenticationV1TokenRequest', 'V1SelfSubjectReview'],
  },
  {
    groupVersion: 'authorization.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.authorization.v1',
    kinds: ['V1SubjectAccessReview', 'V1SelfSubjectAccessReview', 'V1SelfSubjectRulesReview', 'V1LocalSubjectAccessReview'],
  },
  {
    groupVersion: 'apiregistration.k8s.io/v1',
    schemaPrefix: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
    kinds: ['V1APIService'],
  },
];

/** Types of the API machinery, shared by all groups; every other type belongs to the first kind that uses it. */
export const META_TYPES: readonly string[] = [
  'V1ObjectMeta',
  'V1ListMeta',
  'V1ShardInfo',
  'V1OwnerReference',
  'V1ManagedFieldsEntry',
  'V1LabelSelector',
  'V1LabelSelectorRequirement',
  'V1FieldSelectorRequirement',
  'V1Condition',
  'V1DeleteOptions',
  'V1Preconditions',
  'V1Status',
  'V1StatusDetails',
  'V1StatusCause',
];

export const BUILTIN_FACTS: FactsByType = { ...CORE_FACTS, ...POD_FACTS, ...WORKLOAD_FACTS, ...GROUP_FACTS };

const USAGE: StructuralSchema = {
  type: 'object',
  description: 'Usage by resource.',
  additionalProperties: { type: 'string', format: 'quantity' },
};
const SINCE: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
  timestamp: { type: 'string', format: 'date-time', description: 'End of the measured window.' },
  window: { type: 'string', description: 'Length of the measured window.' },
};

/** Kinds without a model in the client library: the resource metrics API. */
export const EXTRA_SCHEMAS: Readonly<Record<string, StructuralSchema>> = {
  'io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics': {
    type: 'object',
    description: 'Recent usage of a node.',
    properties: { ...SINCE, usage: USAGE },
    'x-kubernetes-group-version-kind': [{ group: 'metrics.k8s.io', version: 'v1beta1', kind: 'NodeMetrics' }],
  },
  'io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics': {
    type: 'object',
    description: 'Recent usage of a pod, by container.',
    properties: {
      ...SINCE,
      containers: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, usage: USAGE } },
        'x-kubernetes-list-type': 'atomic',
      },
    },
    'x-kubernetes-group-version-kind': [{ group: 'metrics.k8s.io', version: 'v1beta1', kind: 'PodMetrics' }],
  },
};
