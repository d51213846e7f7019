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

const CONDITIONS = all(listMap(['type']), saying('What is true of it now, one entry per type.'));
// Lists of conditions that the API declares for strategic merge, but not as a map list.
const ATOMIC_CONDITIONS = mergedAtomicList('type');
const REPLICAS = all(withDefault(1), notNegative, saying('How many pods are wanted.'));
const MIN_READY = all(notNegative, saying('Seconds that a new pod must have been ready to count as available.'));
const HISTORY = all(withDefault(10), notNegative, saying('How many old revisions are kept.'));
const SELECTOR = saying('Labels of the pods that belong to it; it cannot be changed.');
const TEMPLATE = saying('What the pods look like.');
const SPEC = all(required, saying('What is wanted.'));
const STATUS = saying('What was last seen; written by the cluster.');
const RETENTION = oneOf('Retain', 'Delete');
const RESOURCE_METRIC: FieldFacts = saying('cpu or memory.');

/** apps, batch, autoscaling, policy and scheduling. */
export const WORKLOAD_FACTS: FactsByType = {
  V1Deployment: {
    description: 'Keeps a number of equal pods running and rolls out changes to them.',
    fields: { spec: SPEC, status: STATUS },
  },
  V1DeploymentSpec: {
    description: 'What is wanted of a deployment.',
    fields: {
      replicas: REPLICAS,
      minReadySeconds: MIN_READY,
      selector: SELECTOR,
      template: TEMPLATE,
      revisionHistoryLimit: HISTORY,
      progressDeadlineSeconds: all(withDefault(600), saying('Seconds without progress after which a rollout counts as failed.')),
      strategy: all(withDefault({ type: 'RollingUpdate' }), retainKeys, saying('How old pods give way to new ones.')),
      paused: saying('Changes of the template are not rolled out.'),
    },
  },
  V1DeploymentStrategy: { fields: { type: all(oneOf('Recreate', 'RollingUpdate'), withDefault('RollingUpdate')) } },
  V1RollingUpdateDeployment: {
    fields: {
      maxSurge: all(withDefault('25%'), saying('How many pods there may be above the wanted number, as a number or a percentage.')),
      maxUnavailable: all(withDefault('25%'), saying('How many pods may be missing meanwhile, as a number or a percentage.')),
    },
  },
  V1DeploymentStatus: { fields: { conditions: CONDITIONS } },

  V1ReplicaSet: { description: 'Keeps a number of equal pods running.', fields: { spec: SPEC, status: STATUS } },
  V1ReplicaSetSpec: { fields: { replicas: REPLICAS, minReadySeconds: MIN_READY, selector: SELECTOR, template: TEMPLATE } },
  V1ReplicaSetStatus: { fields: { conditions: CONDITIONS } },

  V1StatefulSet: { description: 'Keeps pods running that have a name and storage of their own.', fields: { spec: SPEC, status: STATUS } },
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
      volumeClaimTemplates: all(atomicList, saying('Claims that each pod gets for itself.')),
      serviceName: saying('Service that gives the pods their names in DNS.'),
    },
  },
  V1StatefulSetUpdateStrategy: { fields: { type: all(oneOf('OnDelete', 'RollingUpdate'), withDefault('RollingUpdate')) } },
  V1RollingUpdateStatefulSetStrategy: { fields: { partition: all(withDefault(0), notNegative) } },
  V1StatefulSetPersistentVolumeClaimRetentionPolicy: {
    fields: { whenDeleted: all(RETENTION, withDefault('Retain')), whenScaled: all(RETENTION, withDefault('Retain')) },
  },
  V1StatefulSetStatus: { fields: { conditions: CONDITIONS } },

  V1DaemonSet: { description: 'Keeps one pod running on every node that suits.', fields: { spec: SPEC, status: STATUS } },
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
  V1ControllerRevision: { description: 'A past state of a workload.' },

  V1Job: { description: 'Runs pods until enough of them have succeeded.', fields: { spec: SPEC, status: STATUS } },
  V1JobTemplateSpec: { fields: { metadata: withDefault({}) } },
  V1JobSpec: {
    fields: {
      activeDeadlineSeconds: all({ minimum: 1 }, saying('Seconds after which the job is failed.')),
      backoffLimit: all(notNegative, saying('Failures after which the job is failed.')),
      completions: all(notNegative, saying('How many pods must succeed.')),
      completionMode: oneOf('Indexed', 'NonIndexed'),
      parallelism: all(notNegative, saying('How many pods run at once.')),
      podReplacementPolicy: oneOf('Failed', 'TerminatingOrFailed'),
      suspend: saying('Pods are not created meanwhile.'),
      template: TEMPLATE,
      ttlSecondsAfterFinished: all(notNegative, saying('Seconds after its end at which the job is deleted.')),
    },
  },
  V1PodFailurePolicy: { fields: { rules: atomicList } },
  V1PodFailurePolicyRule: { fields: { action: oneOf('FailJob', 'FailIndex', 'Ignore', 'Count'), onPodConditions: atomicList } },
  V1PodFailurePolicyOnExitCodesRequirement: { fields: { operator: oneOf('In', 'NotIn'), values: setList } },
  V1PodFailurePolicyOnPodConditionsPattern: { fields: { status: withDefault('True') } },
  V1SuccessPolicy: { fields: { rules: atomicList } },
  V1JobStatus: { fields: { conditions: all(ATOMIC_CONDITIONS, saying('What is true of it now.')) } },
  V1UncountedTerminatedPods: { fields: { failed: setList, succeeded: setList } },
  V1CronJob: { description: 'Creates jobs on a schedule.', fields: { status: STATUS } },
  V1CronJobSpec: {
    fields: {
      schedule: saying('When, as five cron fields.'),
      timeZone: saying('IANA time zone of the schedule.'),
      concurrencyPolicy: all(oneOf('Allow', 'Forbid', 'Replace'), withDefault('Allow')),
      suspend: all(withDefault(false), saying('No jobs are created meanwhile.')),
      successfulJobsHistoryLimit: all(withDefault(3), notNegative),
      failedJobsHistoryLimit: all(withDefault(1), notNegative),
      startingDeadlineSeconds: all(notNegative, saying('A job that is later than this is not started.')),
      jobTemplate: saying('What the jobs look like.'),
    },
  },
  V1CronJobStatus: { fields: { active: atomicList } },

  V2HorizontalPodAutoscaler: { description: 'Sets the number of replicas of a workload by what it uses.', fields: { status: STATUS } },
  V2HorizontalPodAutoscalerSpec: {
    fields: {
      scaleTargetRef: saying('Workload whose replicas are set.'),
      minReplicas: all(withDefault(1), notNegative, saying('The fewest replicas.')),
      maxReplicas: all({ minimum: 1 }, saying('The most replicas.')),
      metrics: all(atomicList, saying('What is measured, and which value is aimed at.')),
      behavior: saying('How fast it moves up and down.'),
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
  V1Scale: { description: 'How many replicas a workload is to have, and has.' },
  V1ScaleSpec: { fields: { replicas: all(notNegative, withDefault(0)) } },

  V1PodDisruptionBudget: { description: 'How many of a set of pods may be evicted at once.', fields: { status: STATUS } },
  V1PodDisruptionBudgetSpec: {
    fields: {
      selector: { 'x-kubernetes-patch-strategy': 'replace', description: 'Pods that the budget covers.' },
      minAvailable: saying('How many must stay available, as a number or a percentage.'),
      maxUnavailable: saying('How many may be missing, as a number or a percentage.'),
      unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
    },
  },
  V1PodDisruptionBudgetStatus: {
    fields: { conditions: CONDITIONS, disruptionsAllowed: saying('How many pods may be evicted now.') },
  },
  V1Eviction: { description: 'Asks a pod to leave its node, if its disruption budgets allow.' },
  V1DeleteOptions: { fields: { dryRun: atomicList } },
  V1PriorityClass: {
    description: 'A priority with a name.',
    fields: {
      preemptionPolicy: all(oneOf('PreemptLowerPriority', 'Never'), withDefault('PreemptLowerPriority')),
      value: saying('The priority; higher goes first.'),
    },
  },
  V1RuntimeClass: { description: 'A way to run containers.' },
  V1Overhead: { fields: { podFixed: resourceList } },
  V1Scheduling: { fields: { nodeSelector: { 'x-kubernetes-map-type': 'atomic' }, tolerations: atomicList } },
};
