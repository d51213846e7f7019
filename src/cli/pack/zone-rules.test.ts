import { describe, expect, test } from '@jest/globals';
import { aWorkload, type Packed, packFiles, REQUESTS, REQUIRED } from '../../../test/builders/pack-files.ts';

const ZONE = 'topologyKey: topology.kubernetes.io/zone';
const HOST = 'topologyKey: kubernetes.io/hostname';
const SELF = 'labelSelector: { matchLabels: { app: web } }';
const HEADER = 'machine_type,vcpu,memory_gib,usd_per_hour,zone,taints';
/** Zone c is the cheapest. */
const POOLS = [HEADER, 'small,2,4,0.12,a,', 'small,2,4,0.11,b,', 'large,8,32,0.45,b,', 'small,2,4,0.10,c,', ''].join('\n');

function spread(maxSkew: number, key = ZONE, more = ''): string {
  return `topologySpreadConstraints: [{ maxSkew: ${maxSkew}, whenUnsatisfiable: DoNotSchedule, ${key}, ${SELF}${more} }]`;
}
function apart(key: string, selector = SELF): string {
  return `podAntiAffinity: { ${REQUIRED}: [{ ${key}, ${selector} }] }`;
}
function together(key: string, selector = SELF): string {
  return `podAffinity: { ${REQUIRED}: [{ ${key}, ${selector} }] }`;
}

/** Pods by value of a column. */
function countsBy(column: string, { pods }: Packed): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(pods, (pod) => pod[column] ?? '')].map(([value, each]) => [value, each.length]).sort());
}

function web(replicas: number, rule: string, spec = REQUESTS): string {
  return aWorkload('web', replicas, `{ ${spec}, ${rule} }`);
}

describe('a rule between zones', () => {
  test.each<readonly [string, string, number, Record<string, number>]>([
    ['a spread', spread(1), 7, { a: 2, b: 2, c: 3 }],
    ['a spread with a skew, which the cheapest zones use', spread(3), 7, { a: 1, b: 3, c: 3 }],
    [
      'a spread over the zones that node affinity allows',
      `${spread(1)}, nodeSelector: { node.kubernetes.io/instance-type: large }`,
      3,
      { b: 3 },
    ],
    ['anti-affinity', `affinity: { ${apart(ZONE)} }`, 2, { b: 1, c: 1 }],
    ['affinity, in the cheapest zone', `affinity: { ${together(ZONE)} }`, 5, { c: 5 }],
    ['anti-affinity between hosts besides', `${spread(1)}, affinity: { ${apart(HOST)} }`, 3, { a: 1, b: 1, c: 1 }],
  ])('is kept: %s', (_, rule, replicas, expected) => {
    const packed = packFiles([web(replicas, rule)], POOLS);
    expect(packed.problems).toEqual([]);
    expect(countsBy('zone', packed)).toEqual(expected);
  });

  test('a zone that a taint closes counts for a spread, so that at most maxSkew pods are in each other', () => {
    const tainted = `${POOLS}small,2,4,0.01,d,dedicated=batch:NoSchedule\n`;
    expect(countsBy('zone', packFiles([web(6, spread(2))], tainted))).toEqual({ a: 2, b: 2, c: 2 });
    expect(packFiles([web(7, spread(2))], tainted).problems[0]).toContain('its 7 pods cannot be placed in 3 zones (c, b, a)');
    expect(countsBy('zone', packFiles([web(7, spread(2, ZONE, ', nodeTaintsPolicy: Honor'))], tainted))).toEqual({ a: 1, b: 3, c: 3 });
  });

  test('fewer zones than minDomains leave at most maxSkew pods in each', () => {
    expect(packFiles([web(4, spread(1, ZONE, ', minDomains: 4'))], POOLS).problems[0]).toContain('its 4 pods cannot be placed in 3 zones');
  });

  test('is of the packing alone: the lower bound leaves it out', () => {
    const free = packFiles([web(7, '')], POOLS);
    const kept = packFiles([web(7, spread(1))], POOLS);
    expect(kept.usdPerHour).toBeGreaterThan(free.usdPerHour);
    expect(kept.relaxedPodCounts).toEqual([7]);
  });

  test.each([
    [
      'a spread without zones',
      web(2, spread(1)),
      'machine_type,vcpu,memory_gib,usd_per_hour\nsmall,2,4,0.1\n',
      'no pool that it may use states a zone',
    ],
    ['anti-affinity of more pods than zones', web(4, `affinity: { ${apart(ZONE)} }`), POOLS, 'at most one may be in a zone'],
    [
      'affinity and anti-affinity that contradict each other',
      web(2, `affinity: { ${together(ZONE)}, ${apart(ZONE)} }`),
      POOLS,
      'its pod affinity and its anti-affinity contradict each other',
    ],
    ['two rules', web(2, `${spread(1)}, affinity: { ${apart(ZONE)} }`), POOLS, 'has more than one rule between zones'],
    [
      'a rule by region',
      web(2, spread(1, 'topologyKey: topology.kubernetes.io/region')),
      POOLS,
      'has a rule by topology.kubernetes.io/region',
    ],
    [
      'pods that no zone is large enough for',
      web(2, spread(1), 'containers: [{ name: main, resources: { requests: { cpu: 16 } } }]'),
      POOLS,
      'no pool in a zone is large enough for its pod shop/web-0',
    ],
  ])('is refused: %s', (_, manifest, pools, expected) => {
    const { problems } = packFiles([manifest], pools);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\.\/pods\.yaml:1: Deployment shop\/web: /);
    expect(problems[0]).toContain(expected);
  });
});

