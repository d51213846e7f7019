import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { healthOf, type HealthEvidence } from './health-score.ts';

describe('the health score', () => {
  const good: HealthEvidence = {
    nodes: { total: 4, ready: 4 },
    pods: { active: 40, unschedulable: 0, pending: 0 },
    requests: { measured: 40, overMemory: 0, overCpu: 0 },
    headroomRatio: 0.3,
    volumes: { measured: 2, nearlyFull: 0 },
    budgets: { total: 2, unsatisfiable: 0 },
    dataAgeSeconds: 5,
  };

  test('of a healthy cluster is 100, an A', () => {
    expect(healthOf(good)).toMatchObject({ score: 100, grade: 'A' });
  });

  test.each([
    ['Nodes ready', { nodes: { total: 4, ready: 3 } }],
    ['Pods schedulable', { pods: { active: 40, unschedulable: 2, pending: 2 } }],
    ['Inside requests', { requests: { measured: 40, overMemory: 8, overCpu: 0 } }],
    ['Headroom', { headroomRatio: 0.02 }],
    ['Storage', { volumes: { measured: 2, nearlyFull: 1 } }],
    ['Budgets', { budgets: { total: 2, unsatisfiable: 1 } }],
    ['Freshness', { dataAgeSeconds: 600 }],
  ])('falls by %s, and says why', (name, change) => {
    const health = healthOf({ ...good, ...change });
    const part = health.parts.find((each) => each.name === name)!;
    expect(part.score).toBeLessThan(90);
    expect(part.reason.length).toBeGreaterThan(10);
    expect(health.score).toBeLessThan(100);
  });

  test('is always 0 to 100, whatever the evidence', () => {
    const whole = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(
        whole,
        whole,
        whole,
        fc.double({ min: -1, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (total, part, over, headroomRatio, dataAgeSeconds) => {
          const less = Math.min(total, part);
          const { score } = healthOf({
            nodes: { total, ready: less },
            pods: { active: total, unschedulable: less, pending: less },
            requests: { measured: total, overMemory: Math.min(total, over), overCpu: less },
            headroomRatio,
            volumes: { measured: total, nearlyFull: less },
            budgets: { total, unsatisfiable: less },
            dataAgeSeconds,
          });
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(100);
        },
      ),
    );
  });
});
