import { describe, expect, test } from '@jest/globals';
import { aWorkload, packFiles, REQUESTS } from '../../../../../test/builders/pack-files.ts';

const POOLS = [
  'machine_type,vcpu,memory_gib,usd_per_hour,labels,taints',
  'small,4,16,0.2,,',
  'kata,8,32,0.9,runtime=kata,runtime=kata:NoSchedule',
  '',
].join('\n');

const WEB = aWorkload('web', 1, `{ ${REQUESTS} }`);

function names(manifests: readonly string[]): string[] {
  const { problems, pods } = packFiles(manifests, POOLS);
  expect(problems).toEqual([]);
  return pods.map(({ pod }) => pod ?? '').sort();
}

function aJob(spec: string, status = '{}'): string {
  return `apiVersion: batch/v1\nkind: Job\nmetadata: { name: job }\nspec: { ${spec}, template: { spec: { ${REQUESTS} } } }\nstatus: ${status}\n`;
}

describe('a Job has as many pods as', () => {
  test.each([
    ['it runs at once', 'parallelism: 3', '{}', 3],
    ['completions are left', 'parallelism: 5, completions: 3', '{ succeeded: 1 }', 2],
    ['none where it is suspended', 'parallelism: 5, suspend: true', '{}', 0],
    ['none where it is complete', 'parallelism: 5', '{ conditions: [{ type: Complete, status: "True" }] }', 0],
    ['none where it has failed', 'parallelism: 5', '{ conditions: [{ type: Failed, status: "True" }] }', 0],
    ['it runs at once where it has not failed', 'parallelism: 5', '{ conditions: [{ type: Failed, status: "False" }] }', 5],
  ])('%s', (_, spec, status, count) => {
    expect(names([WEB, aJob(spec, status)])).toHaveLength(1 + count);
  });
});

describe('an object whose controller is in the file', () => {
  const owned = (apiVersion: string, kind: string, name: string, owner: string, labels = '{}'): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: ${name}, namespace: shop, labels: ${labels}, ownerReferences: [${owner}] }\n`;
  const byWeb = '{ apiVersion: apps/v1, kind: Deployment, name: web, controller: true }';
  const byReplicas = '{ apiVersion: apps/v1, kind: ReplicaSet, name: web-5d, controller: true }';
  const replicas = `${owned('apps/v1', 'ReplicaSet', 'web-5d', byWeb)}spec: { template: { spec: { ${REQUESTS} } } }\n`;
  const pod = (labels?: string): string => `${owned('v1', 'Pod', 'web-5d-x', byReplicas, labels)}spec: { ${REQUESTS} }\n`;

  test('is left out, and a note has the count', () => {
    const { pods, notes } = packFiles([WEB, replicas, pod()], POOLS);
    expect(pods.map(({ pod: name }) => name)).toEqual(['shop/web-0']);
    expect(notes).toEqual(['2 objects left out whose controller is in the file, too: pods count once']);
  });

  test('is left out where the ReplicaSet between them is not in the file', () => {
    expect(names([WEB, pod('{ pod-template-hash: 5d }')])).toEqual(['shop/web-0']);
  });

  test('counts where its controller is of another namespace, or not in the file', () => {
    expect(names([WEB.replace('namespace: shop', 'namespace: bank'), replicas])).toEqual(['bank/web-0', 'shop/web-5d-0']);
    expect(names([pod()])).toEqual(['shop/web-5d-x']);
  });
});

describe('an object of another API group', () => {
  test('is of another kind: it is left out, and a note names it', () => {
    const { pods, notes } = packFiles([WEB, aJob('parallelism: 3').replace('batch/v1', 'batch.volcano.sh/v1alpha1')], POOLS);
    expect(pods).toHaveLength(1);
    expect(notes).toEqual(['1 object of other API groups left out: batch.volcano.sh/v1alpha1 Job']);
  });
});

describe('a pod spec', () => {
  test.each([
    ['without containers', '{}', 'spec.template.spec.containers: is empty; add a container'],
    ['that names its node', `{ ${REQUESTS}, nodeName: n1 }`, 'spec.template.spec.nodeName: names a node; remove it'],
    [
      'of an unknown RuntimeClass',
      `{ ${REQUESTS}, runtimeClassName: gvisor }`,
      'names the RuntimeClass gvisor, which is not in the file; add it',
    ],
    [
      'with a spread that is misspelt',
      `{ ${REQUESTS}, topologySpreadConstraints: [{ whenUnsatisfiable: DoNotSchedul, topologyKey: kubernetes.io/hostname }] }`,
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: "DoNotSchedul" must be DoNotSchedule or ScheduleAnyway',
    ],
    [
      'with a toleration that is misspelt',
      `{ ${REQUESTS}, tolerations: [{ operator: Exists, effect: NoSchdule }] }`,
      'spec.tolerations[0].effect: "NoSchdule" must be NoSchedule, PreferNoSchedule or NoExecute',
    ],
  ])('%s is refused', (_, spec, problem) => {
    const { problems } = packFiles([aWorkload('web', 1, spec)], POOLS);
    expect(problems).toEqual([`./pods.yaml:1: Deployment shop/web: ${problem}`]);
  });

  test('with scheduling gates is left out, and a note has the count', () => {
    const { pods, notes } = packFiles([WEB, aWorkload('gated', 2, `{ ${REQUESTS}, schedulingGates: [{ name: wait }] }`)], POOLS);
    expect(pods).toHaveLength(1);
    expect(notes).toEqual(['2 pods with scheduling gates left out: kube-scheduler places none of them yet']);
  });

  test('with scheduling gates alone leaves no pod, which is a problem with its cause', () => {
    expect(packFiles([aWorkload('gated', 2, `{ ${REQUESTS}, schedulingGates: [{ name: wait }] }`)], POOLS).problems).toEqual([
      './pods.yaml: has no pod (2 pods with scheduling gates left out: kube-scheduler places none of them yet); add one for each that is to be packed',
    ]);
  });

  test('has the overhead, node selector and tolerations of its RuntimeClass', () => {
    const scheduling = '{ nodeSelector: { runtime: kata }, tolerations: [{ key: runtime, operator: Exists }] }';
    const kata = `{ apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: { name: kata }, overhead: { podFixed: { cpu: 4 } }, scheduling: ${scheduling} }\n`;
    const { problems, pods } = packFiles([aWorkload('web', 2, `{ ${REQUESTS}, runtimeClassName: kata }`), kata], POOLS);
    expect(problems).toEqual([]);
    expect(pods.map(({ node, machine_type: type }) => [node, type])).toEqual([
      ['kata-1', 'kata'],
      ['kata-2', 'kata'],
    ]);
  });

  test('of a wrong type is a problem with its kind', () => {
    const { problems } = packFiles(['apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { containers: { name: c } }\n'], POOLS);
    expect(problems).toEqual(['./pods.yaml:1: Pod p: spec.containers: expected a list, got an object']);
  });
});
