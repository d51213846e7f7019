import { describe, expect, test } from '@jest/globals';
import { aWorkload, type Packed, packFiles, REQUESTS, REQUIRED } from '../../../test/builders/pack-files.ts';

const POOLS = [
  'machine_type,vcpu,memory_gib,usd_per_hour,zone,capacity_type,labels,taints',
  'small,2,4,0.10,a,on-demand,disk=ssd,',
  'small,2,4,0.03,b,spot,,dedicated=batch:NoSchedule',
  'large,8,32,0.45,b,on-demand,disk=hdd;team=data,',
  '',
].join('\n');

function expression(key: string, operator: string, ...values: readonly string[]): string {
  return `affinity: { nodeAffinity: { ${REQUIRED}: { nodeSelectorTerms: [{ matchExpressions: [{ key: ${key}, operator: ${operator}, values: [${values.join(', ')}] }] }] } } }`;
}

const TOLERATION = 'tolerations: [{ key: dedicated, operator: Equal, value: batch, effect: NoSchedule }]';

/** Pools of the pods, each once. */
function poolsOf({ pods }: Packed): string[] {
  return [...new Set(pods.map(({ machine_type: type, zone, capacity_type: capacity }) => `${type} ${zone} ${capacity}`))].sort();
}

describe('a pod of a manifest uses the pools that', () => {
  test.each([
    ['have no taint', '', ['small a on-demand']],
    ['its tolerations allow', TOLERATION, ['small b spot']],
    ['every toleration allows', 'tolerations: [{ operator: Exists }]', ['small b spot']],
    ['have the zone that it selects', 'nodeSelector: { topology.kubernetes.io/zone: b }', ['large b on-demand']],
    ['have the capacity type that it selects', `nodeSelector: { karpenter.sh/capacity-type: spot }, ${TOLERATION}`, ['small b spot']],
    ['do not have the capacity type', `${expression('evenkeel.io/capacity-type', 'NotIn', 'spot')}, ${TOLERATION}`, ['small a on-demand']],
    ['have the label that it selects', 'nodeSelector: { team: data }', ['large b on-demand']],
    ['do not have the label', `${expression('disk', 'DoesNotExist')}, ${TOLERATION}`, ['small b spot']],
  ])('%s', (_, rule, expected) => {
    const packed = packFiles([aWorkload('web', 2, `{ ${REQUESTS}, ${rule} }`)], POOLS);
    expect(packed.problems).toEqual([]);
    expect(poolsOf(packed)).toEqual(expected);
  });

  test.each([
    ['a taint of every pool that it may use', 'nodeSelector: { evenkeel.io/capacity-type: spot }', '(dedicated=batch:NoSchedule)'],
    [
      'a toleration of another effect',
      'nodeSelector: { evenkeel.io/capacity-type: spot }, tolerations: [{ key: dedicated, operator: Exists, effect: NoExecute }]',
      'does not tolerate the taints',
    ],
    ['a zone without a pool', 'nodeSelector: { topology.kubernetes.io/zone: c }', 'match no machine type'],
    ['labels that contradict each other', 'nodeSelector: { team: data, disk: ssd }', 'match no machine type'],
    [
      'a host name',
      'nodeSelector: { kubernetes.io/hostname: n1 }',
      'selects a node by its host name, and the nodes of a packing are new; remove it',
    ],
    ['a label that no pool states', 'nodeSelector: { kubernetes.io/arch: arm64 }', 'add kubernetes.io/arch=VALUE to the column labels'],
  ])('is refused for %s', (_, rule, expected) => {
    const { problems } = packFiles([aWorkload('web', 1, `{ ${REQUESTS}, ${rule} }`)], POOLS);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\.\/pods\.yaml:1: Deployment shop\/web: /);
    expect(problems[0]).toContain(expected);
  });
});

