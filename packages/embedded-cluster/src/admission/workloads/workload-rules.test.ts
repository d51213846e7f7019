import { describe, expect, test } from '@jest/globals';
import { aDeployment, aPodTemplate } from '../../../testing/workloads.ts';
import { FakeClusterAccess } from '../../../testing/fake-cluster-access.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { embeddedStrategies } from '../index.ts';

function aCluster(): FakeClusterAccess {
  return new FakeClusterAccess(new ManualClock(), { strategies: embeddedStrategies() });
}

const jobTemplate = { ...aPodTemplate(), spec: { ...aPodTemplate().spec, restartPolicy: 'Never' } };

function an(kind: string, spec: object): object {
  return { apiVersion: 'v1', kind, metadata: { name: 'web', namespace: 'shop' }, spec };
}

const aCronJob = (spec: object): object =>
  an('CronJob', { schedule: '0 * * * *', jobTemplate: { spec: { template: jobTemplate } }, ...spec });
const anAutoscaler = (spec: object): object =>
  an('HorizontalPodAutoscaler', { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3, ...spec });

describe('refused when it is created:', () => {
  test.each<[string, string, object, string]>([
    [
      'a selector that misses its template',
      'deployments.apps',
      aDeployment({ spec: { selector: { matchLabels: { app: 'x' } } } }),
      '`selector` does not match template `labels`',
    ],
    [
      'a negative size',
      'deployments.apps',
      aDeployment({ replicas: -1 }),
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'a roll-out that could never move',
      'deployments.apps',
      aDeployment({ spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } } }),
      'may not be 0 when `maxSurge` is 0',
    ],
    [
      'a deployment of pods that end',
      'deployments.apps',
      aDeployment({ spec: { template: jobTemplate } }),
      'spec.template.spec.restartPolicy: Unsupported value: "Never"',
    ],
    [
      'a job of pods that never end',
      'jobs.batch',
      an('Job', { template: aPodTemplate() }),
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    ['a schedule that is none', 'cronjobs.batch', aCronJob({ schedule: 'every hour' }), 'spec.schedule: Invalid value: "every hour"'],
    ['a time zone that is none', 'cronjobs.batch', aCronJob({ timeZone: 'Mars/Olympus' }), 'spec.timeZone: Invalid value: "Mars/Olympus"'],
    [
      'a budget that says both',
      'poddisruptionbudgets.policy',
      an('PodDisruptionBudget', { minAvailable: 1, maxUnavailable: 1 }),
      'minAvailable and maxUnavailable cannot be both set',
    ],
    ['a budget of no share', 'poddisruptionbudgets.policy', an('PodDisruptionBudget', { minAvailable: 'half' }), 'a valid percent string'],
    [
      'an autoscaler upside down',
      'horizontalpodautoscalers.autoscaling',
      anAutoscaler({ minReplicas: 5 }),
      'must be greater than or equal to `minReplicas`',
    ],
    [
      'a metric without a target',
      'horizontalpodautoscalers.autoscaling',
      anAutoscaler({ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] }),
      'must set either a target raw value or a target utilization',
    ],
    [
      'a node port out of range',
      'services',
      an('Service', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
      'range of valid ports is 30000-32767',
    ],
    ['ports without names', 'services', an('Service', { ports: [{ port: 80 }, { port: 81 }] }), 'spec.ports[0].name: Required value'],
    [
      'bounds that contradict',
      'limitranges',
      an('LimitRange', { limits: [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }] }),
      'min value 2 is greater than max value 1',
    ],
    ['a quota below nothing', 'resourcequotas', an('ResourceQuota', { hard: { pods: '-1' } }), 'spec.hard[pods]: Invalid value: "-1"'],
  ])('%s', (_, resource, object, words) => {
    expect(() => aCluster().create(resource, object)).toThrow(words);
  });
});

describe('refused when it is changed:', () => {
  test.each<[string, string, object, (draft: KubeObject) => void, string]>([
    ['a selector', 'deployments.apps', aDeployment(), (draft) => select(draft, { app: 'web', tier: 'x' }), 'spec.selector: Invalid value'],
    [
      'a priority',
      'priorityclasses.scheduling.k8s.io',
      { ...an('PriorityClass', {}), value: 5 },
      (draft) => (draft['value'] = 6),
      'value: Invalid value: 6: field is immutable',
    ],
    [
      'an immutable secret',
      'secrets',
      { ...an('Secret', {}), immutable: true, data: {} },
      (draft) => (draft['data'] = { a: '' }),
      'immutable when `immutable` is set',
    ],
    ['what a job runs', 'jobs.batch', an('Job', { template: jobTemplate }), (draft) => retemplate(draft), 'spec.template: Invalid value'],
  ])('%s', (_, resource, object, change, words) => {
    const cluster = aCluster();
    cluster.create(resource, object);
    expect(() => cluster.modify(resource, 'shop', 'web', change)).toThrow(words);
  });

  function select(draft: KubeObject, labels: Record<string, string>): void {
    const spec = draft['spec'] as { selector: object; template: { metadata: { labels: object } } };
    spec.selector = { matchLabels: labels };
    spec.template.metadata.labels = labels;
  }
  function retemplate(draft: KubeObject): void {
    (draft['spec'] as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]!.image = 'other:2';
  }
});

test('a secret moves stringData into its data', () => {
  const secret = aCluster().create('secrets', { ...an('Secret', {}), stringData: { password: 'p' } });
  expect(secret['data']).toEqual({ password: 'cA==' });
  expect(secret['stringData']).toBeUndefined();
});
