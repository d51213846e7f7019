import type { FieldRules, RulesByType } from './type-rules.ts';

const NOT_NEGATIVE: FieldRules = { minimum: 0 };
const REPLICAS: FieldRules = { minimum: 0, default: 1 };
const HISTORY_LIMIT: FieldRules = { minimum: 0, default: 10 };
const RETENTION: FieldRules = { enum: ['Retain', 'Delete'], default: 'Retain' };
const ROLLING_UPDATE: FieldRules = { default: { type: 'RollingUpdate' } };
const UPDATE_STRATEGY: FieldRules = { enum: ['OnDelete', 'RollingUpdate'], default: 'RollingUpdate' };

/** apps, batch, autoscaling, policy and scheduling. */
export const WORKLOAD_RULES: RulesByType = {
  'apps.v1.DaemonSet': { required: ['spec'] },
  'apps.v1.DaemonSetSpec': {
    fields: {
      minReadySeconds: NOT_NEGATIVE,
      revisionHistoryLimit: HISTORY_LIMIT,
      updateStrategy: ROLLING_UPDATE,
    },
  },
  'apps.v1.DaemonSetUpdateStrategy': { fields: { type: UPDATE_STRATEGY } },
  'apps.v1.Deployment': { required: ['spec'] },
  'apps.v1.DeploymentSpec': {
    fields: {
      minReadySeconds: NOT_NEGATIVE,
      progressDeadlineSeconds: { default: 600 },
      replicas: REPLICAS,
      revisionHistoryLimit: HISTORY_LIMIT,
      strategy: ROLLING_UPDATE,
    },
  },
  'apps.v1.DeploymentStrategy': { fields: { type: { enum: ['Recreate', 'RollingUpdate'], default: 'RollingUpdate' } } },
  'apps.v1.ReplicaSet': { required: ['spec'] },
  'apps.v1.ReplicaSetSpec': { fields: { minReadySeconds: NOT_NEGATIVE, replicas: REPLICAS } },
  'apps.v1.RollingUpdateDaemonSet': { fields: { maxSurge: { default: 0 }, maxUnavailable: { default: 1 } } },
  'apps.v1.RollingUpdateDeployment': { fields: { maxSurge: { default: '25%' }, maxUnavailable: { default: '25%' } } },
  'apps.v1.RollingUpdateStatefulSetStrategy': { fields: { partition: { minimum: 0, default: 0 } } },
  'apps.v1.StatefulSet': { required: ['spec'] },
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    fields: {
      whenDeleted: RETENTION,
      whenScaled: RETENTION,
    },
  },
  'apps.v1.StatefulSetSpec': {
    fields: {
      minReadySeconds: NOT_NEGATIVE,
      persistentVolumeClaimRetentionPolicy: { default: { whenDeleted: 'Retain', whenScaled: 'Retain' } },
      podManagementPolicy: { enum: ['OrderedReady', 'Parallel'], default: 'OrderedReady' },
      replicas: REPLICAS,
      revisionHistoryLimit: HISTORY_LIMIT,
      updateStrategy: ROLLING_UPDATE,
    },
  },
  'apps.v1.StatefulSetUpdateStrategy': { fields: { type: UPDATE_STRATEGY } },
  'autoscaling.v1.HorizontalPodAutoscalerSpec': { fields: { maxReplicas: { minimum: 1 }, minReplicas: REPLICAS } },
  'autoscaling.v1.ScaleSpec': { fields: { replicas: NOT_NEGATIVE } },
  'autoscaling.v2.HPAScalingPolicy': {
    fields: { periodSeconds: { minimum: 1, maximum: 1800 }, type: { enum: ['Pods', 'Percent'] }, value: { minimum: 1 } },
  },
  'autoscaling.v2.HPAScalingRules': {
    fields: { selectPolicy: { enum: ['Max', 'Min', 'Disabled'] }, stabilizationWindowSeconds: { minimum: 0, maximum: 3600 } },
  },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': { fields: { maxReplicas: { minimum: 1 }, minReplicas: REPLICAS } },
  'autoscaling.v2.MetricSpec': { fields: { type: { enum: ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'] } } },
  'autoscaling.v2.MetricTarget': {
    fields: { averageUtilization: { minimum: 1 }, type: { enum: ['Utilization', 'Value', 'AverageValue'] } },
  },
  'batch.v1.CronJobSpec': {
    fields: {
      concurrencyPolicy: { enum: ['Allow', 'Forbid', 'Replace'], default: 'Allow' },
      failedJobsHistoryLimit: REPLICAS,
      startingDeadlineSeconds: NOT_NEGATIVE,
      successfulJobsHistoryLimit: { minimum: 0, default: 3 },
      suspend: { default: false },
    },
  },
  'batch.v1.Job': { required: ['spec'] },
  'batch.v1.JobSpec': {
    fields: {
      activeDeadlineSeconds: { minimum: 1 },
      backoffLimit: NOT_NEGATIVE,
      completionMode: { enum: ['Indexed', 'NonIndexed'] },
      completions: NOT_NEGATIVE,
      parallelism: NOT_NEGATIVE,
      podReplacementPolicy: { enum: ['Failed', 'TerminatingOrFailed'] },
      ttlSecondsAfterFinished: NOT_NEGATIVE,
    },
  },
  'batch.v1.PodFailurePolicyOnExitCodesRequirement': { fields: { operator: { enum: ['In', 'NotIn'] } } },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': { fields: { status: { default: 'True' } } },
  'batch.v1.PodFailurePolicyRule': { fields: { action: { enum: ['FailJob', 'FailIndex', 'Ignore', 'Count'] } } },
  'policy.v1.PodDisruptionBudgetSpec': { fields: { unhealthyPodEvictionPolicy: { enum: ['AlwaysAllow', 'IfHealthyBudget'] } } },
  'scheduling.v1.PriorityClass': {
    fields: { preemptionPolicy: { enum: ['PreemptLowerPriority', 'Never'], default: 'PreemptLowerPriority' } },
  },
};
