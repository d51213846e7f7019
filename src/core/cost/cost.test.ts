import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GiB } from '../model/units.ts';
import { attributeClusterCost, shareCents } from './cluster-cost.ts';
import type { PricedNode, RequestingPod } from './cluster-cost.ts';
import { clusterHealth } from './cluster-health.ts';
import type { ClusterHealthInputs } from './cluster-health.ts';
import { DEFAULT_MACHINE_PRICES } from './default-prices.ts';
import { estimateNodePrice, findListPrice, gibPerVcpuPriceOf, splitNodePrice } from './node-price.ts';

describe('a node price', () => {
  test('is split so that cores and GiB add up to it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 400_000 }),
        fc.integer({ min: 1, max: 8000 }),
        (price, cpu, gib) => {
          const split = splitNodePrice(price, { cpuMillicores: cpu, memoryBytes: gib * GiB }, 7.46);
          expect((cpu / 1000) * split.perCoreHourUsd + gib * split.perGiBHourUsd).toBeCloseTo(price, 9);
        },
      ),
    );
    expect(splitNodePrice(1, { cpuMillicores: 0, memoryBytes: 0 }, 7.46)).toEqual({ perCoreHourUsd: 0, perGiBHourUsd: 0 });
  });

  test('of one family gives the same rates for every machine of it', () => {
    for (const family of ['e2', 'n2', 'c3', 'c2d']) {
      const rates = Object.entries(DEFAULT_MACHINE_PRICES)
        .filter(([type]) => type.startsWith(`${family}-`) && !/medium|micro|small/.test(type))
        .map(([type, [vcpu, gib, onDemand]]) =>
          splitNodePrice(onDemand, { cpuMillicores: vcpu * 1000, memoryBytes: gib * GiB }, gibPerVcpuPriceOf(type)),
        );
      const [first] = rates;
      for (const each of rates) expect(Math.abs(each.perCoreHourUsd / (first?.perCoreHourUsd ?? 0) - 1)).toBeLessThan(0.002);
    }
  });

  test('is the list price, on demand or spot, and null where no list has it', () => {
    expect(findListPrice('e2-standard-4', 'on-demand')).toBe(0.134023);
    expect(findListPrice('e2-standard-4', 'spot')).toBe(0.080424);
    expect(findListPrice('m5.large', 'on-demand')).toBeNull();
    expect(findListPrice('toString', 'on-demand')).toBeNull();
    expect(findListPrice(null, 'on-demand')).toBeNull();
  });

  test('is estimated between the families where only the size is known', () => {
    const size = { cpuMillicores: 4000, memoryBytes: 16 * GiB };
    expect(estimateNodePrice(size, 'on-demand')).toBeGreaterThan(0.1);
    expect(estimateNodePrice(size, 'on-demand')).toBeLessThan(0.25);
    expect(estimateNodePrice(size, 'spot')).toBeLessThan(estimateNodePrice(size, 'on-demand'));
  });
});

