import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MetricGoal, PodMeasure } from './metric-replicas.ts';
import { metricReplicas } from './metric-replicas.ts';

const TOLERANCE = { up: 0.1, down: 0.1 };
const HALF: MetricGoal = { kind: 'utilization', targetPercent: 50 };

function pods(usages: readonly (number | PodMeasure['state'])[]): PodMeasure[] {
  return usages.map((usage, index) => ({
    name: `p${String(index)}`,
    state: typeof usage === 'number' ? 'ready' : usage,
    usage: typeof usage === 'number' ? usage : 0,
    request: 100,
  }));
}

function replicas(usages: readonly (number | PodMeasure['state'])[], goal: MetricGoal = HALF): number | null {
  const result = metricReplicas(pods(usages), goal, usages.filter((usage) => usage !== 'ignored').length, TOLERANCE);
  return result.kind === 'proposed' ? result.replicas : null;
}

describe('the recommendation of a metric', () => {
  test.each<[string, readonly (number | PodMeasure['state'])[], number | null]>([
    ['twice as many at twice the target', [100, 100], 4],
    ['half as many at half the target', [25, 25, 25, 25], 2],
    ['the same inside the tolerance', [54, 54], 2],
    ['more just outside of it', [56, 56], 3],
    ['nothing where no pod is measured', ['missing', 'unready'], null],
    ['no more where a missing pod, taken as idle, would turn it round', [60, 'missing'], 2],
    ['more in spite of a missing pod, but less of it', [200, 'missing'], 4],
    ['fewer only as far as a missing pod, taken as full, allows', [10, 10, 10, 'missing'], 3],
    ['more with a starting pod taken as idle', [200, 'unready'], 4],
    ['fewer without minding a starting pod', [20, 20, 'unready'], 1],
    ['the same for pods that are going', [100, 'ignored'], 2],
  ])('is %s', (_, usages, expected) => {
    expect(replicas(usages)).toBe(expected);
  });

  test('uses an average value without requests', () => {
    expect(replicas([300, 300], { kind: 'average', targetValue: 200 })).toBe(3);
  });

  test('brings the load per pod as near to the target as whole pods can', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 10, max: 100 }),
        (usages, target) => {
          const goal: MetricGoal = { kind: 'average', targetValue: target };
          const wanted = replicas(usages, goal) ?? 0;
          const load = usages.reduce((sum, usage) => sum + usage, 0);
          const ratio = load / usages.length / target;
          const withinTolerance = ratio >= 1 - 0.1 && ratio <= 1 + 0.1;
          return withinTolerance
            ? wanted === usages.length
            : load / wanted <= target + 1e-6 && (wanted === 1 || load / (wanted - 1) > target - 1e-6);
        },
      ),
    );
  });

  test('never reverses the direction because of assumed values', () => {
    const usage = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom('missing' as const, 'unready' as const));
    fc.assert(
      fc.property(fc.array(usage, { minLength: 1, maxLength: 20 }), (usages) => {
        const measured = usages.filter((each) => typeof each === 'number');
        const wanted = replicas(usages);
        if (wanted === null) return measured.length === 0;
        const ratio = measured.reduce((sum, each) => sum + each, 0) / measured.length / 50;
        return ratio >= 1 ? wanted >= usages.length || ratio < 1.02 : wanted <= usages.length;
      }),
    );
  });
});
