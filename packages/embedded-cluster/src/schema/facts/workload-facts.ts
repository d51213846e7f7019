import type { FactsByType, FieldFacts } from '../schema-facts.ts';
import {
  all,
  atomicList,
  listMap,
  mergedAtomicList,
  notNegative,
  oneOf,
  quantity,
  required,
  resourceList,
  retainKeys,
  saying,
  setList,
  withDefault,
} from '../schema-facts.ts';

const CONDITIONS = all(listMap(['type']), saying('Current conditions, one entry per type.'));
// Lists of conditions that the API declares for strategic merge, but not as a map list.
const ATOMIC_CONDITIONS = mergedAtomicList('type');
const REPLICAS = all(withDefault(1), notNegative, saying('Desired number of pods.'));
const MIN_READY = all(notNegative, saying('Seconds that a new pod must be ready before it counts as available.'));
const HISTORY = all(withDefault(10), notNegative, saying('Number of old revisions to keep.'));
const SELECTOR = saying('Labels of its pods; immutable.');
const TEMPLATE = saying('Template of the pods.');
const SPEC = all(required, saying('What is wanted.'));
const STATUS = saying('Observed state; written by the cluster.');
const RETENTION = oneOf('Retain', 'Delete');
const RESOURCE_METRIC: FieldFacts = saying('cpu or memory.');

