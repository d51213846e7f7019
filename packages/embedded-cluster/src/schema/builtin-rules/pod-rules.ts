import type { FieldRules, RulesByType, TypeRules } from './type-rules.ts';

const PULL_POLICY: FieldRules = { enum: ['Always', 'IfNotPresent', 'Never'] };
/** 0644, and at most 0777. */
const FILE_MODE: FieldRules = { minimum: 0, maximum: 0o777, default: 0o644 };
const NODE_POLICY: FieldRules = { enum: ['Honor', 'Ignore'] };
const PORT_NUMBER: FieldRules = { minimum: 1, maximum: 65535 };
const PROFILE_TYPE: FieldRules = { enum: ['Localhost', 'RuntimeDefault', 'Unconfined'] };
const WEIGHT: FieldRules = { minimum: 1, maximum: 100 };

const CONTAINER: TypeRules['fields'] = {
  imagePullPolicy: PULL_POLICY,
  terminationMessagePath: { default: '/dev/termination-log' },
  terminationMessagePolicy: { enum: ['File', 'FallbackToLogsOnError'], default: 'File' },
  volumeDevices: { uniqueItems: true },
  volumeMounts: { uniqueItems: true },
};

/** Pods, pod templates and the types nested in them. */
export const POD_RULES: RulesByType = {
  'core.v1.AppArmorProfile': { fields: { type: PROFILE_TYPE } },
  'core.v1.ConfigMapVolumeSource': { fields: { defaultMode: FILE_MODE } },
  'core.v1.Container': {
    required: ['image'],
    fields: CONTAINER,
  },
  'core.v1.ContainerPort': {
    fields: {
      containerPort: PORT_NUMBER,
      hostPort: { minimum: 0, maximum: 65535 },
      protocol: { enum: ['SCTP', 'TCP', 'UDP'] },
    },
  },
  'core.v1.ContainerResizePolicy': { fields: { restartPolicy: { enum: ['NotRequired', 'RestartContainer'] } } },
  'core.v1.ContainerRestartRule': { fields: { action: { enum: ['Restart', 'RestartAllContainers'] } } },
  'core.v1.ContainerRestartRuleOnExitCodes': { fields: { operator: { enum: ['In', 'NotIn'] } } },
  'core.v1.DownwardAPIVolumeSource': { fields: { defaultMode: FILE_MODE } },
  'core.v1.EphemeralContainer': {
    fields: CONTAINER,
  },
  'core.v1.GRPCAction': { fields: { port: PORT_NUMBER } },
  'core.v1.HTTPGetAction': { fields: { path: { default: '/' }, scheme: { enum: ['HTTP', 'HTTPS'], default: 'HTTP' } } },
  'core.v1.HostPathVolumeSource': {
    fields: {
      type: { enum: ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'], default: '' },
    },
  },
  'core.v1.ImageVolumeSource': { fields: { pullPolicy: PULL_POLICY } },
  'core.v1.NodeSelectorRequirement': { fields: { operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] } } },
  'core.v1.ObjectFieldSelector': { fields: { apiVersion: { default: 'v1' } } },
  'core.v1.PodSecurityContext': {
    fields: { fsGroupChangePolicy: { enum: ['OnRootMismatch', 'Always'] }, supplementalGroupsPolicy: { enum: ['Merge', 'Strict'] } },
  },
  'core.v1.PodSpec': {
    fields: {
      activeDeadlineSeconds: { minimum: 1, maximum: 2147483647 },
      containers: { uniqueItems: true },
      dnsPolicy: { enum: ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], default: 'ClusterFirst' },
      initContainers: { uniqueItems: true },
      preemptionPolicy: { enum: ['PreemptLowerPriority', 'Never'] },
      restartPolicy: { enum: ['Always', 'OnFailure', 'Never'], default: 'Always' },
      schedulerName: { default: 'default-scheduler' },
      securityContext: { default: {} },
      terminationGracePeriodSeconds: { minimum: 0, default: 30 },
      volumes: { uniqueItems: true },
    },
  },
  'core.v1.PreferredSchedulingTerm': { fields: { weight: WEIGHT } },
  'core.v1.Probe': {
    fields: {
      failureThreshold: { minimum: 1, default: 3 },
      initialDelaySeconds: { minimum: 0 },
      periodSeconds: { minimum: 1, default: 10 },
      successThreshold: { minimum: 1, default: 1 },
      timeoutSeconds: { minimum: 1, default: 1 },
    },
  },
  'core.v1.ProjectedVolumeSource': { fields: { defaultMode: FILE_MODE } },
  'core.v1.ResourceFieldSelector': { fields: { divisor: { default: '0' } } },
  'core.v1.SeccompProfile': { fields: { type: PROFILE_TYPE } },
  'core.v1.SecretVolumeSource': { fields: { defaultMode: FILE_MODE } },
  'core.v1.SecurityContext': { fields: { procMount: { enum: ['Default', 'Unmasked'] } } },
  'core.v1.ServiceAccountTokenProjection': { fields: { expirationSeconds: { default: 3600 } } },
  'core.v1.SleepAction': { fields: { seconds: { minimum: 0 } } },
  'core.v1.Toleration': {
    fields: {
      effect: { enum: ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
      operator: { enum: ['', 'Exists', 'Equal', 'Lt', 'Gt'] },
    },
  },
  'core.v1.TopologySpreadConstraint': {
    fields: {
      maxSkew: { minimum: 1 },
      minDomains: { minimum: 1 },
      nodeAffinityPolicy: NODE_POLICY,
      nodeTaintsPolicy: NODE_POLICY,
      whenUnsatisfiable: { enum: ['DoNotSchedule', 'ScheduleAnyway'] },
    },
  },
  'core.v1.VolumeMount': { fields: { mountPropagation: { enum: ['None', 'HostToContainer', 'Bidirectional'] } } },
  'core.v1.WeightedPodAffinityTerm': { fields: { weight: WEIGHT } },
};
