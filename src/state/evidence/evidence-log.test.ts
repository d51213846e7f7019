import { beforeEach, expect, test } from '@jest/globals';
import type { ContainerUsage, UsageSample } from '#kube/records/usage';
import { EvidenceLog } from './evidence-log.ts';

const T = Date.UTC(2026, 0, 5);
const MINUTE = 60_000;
const WEB = { namespace: 'shop', pod: 'web-0', container: 'app' };
let log: EvidenceLog;

beforeEach(() => {
  log = new EvidenceLog();
});

function onEvidence(at = T, throttledRatio: number | null = 0.2): void {
  const evidence = { ...WEB, at, spanMs: 60 * MINUTE, throttledRatio, oomEvents: 1 };
  log.onEvidence({ node: 'n1', source: 'kubelet', at, containers: [evidence] });
}

function sampleAt(at: number, more: Partial<ContainerUsage> = {}): UsageSample {
  return log.sampleOf({ ...WEB, at, cpuMillicores: 10, memoryBytes: 20, ...more });
}

test('evidence is carried by the samples of its container until the next reading is due; OOM events once', () => {
  onEvidence();
  log.takePressure('n1', [{ ...WEB, at: T, cpuRatio: 0.1, memoryRatio: null }], T);
  const carried = { throttledRatio: 0.2, throttledSpanMs: 60 * MINUTE, oomEvents: 1, cpuPressureRatio: 0.1, memoryPressureRatio: null };
  expect(sampleAt(T + MINUTE)).toMatchObject({ at: T + MINUTE, cpuMillicores: 10, memoryBytes: 20, ...carried });
  expect(sampleAt(T + 2 * MINUTE)).toMatchObject({ ...carried, oomEvents: null });
  expect(sampleAt(T + 12 * MINUTE)).toMatchObject({ throttledRatio: 0.2, cpuPressureRatio: null });
  expect(sampleAt(T + 67 * MINUTE)).toMatchObject({ throttledRatio: null, throttledSpanMs: null });
  expect(sampleAt(T, { container: 'other' })).toMatchObject({ throttledRatio: null, oomEvents: null, cpuPressureRatio: null });
});

test('evidence of the usage source takes precedence', () => {
  onEvidence();
  expect(sampleAt(T, { throttledRatio: 0.7, throttledSpanMs: 300_000 })).toMatchObject({ throttledRatio: 0.7, throttledSpanMs: 300_000 });
});

test('evidence is deleted with its pod, and if it arrives after the deletion', () => {
  onEvidence();
  log.forgetPod('shop', 'web-0');
  expect(sampleAt(T).throttledRatio).toBeNull();
  onEvidence();
  log.takePressure('n2', [], T + 70 * MINUTE);
  expect(sampleAt(T).throttledRatio).toBeNull();
});

test('throttling of a node is known for two hours after a reading, and the failure of the last one is reported', () => {
  expect(log.isThrottlingKnown('n1', T)).toBe(false);
  onEvidence();
  log.onEvidenceFailure({ node: 'n1', message: 'kubelet of node n1: connect ECONNREFUSED' });
  expect([log.isThrottlingKnown('n1', T + 120 * MINUTE), log.isThrottlingKnown('n1', T + 130 * MINUTE)]).toEqual([true, false]);
  expect(log.problemOf('n1')).toBe('kubelet of node n1: connect ECONNREFUSED');
  onEvidence(T + 140 * MINUTE);
  expect([log.problemOf('n1'), log.isThrottlingKnown('n1', T + 140 * MINUTE)]).toEqual([null, true]);
  log.forgetNode('n1');
  expect(log.isThrottlingKnown('n1', T + 140 * MINUTE)).toBe(false);
});

test('pressure is known for a node that measures it', () => {
  log.takePressure('n1', [], T);
  log.takePressure('n2', null, T);
  expect([log.isPressureKnown('n1', T), log.isPressureKnown('n2', T), log.isPressureKnown('n1', T + 12 * MINUTE)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('lists the last two readings of a pod, with the interval of each', () => {
  for (const minutes of [0, 60, 120]) onEvidence(T + minutes * MINUTE, minutes / 200);
  for (const minutes of [110, 115, 120]) {
    log.takePressure('n1', [{ ...WEB, at: T + minutes * MINUTE, cpuRatio: minutes / 200, memoryRatio: null }], T + minutes * MINUTE);
  }
  const over = (from: number, to: number, ratio: number) => ({ from: T + from * MINUTE, at: T + to * MINUTE, ratio });
  expect(log.readingsOf('shop', 'web-0')).toEqual([
    {
      container: 'app',
      throttledRatio: [over(0, 60, 0.3), over(60, 120, 0.6)],
      cpuPressureRatio: [over(110, 115, 0.575), over(115, 120, 0.6)],
      memoryPressureRatio: [],
    },
  ]);
  expect(log.readingsOf('shop', 'web-1')).toEqual([]);
});
