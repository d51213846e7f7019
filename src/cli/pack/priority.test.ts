import { describe, expect, test } from '@jest/globals';
import { aWorkload, packFiles, REQUESTS } from '../../../test/builders/pack-files.ts';

const HEADER = 'machine_type,vcpu,memory_gib,usd_per_hour,max';
/** Of each size, two pods of 1000m fit on a node. */
const pools = (...max: readonly string[]): string =>
  [HEADER, ...max.map((each, at) => `type-${at},2,4,0.${at + 1},${each}`), ''].join('\n');
const csv = (...priorities: readonly (number | '')[]): string =>
  ['name,cpu_milli,memory_mib,priority', ...priorities.map((priority, at) => `p${at},1000,100,${priority}`), ''].join('\n');
const pendingOf = (pods: Parameters<typeof packFiles>[0], pools: string): (readonly [string, number])[] => {
  const { problems, pending } = packFiles(pods, pools);
  expect(problems).toEqual([]);
  return pending.map(({ name, priority }) => [name, priority]);
};

describe('where max of the pools leaves no place for all pods', () => {
  test('those of the lowest priority stay pending, with the reason, and are in no row', () => {
    const { pending, pods } = packFiles(csv(5, 1, 10, '', 5), pools('1', '1'));
    expect(pending).toEqual([{ name: 'p3', priority: 0, reason: 'the pools that it may use are full: type-0 (max 1), type-1 (max 1)' }]);
    expect(pods.map(({ pod }) => pod).sort()).toEqual(['p0', 'p1', 'p2', 'p4']);
  });

  test('a smaller pod of low priority takes what a larger one leaves', () => {
    const pods = 'name,cpu_milli,memory_mib,priority\nhigh,1500,100,10\nmiddle,1500,100,5\nlow,500,100,1\n';
    expect(pendingOf(pods, pools('1'))).toEqual([['middle', 5]]);
  });

  test('an unlimited pool holds all, however few a limited one has', () => {
    expect(pendingOf(csv(1, 2, 3, 4, 5), pools('1', ''))).toEqual([]);
  });

  test('pods that only a limited pool holds get its nodes, whatever the priority of those that others hold', () => {
    const two = `${HEADER}\nlarge,4,4,0.1,1\nsmall,2,4,0.3,\n`;
    const pods = 'name,cpu_milli,memory_mib,priority\na,1000,100,9\nb,1000,100,9\nlarge,4000,100,1\n';
    const { pending, pods: placed } = packFiles(pods, two);
    expect(pending).toEqual([]);
    expect(placed.find(({ pod }) => pod === 'large')?.['machine_type']).toBe('large');
  });

  test('pods of one priority are refused as before, with the resource that is short', () => {
    expect(packFiles(csv('', '', ''), pools('1')).problems[0]).toContain('within max, the machine types offer 2000m CPU');
  });

  test('none is pending where pools have no max', () => {
    expect(pendingOf(csv(1, 2, 3, 4, 5), pools('', ''))).toEqual([]);
  });

  test('priority is a whole number', () => {
    expect(packFiles(csv(1).replace(',1\n', ',high\n'), pools('1')).problems[0]).toContain(
      './pods.csv:2:13: priority: "high" must be a whole number',
    );
  });
});

describe('the priority of a pod of a manifest', () => {
  const web = (name: string, rule: string): string => aWorkload(name, 2, `{ ${REQUESTS.replace('500m', '1000m')}, ${rule} }`);
  const aClass = (name: string, value: number, more = ''): string =>
    `{ apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: { name: ${name} }, value: ${value}${more} }\n`;

  test.each([
    ['its priority', [web('a', 'priority: 5'), web('b', 'priority: 1')]],
    ['its PriorityClass, wherever that is in the file', [web('a', 'priorityClassName: high'), web('b', ''), aClass('high', 100)]],
    ['a class of every cluster', [web('a', 'priorityClassName: system-cluster-critical'), web('b', '')]],
    [
      'the default class',
      [web('a', ''), web('b', 'priorityClassName: low'), aClass('low', -5), aClass('normal', 10, ', globalDefault: true')],
    ],
  ])('is %s', (_, manifests) => {
    expect(pendingOf(manifests, pools('1')).map(([name]) => name)).toEqual(['shop/b-0', 'shop/b-1']);
  });

  test('must be known where pools have a max', () => {
    const manifests = [web('a', 'priorityClassName: gone')];
    expect(packFiles(manifests, pools('1')).problems).toEqual([
      './pods.yaml:1: Deployment shop/a: names the PriorityClass gone, which is not in the file, and pools have a max; add it',
    ]);
    expect(packFiles(manifests, pools('')).problems).toEqual([]);
  });

  test('that leaves pods of a spread pending keeps its skew', () => {
    const spread =
      'topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: topology.kubernetes.io/zone, labelSelector: { matchLabels: { app: web } } }]';
    const zones = 'machine_type,vcpu,memory_gib,usd_per_hour,max,zone\nsmall,2,4,0.1,,a\nsmall,2,4,0.1,1,b\n';
    const pod = REQUESTS.replace('500m', '1000m');
    const manifests = [
      aWorkload('web', 6, `{ ${pod}, ${spread} }`),
      aWorkload('first', 1, `{ ${pod}, priority: 9, nodeSelector: { topology.kubernetes.io/zone: b } }`),
    ];
    const { pending, pods } = packFiles(manifests, zones);
    expect(pending.map(({ reason }) => reason)).toEqual([...Array.from({ length: 3 }, () => expect.any(String))]);
    expect(pending.filter(({ reason }) => reason === 'would skew its topology spread')).toHaveLength(1);
    expect(pods).toHaveLength(4);
  });
});

describe('headroom', () => {
  test('leaves a part of the CPU, memory and pods of each node free, and is named', () => {
    const pods = csv('', '');
    expect(new Set(packFiles(pods, pools('')).pods.map(({ node }) => node)).size).toBe(1);
    const { pods: placed, notes } = packFiles(pods, pools(''), { headroom: 0.1 });
    expect(new Set(placed.map(({ node }) => node)).size).toBe(2);
    expect(notes).toEqual(['10 % of the CPU, memory and pods of every node stay free']);
  });

  test('is the reason why a pod fits nowhere', () => {
    expect(packFiles('name,cpu_milli,memory_mib\nweb,2000,100\n', pools(''), { headroom: 0.05 }).problems.join('\n')).toContain(
      'the most of any type are 1900m CPU, 3891 MiB',
    );
  });
});
