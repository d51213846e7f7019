// Rule V6: limits are bounded by the largest node that the workload's pods ran on, not by the present nodes.

import { describe, expect, test } from '@jest/globals';
import { anAdvice, amounts, aSituation, aWorkloadRecord, memory, oomAdvice, pods, T0 } from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { readMemory, writeMemory } from '../../status/memory-codec.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { NO_MEMORY, type LargestNode, type WorkloadSituation } from '../../model/situation.ts';
import { recordLargestNode } from './largest-node.ts';
import { planContainers } from '../plan-containers.ts';

const SMALL = { cpuMillicores: 4000, memoryBytes: memory('16Gi') };
const LARGE = { cpuMillicores: 16_000, memoryBytes: memory('8Gi') };
const seen = (node: typeof SMALL, cpuSeenAt: number, memorySeenAt = cpuSeenAt): LargestNode => ({ ...node, cpuSeenAt, memorySeenAt });

/** The stored largest node after a decision with pods on these nodes. */
function remembered(before: LargestNode | null, nodes: readonly (typeof SMALL)[], now: number): LargestNode | null {
  const nodesOfPods = new Map(nodes.map((node, index) => [`n${index + 1}`, node]));
  const own = pods(nodes.length).map((pod, index) => ({ ...pod, node: `n${index + 1}` }));
  return recordLargestNode(aSituation({ now, pods: own, nodesOfPods, memory: { ...NO_MEMORY, largestNode: before } }));
}

describe('the largest node that the pods of a workload ran on', () => {
  test.each([
    [
      'is remembered, each resource by itself',
      null,
      [SMALL, LARGE],
      T0,
      { cpuMillicores: 16_000, cpuSeenAt: T0, memoryBytes: memory('16Gi'), memorySeenAt: T0 },
    ],
    ['is none while no pod has a node', null, [], T0, null],
    ['is kept while they run on smaller ones', seen(LARGE, T0 - DAY_MS), [{ ...SMALL, memoryBytes: 1 }], T0, seen(LARGE, T0 - DAY_MS)],
    ['is kept while there are no pods', seen(LARGE, T0 - 29 * DAY_MS), [], T0, seen(LARGE, T0 - 29 * DAY_MS)],
    ['is forgotten after 30 days', seen(LARGE, T0 - 30 * DAY_MS), [], T0, null],
    ['is replaced by the present nodes after 30 days', seen(LARGE, T0 - 30 * DAY_MS), [SMALL], T0, seen(SMALL, T0)],
    ['is stored again once a day', seen(LARGE, T0 - DAY_MS), [LARGE], T0, seen(LARGE, T0)],
    ['is not stored again within a day', seen(LARGE, T0 - DAY_MS + 1), [LARGE], T0, seen(LARGE, T0 - DAY_MS + 1)],
  ])('%s', (_case, before, nodes, now, expected) => {
    expect(remembered(before, nodes, now)).toEqual(expected);
  });

  test('is remembered by each decision, and survives a restart in the status', () => {
    const node = { cpuMillicores: 16_000, memoryBytes: memory('64Gi') };
    const decision = decideWorkload(aSituation({ nodesOfPods: new Map([['n1', node]]) }));
    expect(readMemory(writeMemory(decision.memory)).largestNode).toEqual(seen(node, T0));
  });
});

describe('the bound of a limit', () => {
  const shape = { requests: amounts('500m', '1Gi'), limits: amounts(null, '2Gi') };

  /** The memory limit that repeated OOM kills lead to. */
  function limitOf(given: Partial<WorkloadSituation>): number | null | undefined {
    const advice = [{ ...anAdvice({ memory: '1Gi' }), oom: oomAdvice(memory('1Ti')) }];
    const [plan] = planContainers(
      aSituation({ workload: aWorkloadRecord({}, shape), pods: pods(3, { container: shape }), advice, ...given }),
    );
    return plan?.target?.limits.memoryBytes;
  }

  const large = { ...NO_MEMORY, largestNode: seen({ cpuMillicores: 16_000, memoryBytes: memory('64Gi') }, T0 - HOUR_MS) };

  test.each([
    ['is 80 % of the stored node, also when its pool is scaled to zero', { memory: large, largestNode: SMALL }, '64Gi'],
    [
      'is that of the node of its pods, where it is larger',
      { memory: large, nodesOfPods: new Map([['n1', { ...LARGE, memoryBytes: memory('128Gi') }]]) },
      '128Gi',
    ],
    [
      'is not that of a larger node that no pod ever ran on',
      { memory: large, largestNode: { ...LARGE, memoryBytes: memory('512Gi') } },
      '64Gi',
    ],
    ['is that of the largest node of the cluster, where no pod has run yet', { largestNode: SMALL }, '16Gi'],
  ])('%s', (_case, given, node) => {
    expect(limitOf(given)).toBe(Math.floor(memory(node) * 0.8));
  });

  test('lowers nothing: a limit that is above it stays', () => {
    expect(limitOf({ memory: { ...NO_MEMORY, largestNode: seen({ cpuMillicores: 1000, memoryBytes: memory('1Gi') }, T0) } })).toBe(
      memory('2Gi'),
    );
  });
});