describe('affinity on a host', () => {
  const rule = `affinity: { ${together(HOST)} }`;

  test('packs the pods as one, also those of two workloads', () => {
    const packed = packFiles([web(3, rule), aWorkload('sidecar', 2, `{ ${REQUESTS}, ${rule} }`, { app: 'web' })], POOLS);
    expect(packed.problems).toEqual([]);
    expect(countsBy('node', packed)).toEqual({ 'large-b-1': 5 });
  });

  test('leaves the pods single in the lower bound', () => {
    expect(packFiles([web(5, rule)], POOLS).relaxedPodCounts).toEqual([5]);
  });

  test('of more pods than any node holds is refused by name', () => {
    expect(packFiles([web(20, rule)], POOLS).problems[0]).toContain(
      './pods.yaml:1: pod shop/web-0 with 19 that must be on its node (10000m CPU, 10240 MiB) fits on no machine type',
    );
  });
});

describe('rules that nothing can keep are named', () => {
  const selects = (app: string): string => `labelSelector: { matchLabels: { app: ${app} } }`;
  const workloads = (kind: 'podAffinity' | 'podAntiAffinity', ...next: readonly string[]): string[] =>
    ['x', 'y', 'z'].map((app, at) =>
      aWorkload(app, 1, `{ ${REQUESTS}, affinity: { ${kind}: { ${REQUIRED}: [{ ${HOST}, ${selects(next[at]!)} }] } } }`),
    );

  test('a cycle of anti-affinity', () => {
    const { problems } = packFiles(workloads('podAntiAffinity', 'y', 'z', 'x'), POOLS);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain('Deployment shop/x: its anti-affinity is in a cycle (shop/x → shop/y → shop/z → shop/x)');
  });

  test('a cycle of affinity', () => {
    const { problems } = packFiles(workloads('podAffinity', 'y', 'x', 'y'), POOLS);
    expect(problems[0]).toContain('its pod affinity is in a cycle (shop/x → shop/y → shop/x): each waits for a pod of the next');
    expect(problems[2]).toContain('its pod affinity selects pods that do not have the same rule (shop/y)');
  });

  test('affinity to pods that are not there', () => {
    expect(packFiles([web(1, `affinity: { ${together(HOST, selects('gone'))} }`)], POOLS).problems[0]).toContain(
      'has required pod affinity to pods that are not in the file',
    );
  });
});
