import type { FieldRules, RulesByType } from './type-rules.ts';

const ACCESS_MODE = { enum: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] };
const TRAFFIC_POLICY: FieldRules = { enum: ['Cluster', 'Local'] };
const VOLUME_MODE: FieldRules = { enum: ['Block', 'Filesystem'], default: 'Filesystem' };
const QUOTA_SCOPE = {
  enum: [
    'Terminating',
    'NotTerminating',
    'BestEffort',
    'NotBestEffort',
    'PriorityClass',
    'CrossNamespacePodAffinity',
    'VolumeAttributesClass',
  ],
};

/** core/v1 apart from pods, and storage. */
export const CORE_RULES: RulesByType = {
  'core.v1.ClientIPConfig': { fields: { timeoutSeconds: { default: 10800 } } },
  'core.v1.EndpointPort': { fields: { protocol: { enum: ['SCTP', 'TCP', 'UDP'], default: 'TCP' } } },
  'core.v1.NamespaceStatus': { fields: { phase: { enum: ['Active', 'Terminating'] } } },
  'core.v1.PersistentVolumeClaimSpec': {
    fields: {
      accessModes: { items: ACCESS_MODE },
      volumeMode: VOLUME_MODE,
    },
  },
  'core.v1.PersistentVolumeSpec': {
    fields: {
      accessModes: { items: ACCESS_MODE },
      persistentVolumeReclaimPolicy: { enum: ['Retain', 'Delete', 'Recycle'], default: 'Retain' },
      volumeMode: VOLUME_MODE,
    },
  },
  'core.v1.ReplicationControllerSpec': { fields: { minReadySeconds: { isDefaultOmitted: true }, replicas: { minimum: 0 } } },
  'core.v1.ResourceQuotaSpec': {
    fields: {
      scopes: {
        items: QUOTA_SCOPE,
      },
    },
  },
  'core.v1.ScopedResourceSelectorRequirement': {
    fields: {
      operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] },
      scopeName: QUOTA_SCOPE,
    },
  },
  'core.v1.Secret': { fields: { type: { default: 'Opaque' } } },
  'core.v1.ServicePort': {
    fields: { nodePort: { minimum: 0, maximum: 65535 }, port: { minimum: 1, maximum: 65535 }, protocol: { enum: ['SCTP', 'TCP', 'UDP'] } },
  },
  'core.v1.ServiceSpec': {
    fields: {
      externalTrafficPolicy: TRAFFIC_POLICY,
      internalTrafficPolicy: TRAFFIC_POLICY,
      ipFamilyPolicy: { enum: ['SingleStack', 'PreferDualStack', 'RequireDualStack'] },
      sessionAffinity: { enum: ['ClientIP', 'None'], default: 'None' },
      type: { enum: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'], default: 'ClusterIP' },
    },
  },
  'core.v1.Taint': { fields: { effect: { enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] } } },
  'storage.v1.CSIDriverSpec': {
    fields: {
      attachRequired: { default: true },
      fsGroupPolicy: { default: 'ReadWriteOnceWithFSType' },
      podInfoOnMount: { default: false },
      requiresRepublish: { default: false },
      seLinuxMount: { default: false },
      storageCapacity: { default: false },
      volumeLifecycleModes: { default: ['Persistent'] },
    },
  },
  'storage.v1.StorageClass': {
    fields: {
      reclaimPolicy: { enum: ['Delete', 'Retain', 'Recycle'], default: 'Delete' },
      volumeBindingMode: { enum: ['Immediate', 'WaitForFirstConsumer'], default: 'Immediate' },
    },
  },
};