/** apps, batch, autoscaling, policy and scheduling. */
export const WORKLOAD_FACTS: FactsByType = {
  V1Deployment: {
    description: 'Keeps a number of equal pods running and rolls out changes to them.',
    fields: { spec: SPEC, status: STATUS },
  },
  V1DeploymentSpec: {
    description: 'Desired state of the deployment.',
    fields: {
      replicas: REPLICAS,
      minReadySeconds: MIN_READY,
      selector: SELECTOR,
      template: TEMPLATE,
      revisionHistoryLimit: HISTORY,
      progressDeadlineSeconds: all(withDefault(600), saying('Seconds without progress after which a rollout fails.')),
      strategy: all(withDefault({ type: 'RollingUpdate' }), retainKeys, saying('Strategy for replacing old pods.')),
      paused: saying('Changes of the template are not rolled out.'),
    },
  },
  V1DeploymentStrategy: { fields: { type: all(oneOf('Recreate', 'RollingUpdate'), withDefault('RollingUpdate')) } },
  V1RollingUpdateDeployment: {
    fields: {
      maxSurge: all(withDefault('25%'), saying('Maximum number of pods above the desired number, as a number or a percentage.')),
      maxUnavailable: all(withDefault('25%'), saying('Maximum number of unavailable pods during the update, as a number or a percentage.')),
    },
  },
  V1DeploymentStatus: { fields: { conditions: CONDITIONS } },

  V1ReplicaSet: { description: 'Keeps a number of equal pods running.', fields: { spec: SPEC, status: STATUS } },
  V1ReplicaSetSpec: { fields: { replicas: REPLICAS, minReadySeconds: MIN_READY, selector: SELECTOR, template: TEMPLATE } },
  V1ReplicaSetStatus: { fields: { conditions: CONDITIONS } },

  V1StatefulSet: { description: 'Keeps pods running that have stable names and storage.', fields: { spec: SPEC, status: STATUS } },
  V1StatefulSetSpec: {
    fields: {
      replicas: REPLICAS,
      minReadySeconds: MIN_READY,
      selector: SELECTOR,
      template: TEMPLATE,
      revisionHistoryLimit: HISTORY,
      podManagementPolicy: all(oneOf('OrderedReady', 'Parallel'), withDefault('OrderedReady')),
      updateStrategy: withDefault({ type: 'RollingUpdate' }),
      persistentVolumeClaimRetentionPolicy: withDefault({ whenDeleted: 'Retain', whenScaled: 'Retain' }),
      volumeClaimTemplates: all(atomicList, saying('Templates of the claims of each pod.')),
      serviceName: saying('Service for the DNS names of the pods.'),
    },
  },
  V1StatefulSetUpdateStrategy: { fields: { type: all(oneOf('OnDelete', 'RollingUpdate'), withDefault('RollingUpdate')) } },
  V1RollingUpdateStatefulSetStrategy: { fields: { partition: all(withDefault(0), notNegative) } },
  V1StatefulSetPersistentVolumeClaimRetentionPolicy: {
    fields: { whenDeleted: all(RETENTION, withDefault('Retain')), whenScaled: all(RETENTION, withDefault('Retain')) },
  },
  V1StatefulSetStatus: { fields: { conditions: CONDITIONS } },

  V1DaemonSet: { description: 'Keeps one pod running on every eligible node.', fields: { spec: SPEC, status: STATUS } },
  V1DaemonSetSpec: {
    fields: {
      minReadySeconds: MIN_READY,
      selector: SELECTOR,
      template: TEMPLATE,
      revisionHistoryLimit: HISTORY,
      updateStrategy: withDefault({ type: 'RollingUpdate' }),
    },
  },
  V1DaemonSetUpdateStrategy: { fields: { type: all(oneOf('OnDelete', 'RollingUpdate'), withDefault('RollingUpdate')) } },
  V1RollingUpdateDaemonSet: { fields: { maxSurge: withDefault(0), maxUnavailable: withDefault(1) } },
  V1DaemonSetStatus: { fields: { conditions: CONDITIONS } },
  V1ControllerRevision: { description: 'A revision of a workload.' },

  V1Job: { description: 'Runs pods until enough of them have succeeded.', fields: { spec: SPEC, status: STATUS } },
  V1JobTemplateSpec: { fields: { metadata: withDefault({}) } },
  V1JobSpec: {
    fields: {
      activeDeadlineSeconds: all({ minimum: 1 }, saying('Seconds after which the job fails.')),
      backoffLimit: all(notNegative, saying('Number of failures after which the job fails.')),
      completions: all(notNegative, saying('Number of pods that must succeed.')),
      completionMode: oneOf('Indexed', 'NonIndexed'),
      parallelism: all(notNegative, saying('Maximum number of concurrent pods.')),
      podReplacementPolicy: oneOf('Failed', 'TerminatingOrFailed'),
      suspend: saying('Whether the creation of pods is suspended.'),
      template: TEMPLATE,
      ttlSecondsAfterFinished: all(notNegative, saying('Seconds after its end at which the job is deleted.')),
    },
  },
  V1PodFailurePolicy: { fields: { rules: atomicList } },
  V1PodFailurePolicyRule: { fields: { action: oneOf('FailJob', 'FailIndex', 'Ignore', 'Count'), onPodConditions: atomicList } },
  V1PodFailurePolicyOnExitCodesRequirement: { fields: { operator: oneOf('In', 'NotIn'), values: setList } },
  V1PodFailurePolicyOnPodConditionsPattern: { fields: { status: withDefault('True') } },
  V1SuccessPolicy: { fields: { rules: atomicList } },
  V1JobStatus: { fields: { conditions: all(ATOMIC_CONDITIONS, saying('Current conditions.')) } },
  V1UncountedTerminatedPods: { fields: { failed: setList, succeeded: setList } },
  V1CronJob: { description: 'Creates jobs on a schedule.', fields: { status: STATUS } },
  V1CronJobSpec: {
    fields: {
      schedule: saying('Schedule as five cron fields.'),
      timeZone: saying('IANA time zone of the schedule.'),
      concurrencyPolicy: all(oneOf('Allow', 'Forbid', 'Replace'), withDefault('Allow')),
      suspend: all(withDefault(false), saying('Whether the creation of jobs is suspended.')),
      successfulJobsHistoryLimit: all(withDefault(3), notNegative),
      failedJobsHistoryLimit: all(withDefault(1), notNegative),
      startingDeadlineSeconds: all(notNegative, saying('Seconds after its time after which a missed job is not started.')),
      jobTemplate: saying('Template of the jobs.'),
    },
  },
  V1CronJobStatus: { fields: { active: atomicList } },

  V2HorizontalPodAutoscaler: { description: 'Scales the replicas of a workload by its usage.', fields: { status: STATUS } },
  V2HorizontalPodAutoscalerSpec: {
    fields: {
      scaleTargetRef: saying('The scaled workload.'),
      minReplicas: all(withDefault(1), notNegative, saying('Minimum number of replicas.')),
      maxReplicas: all({ minimum: 1 }, saying('Maximum number of replicas.')),
      metrics: all(atomicList, saying('Metrics and their targets.')),
      behavior: saying('Rates of scaling up and down.'),
    },
  },
  V2HPAScalingRules: {
    fields: {
      policies: atomicList,
      selectPolicy: oneOf('Max', 'Min', 'Disabled'),
      stabilizationWindowSeconds: { minimum: 0, maximum: 3600 },
      tolerance: quantity,
    },
  },
  V2HPAScalingPolicy: { fields: { type: oneOf('Pods', 'Percent'), value: { minimum: 1 }, periodSeconds: { minimum: 1, maximum: 1800 } } },
  V2MetricSpec: { fields: { type: oneOf('ContainerResource', 'External', 'Object', 'Pods', 'Resource') } },
  V2ResourceMetricSource: { fields: { name: RESOURCE_METRIC } },
  V2MetricTarget: {
    fields: {
      averageUtilization: { minimum: 1 },
      averageValue: quantity,
      value: quantity,
      type: oneOf('Utilization', 'Value', 'AverageValue'),
    },
  },
  V2MetricValueStatus: { fields: { averageValue: quantity, value: quantity } },
  V2HorizontalPodAutoscalerStatus: { fields: { conditions: CONDITIONS, currentMetrics: atomicList } },
  V1HorizontalPodAutoscalerSpec: { fields: { minReplicas: all(withDefault(1), notNegative), maxReplicas: { minimum: 1 } } },
  V1CrossVersionObjectReference: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1Scale: { description: 'Desired and current replicas of a workload.' },
  V1ScaleSpec: { fields: { replicas: all(notNegative, withDefault(0)) } },

  V1PodDisruptionBudget: { description: 'Limits the concurrent evictions of a set of pods.', fields: { status: STATUS } },
  V1PodDisruptionBudgetSpec: {
    fields: {
      selector: { 'x-kubernetes-patch-strategy': 'replace', description: 'Pods of the budget.' },
      minAvailable: saying('Minimum number of available pods, as a number or a percentage.'),
      maxUnavailable: saying('Maximum number of unavailable pods, as a number or a percentage.'),
      unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
    },
  },
  V1PodDisruptionBudgetStatus: {
    fields: { conditions: CONDITIONS, disruptionsAllowed: saying('Number of pods that may be evicted now.') },
  },
  V1Eviction: { description: 'Evicts a pod, if its disruption budgets allow it.' },
  V1DeleteOptions: { fields: { dryRun: atomicList } },
  V1PriorityClass: {
    description: 'A named priority.',
    fields: {
      preemptionPolicy: all(oneOf('PreemptLowerPriority', 'Never'), withDefault('PreemptLowerPriority')),
      value: saying('The priority; higher is scheduled first.'),
    },
  },
  V1RuntimeClass: { description: 'A container runtime configuration.' },
  V1Overhead: { fields: { podFixed: resourceList } },
  V1Scheduling: { fields: { nodeSelector: { 'x-kubernetes-map-type': 'atomic' }, tolerations: atomicList } },
};
