import { describe, expect, test } from '@jest/globals';
import { aSeries, MONDAY } from '../../../test/builders/usage.ts';
import type { ContainerRuntime } from '#kube/records/container-runtime';
import { DAY_MS, GiB, MiB } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES, type ContainerAdvice, type Goal } from './advice.ts';
import { ContainerModel } from './container-model.ts';
import { memoryLimitFor, type MemoryLimitDecision } from '../resize/plan/container/memory-limit.ts';

const NOW = MONDAY + 10 * DAY_MS + 31_000;
const XMX: ContainerRuntime = { name: 'JVM', option: '-Xmx', heapBytes: GiB, heapShare: null };
const SHARE: ContainerRuntime = { name: 'JVM', option: '-XX:MaxRAMPercentage', heapBytes: null, heapShare: 0.75 };

/** Advice after ten days of constant usage of 300 MiB. */
function advised(runtime: ContainerRuntime | null, goal: Goal = 'Balanced'): ContainerAdvice {
  const model = new ContainerModel();
  const samples = aSeries(
    10,
    () => 200,
    () => 300,
  );
  for (const sample of samples) model.observe('p', sample);
  const memory = { ...DEFAULT_RECOMMENDER_RULES.memory, goal };
  const advice = model.advise('app', NOW, { ...DEFAULT_RECOMMENDER_RULES, memory, runtime });
  if (advice === null) throw new Error('no advice');
  return advice;
}

function limitOf(runtime: ContainerRuntime | null, goal: Goal = 'Balanced'): MemoryLimitDecision {
  const { memory, memoryEvidence: evidence } = advised(runtime, goal);
  const request = memory?.target ?? 0;
  return memoryLimitFor({ now: NOW, current: 2 * GiB, request, ratio: 1.25, max: null, minLimitByKills: 0, evidence, lastLoweredAt: null });
}

describe('memory of a container whose runtime has a maximum heap', () => {
  test('is never less than the maximum heap and a quarter, and explains it', () => {
    const { memory } = advised(XMX);
    expect(memory?.target).toBe(1.25 * GiB);
    expect(memory?.steps.find(({ step }) => step === 'floor')?.detail).toContain('-Xmx lets the heap of JVM grow to 1Gi');
    expect(memory?.steps.at(-1)?.total).toBe(memory?.target);
    expect(advised(null).memory?.target).toBeLessThan(500 * MiB);
  });

  test('follows usage with goal Savings, while the limit stays above the maximum heap', () => {
    expect(advised(XMX, 'Savings').memory?.target).toBeLessThan(500 * MiB);
    expect(limitOf(XMX, 'Savings').limit).toBeGreaterThanOrEqual(1.25 * GiB);
    expect(limitOf(null, 'Savings').limit).toBeLessThan(1.25 * GiB);
  });

  test('stays below its ceiling also with a larger heap', () => {
    const model = ContainerModel.restore(checkpointOfADay());
    const memory = { ...DEFAULT_RECOMMENDER_RULES.memory, max: 600 * MiB };
    const advice = model?.advise('app', MONDAY + DAY_MS + 31_000, { ...DEFAULT_RECOMMENDER_RULES, memory, runtime: XMX });
    expect(advice?.memory?.target).toBe(600 * MiB);
  });

  test('keeps its limit where the heap was sized from it at the start', () => {
    expect(limitOf(null).kind).toBe('lower');
    const decision = limitOf(SHARE);
    expect(decision).toMatchObject({ kind: 'keep', limit: 2 * GiB });
    expect(decision.reason).toBe(
      'kept: JVM sized its heap to 75 % of the limit when it started (-XX:MaxRAMPercentage), so a lower limit requires a restart',
    );
  });
});

function checkpointOfADay(): Uint8Array {
  const model = new ContainerModel();
  const samples = aSeries(
    1,
    () => 200,
    () => 300,
  );
  for (const sample of samples) model.observe('p', sample);
  return model.checkpoint();
}