describe('memory', () => {
  const pods = aWorkload('web', 8, '{ containers: [{ name: main, resources: { requests: { cpu: 100m, memory: 500M } } }] }');
  const pools = (memoryMib: number): string =>
    `machine_type,vcpu,memory_gib,usd_per_hour,alloc_cpu_milli,alloc_memory_mib\nm,4,4,1,4000,${memoryMib}\n`;

  test('is counted to the byte: 8 pods of 500 MB are 3814.7 MiB', () => {
    expect(packFiles([pods], pools(3815)).usdPerHour).toBe(1);
    expect(packFiles([pods], pools(3814)).usdPerHour).toBe(2);
  });

  test('that no machine type has is reported with two decimals', () => {
    const { problems } = packFiles([pods], pools(476));
    expect(problems[0]).toContain('(100m CPU, 476.84 MiB) fits on no machine type');
  });
});

describe('pools', () => {
  test('on which DaemonSets do not fit are left out, and a note names them', () => {
    const agent = aWorkload('agent', 0, '{ containers: [{ name: main, resources: { requests: { cpu: 3 } } }] }', { kind: 'DaemonSet' });
    const packed = packFiles([agent, aWorkload('web', 1, `{ ${REQUESTS} }`)], POOLS);
    expect(poolsOf(packed)).toEqual(['large b on-demand']);
    expect(packed.notes).toContain('no pod is packed on small-a-on-demand: the DaemonSets that run on its nodes do not fit on one');
  });

  test('with a taint take no pod of a CSV file', () => {
    expect(poolsOf(packFiles('name,cpu_milli,memory_mib\nweb,500,512\n', POOLS))).toEqual(['small a on-demand']);
  });

  test('of one machine type that differ in labels alone are pools of their own', () => {
    const header = 'machine_type,vcpu,memory_gib,usd_per_hour,labels\n';
    const pods = ['one', 'two'].map((team) => aWorkload(team, 1, `{ ${REQUESTS}, nodeSelector: { team: ${team} } }`));
    const { pods: placed } = packFiles(pods, `${header}small,2,4,0.1,team=one\nsmall,2,4,0.1,team=two\n`);
    expect(placed.map(({ pod, node, machine_type: type }) => [pod, node, type])).toEqual([
      ['shop/one-0', 'small-1', 'small'],
      ['shop/two-0', 'small-line-3-1', 'small'],
    ]);
  });

  test.each([
    ['a capacity type', 'small,2,4,1,a,preemptible,,', ':2:15: capacity_type: "preemptible" must be spot or on-demand'],
    ['labels', 'small,2,4,1,a,spot,disk,', ':2:20: labels: "disk" must be key=value;key=value; "disk" is not'],
    ['a label twice', 'small,2,4,1,a,spot,x=1;x=2,', ':2:20: labels: "x=1;x=2" has x twice; remove one'],
    ['a label of another column', 'small,2,4,1,a,spot,topology.kubernetes.io/zone=b,', 'comes from the columns machine_type and zone'],
    ['an effect', 'small,2,4,1,a,spot,,x=1:Never', 'must be key=value:Effect;key:Effect with NoSchedule, PreferNoSchedule, NoExecute'],
    ['a zone', 'small,2,4,1,in europe,spot,,', ':2:13: zone: "in europe" must be the value of a label'],
  ])('are refused for %s that is wrong', (_, row, expected) => {
    const { problems } = packFiles('name,cpu_milli,memory_mib\nweb,500,512\n', `${POOLS.split('\n')[0]}\n${row}\n`);
    expect(problems.join('\n')).toContain(expected);
  });

  test('of the same machine type must differ', () => {
    const { problems } = packFiles('name,cpu_milli,memory_mib\nweb,500,512\n', `${POOLS}small,3,4,0.2,a,on-demand,disk=ssd,\n`);
    expect(problems[0]).toContain('./pools.csv:5:1: machine_type: "small" is also on line 2; pools of a type must differ in zone');
  });
});