describe('the cost of a cluster', () => {
  const node = (name: string, perHourUsd: number): PricedNode => ({
    name,
    perHourUsd,
    ...splitNodePrice(perHourUsd, { cpuMillicores: 4000, memoryBytes: 16 * GiB }, 7.46),
    capacityType: 'on-demand',
    onDemandPerHourUsd: perHourUsd,
  });
  const anyNodes = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 8 });
  const anyPods = fc.array(
    fc.record({
      workload: fc.integer({ min: 0, max: 12 }),
      on: fc.integer({ min: -1, max: 8 }),
      cpu: fc.integer({ min: 0, max: 3000 }),
      gib: fc.integer({ min: 0, max: 12 }),
    }),
    { maxLength: 60 },
  );

  test('is shared out to the cent: workloads and idle add up to the whole, and so do namespaces', () => {
    fc.assert(
      fc.property(anyNodes, anyPods, (prices, pods) => {
        const nodes = prices.map((price, index) => node(`n${index}`, price));
        const requesting: RequestingPod[] = pods.map((pod) => ({
          namespace: `ns${pod.workload % 3}`,
          workload: `ns${pod.workload % 3}/Deployment/w${pod.workload}`,
          node: pod.on < 0 ? null : `n${pod.on}`,
          requests: { cpuMillicores: pod.cpu, memoryBytes: pod.gib * GiB },
        }));
        const cost = attributeClusterCost(nodes, requesting);
        const cents = (values: Iterable<number>) => [...values].reduce((sum, each) => sum + Math.round(each * 100), 0);
        const idle = Math.round(cost.idlePerMonthUsd * 100);
        expect(cents(cost.byWorkload.values()) + idle).toBe(Math.round(cost.perMonthUsd * 100));
        expect(cents(cost.byNamespace.values()) + idle).toBe(Math.round(cost.perMonthUsd * 100));
        expect(idle).toBeGreaterThanOrEqual(-1);
      }),
    );
  });

  test('of requests is what they take of the node', () => {
    const pod: RequestingPod = {
      namespace: 'a',
      workload: 'a/Deployment/b',
      node: 'n',
      requests: { cpuMillicores: 2000, memoryBytes: 8 * GiB },
    };
    const cost = attributeClusterCost([node('n', 0.2)], [pod]);
    expect(cost.perMonthUsd).toBe(146);
    expect(cost.byWorkload.get('a/Deployment/b')).toBe(73);
    expect(cost.idlePerMonthUsd).toBe(73);
  });

  test('counts what spot saves', () => {
    const spot: PricedNode = { ...node('n', 0.08), capacityType: 'spot', onDemandPerHourUsd: 0.13 };
    expect(attributeClusterCost([spot], []).spotSavingsPerMonthUsd).toBe(36.5);
  });

  test('in cents goes to the largest remainders', () => {
    expect(shareCents([0.014, 0.014, 0.012], 4)).toEqual([2, 1, 1]);
    expect(shareCents([0.019, 0.019], 2)).toEqual([1, 1]);
  });
});

describe('the health of a cluster', () => {
  const well: ClusterHealthInputs = {
    nodes: { total: 6, ready: 6 },
    pods: { total: 40, unschedulable: 0 },
    workloads: { measured: 12, outsideRequests: 0 },
    requestedRatio: { cpu: 0.6, memory: 0.7 },
    storage: { measured: 3, overThreshold: 0 },
    budgets: { total: 2, unsatisfiable: 0 },
    dataAgeMs: 30_000,
  };

  test('is whole where nothing is wrong', () => {
    expect(clusterHealth(well)).toMatchObject({ score: 100, grade: 'A' });
    expect(clusterHealth(well).parts).toHaveLength(7);
  });

  test.each<[string, Partial<ClusterHealthInputs>, string, string]>([
    ['a node is not ready', { nodes: { total: 6, ready: 5 } }, 'nodes-ready', '1 of 6 nodes are not ready'],
    ['pods fit nowhere', { pods: { total: 40, unschedulable: 2 } }, 'pods-schedulable', '2 of 40 pods fit on no node'],
    [
      'workloads pass their requests',
      { workloads: { measured: 12, outsideRequests: 3 } },
      'workloads-inside-requests',
      '3 of 12 workloads use more than they request',
    ],
    ['the nodes are full', { requestedRatio: { cpu: 0.99, memory: 0.5 } }, 'headroom', '99 % of the allocatable CPU is requested'],
    ['the data is old', { dataAgeMs: 600_000 }, 'controller-freshness', 'confirmed 600 s ago'],
    ['the cluster is empty', { nodes: { total: 0, ready: 0 } }, 'nodes-ready', 'no node'],
  ])('falls, and says so, when %s', (_, change, name, words) => {
    const health = clusterHealth({ ...well, ...change });
    expect(health.score).toBeLessThan(100);
    expect(health.parts.find((part) => part.name === name)?.reason).toContain(words);
  });

  test('leaves out what nothing is known of', () => {
    const health = clusterHealth({ ...well, storage: null, requestedRatio: null, workloads: { measured: 0, outsideRequests: 0 } });
    expect(health.score).toBe(100);
    expect(health.parts.map((part) => part.name)).not.toContain('storage');
  });
});
