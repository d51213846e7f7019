import type { Instant } from '#kube/units';
import type { KubeObject } from '../../api/kube-object.ts';
import { ageOf, humanDuration } from '../ages.ts';
import type { Column, Fields } from './column.ts';
import {
  AGE,
  containerColumns,
  count,
  fieldsAt,
  itemsAt,
  labelsText,
  listed,
  NAME,
  numberAt,
  selectorText,
  text,
  textAt,
  valueAt,
  wide,
} from './column.ts';

const TEMPLATE = containerColumns('spec', 'template');
const SELECTOR = wide('Selector', 'Labels of its pods.', (object) => selectorText(valueAt(object, 'spec', 'selector')));

function counted(name: string, description: string, ...path: readonly string[]): Column {
  return count(name, description, (object) => numberAt(object, ...path));
}

const REPLICA_SET: readonly Column[] = [
  NAME,
  counted('Desired', 'Desired pods.', 'spec', 'replicas'),
  counted('Current', 'Current pods.', 'status', 'replicas'),
  counted('Ready', 'Ready pods.', 'status', 'readyReplicas'),
  AGE,
  ...TEMPLATE,
];

/** apps, batch, autoscaling and policy, by resource. */
export const WORKLOAD_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  'deployments.apps': [
    NAME,
    text('Ready', 'Ready pods of the desired ones.', readyOfWanted),
    counted('Up-to-date', 'Pods with the latest template.', 'status', 'updatedReplicas'),
    counted('Available', 'Available pods: ready for at least minReadySeconds.', 'status', 'availableReplicas'),
    AGE,
    ...TEMPLATE,
    SELECTOR,
  ],
  'replicasets.apps': [...REPLICA_SET, SELECTOR],
  replicationcontrollers: [
    ...REPLICA_SET,
    wide('Selector', 'Labels of its pods.', (object) => labelsText(fieldsAt(object, 'spec', 'selector'))),
  ],
  'statefulsets.apps': [NAME, text('Ready', 'Ready pods of the desired ones.', readyOfWanted), AGE, ...TEMPLATE],
  'daemonsets.apps': [
    NAME,
    counted('Desired', 'Nodes that should run the pod.', 'status', 'desiredNumberScheduled'),
    counted('Current', 'Nodes that run the pod.', 'status', 'currentNumberScheduled'),
    counted('Ready', 'Nodes with a ready pod.', 'status', 'numberReady'),
    counted('Up-to-date', 'Nodes with a pod of the latest template.', 'status', 'updatedNumberScheduled'),
    counted('Available', 'Nodes with an available pod: ready for at least minReadySeconds.', 'status', 'numberAvailable'),
    text('Node Selector', 'Required labels of its nodes.', (object) =>
      labelsText(fieldsAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
    ),
    AGE,
    ...TEMPLATE,
    SELECTOR,
  ],
  'controllerrevisions.apps': [
    NAME,
    text('Controller', 'Workload of the revision.', (object) => {
      const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
      return owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}.${owner.apiVersion.split('/')[0] ?? ''}/${owner.name}`;
    }),
    counted('Revision', 'Number of the revision.', 'revision'),
    AGE,
  ],
  podtemplates: [NAME, ...containerColumns('template').map((column) => ({ ...column, priority: 0 as const })), podLabels()],
  'jobs.batch': [
    NAME,
    text('Status', 'Status of the job.', jobStatus),
    text('Completions', 'Succeeded pods of the required ones.', jobCompletions),
    text('Duration', 'Duration of the job.', jobDuration),
    AGE,
    ...TEMPLATE,
    SELECTOR,
  ],
  'cronjobs.batch': [
    NAME,
    text('Schedule', 'Schedule of the jobs.', (object) => textAt(object, ['spec', 'schedule'])),
    text('Timezone', 'Time zone of the schedule.', (object) => textAt(object, ['spec', 'timeZone'], '<none>')),
    {
      ...text('Suspend', 'Whether the creation of jobs is suspended.', (object) => valueAt(object, 'spec', 'suspend') === true),
      type: 'boolean',
    },
    count('Active', 'Active jobs.', (object) => itemsAt(object, 'status', 'active').length),
    text('Last Schedule', 'Time since the last job was created.', (object, now) => {
      const last = valueAt(object, 'status', 'lastScheduleTime');
      return last === undefined ? '<none>' : ageOf(last, now);
    }),
    AGE,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
    wide('Selector', 'Labels of the pods of its jobs.', (object) =>
      selectorText(valueAt(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    ),
  ],
  'horizontalpodautoscalers.autoscaling': [
    NAME,
    text('Reference', 'The scaled workload.', (object) => {
      const target = fieldsAt(object, 'spec', 'scaleTargetRef');
      return `${textAt(target, ['kind'])}/${textAt(target, ['name'])}`;
    }),
    text('Targets', 'Current and target values of the metrics.', autoscalerTargets),
    text('MinPods', 'Minimum number of replicas.', (object) => textAt(object, ['spec', 'minReplicas'], '<unset>')),
    counted('MaxPods', 'Maximum number of replicas.', 'spec', 'maxReplicas'),
    counted('Replicas', 'Replicas now.', 'status', 'currentReplicas'),
    AGE,
  ],
  'poddisruptionbudgets.policy': [
    NAME,
    text('Min Available', 'Pods that must stay available.', (object) => textAt(object, ['spec', 'minAvailable'], 'N/A')),
    text('Max Unavailable', 'Maximum number of unavailable pods.', (object) => textAt(object, ['spec', 'maxUnavailable'], 'N/A')),
    counted('Allowed Disruptions', 'Pods that may be evicted now.', 'status', 'disruptionsAllowed'),
    AGE,
  ],
};

function podLabels(): Column {
  return text('Pod Labels', 'Labels of the pods.', (object) => labelsText(fieldsAt(object, 'template', 'metadata', 'labels')));
}

function readyOfWanted(object: KubeObject): string {
  return `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`;
}

function jobStatus(job: KubeObject): string {
  const conditions = itemsAt(job, 'status', 'conditions').filter((condition) => condition['status'] === 'True');
  const has = (type: string): boolean => conditions.some((condition) => condition['type'] === type);
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function jobCompletions(job: KubeObject): string {
  const succeeded = numberAt(job, 'status', 'succeeded');
  const wanted = valueAt(job, 'spec', 'completions');
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: Instant): string {
  const started = textAt(job, ['status', 'startTime']);
  if (started === '') return '';
  const ended = textAt(job, ['status', 'completionTime']);
  return humanDuration((ended === '' ? now : Date.parse(ended)) - Date.parse(started));
}

const SHOWN_METRICS = 2;

function autoscalerTargets(autoscaler: KubeObject): string {
  const current = itemsAt(autoscaler, 'status', 'currentMetrics');
  // autoscaling/v1 supports one metric, the CPU.
  const legacy = textAt(autoscaler, ['spec', 'targetCPUUtilizationPercentage']);
  if (legacy !== '') {
    const now = textAt(autoscaler, ['status', 'currentCPUUtilizationPercentage']);
    return `cpu: ${now === '' ? '<unknown>' : `${now}%`}/${legacy}%`;
  }
  const targets = itemsAt(autoscaler, 'spec', 'metrics').map((metric, index) => metricText(metric, current[index] ?? {}));
  return listed(targets, SHOWN_METRICS, ', ');
}

function metricText(metric: Fields, status: Fields): string {
  const type = textAt(metric, ['type']);
  const source = type.charAt(0).toLowerCase() + type.slice(1);
  const target = fieldsAt(metric, source, 'target');
  const measured = fieldsAt(status, source, 'current');
  const isResource = source === 'resource' || source === 'containerResource';
  const label = isResource ? `${textAt(metric, [source, 'name'])}: ` : '';
  if (target['averageUtilization'] !== undefined) {
    const now = textAt(measured, ['averageUtilization']);
    return `${label}${now === '' ? '<unknown>' : `${now}%`}/${textAt(target, ['averageUtilization'])}%`;
  }
  const average = target['averageValue'] !== undefined;
  const field = average ? 'averageValue' : 'value';
  return `${label}${textAt(measured, [field], '<unknown>')}/${textAt(target, [field])}${average && !isResource && source !== 'pods' ? ' (avg)' : ''}`;
}
