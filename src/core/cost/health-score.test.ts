import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeHealth, type HealthEvidence } from './health-score.ts';

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
    expect(computeHealth(good)).toMatchObject({ score: 100, grade: 'A' });
  });

  test.each([
    ['Nodes ready', { nodes: { total: 4, ready: 3 } }],
    ['Pods schedulable', { pods: { active: 40, unschedulable: 2, pending: 2 } }],
    ['Inside requests', { requests: { measured: 40, overMemory: 8, overCpu: 0 } }],
    ['Headroom', { headroomRatio: 0.02 }],
    ['Storage', { volumes: { measured: 2, nearlyFull: 1 } }],
    ['Budgets', { budgets: { total: 2, unsatisfiable: 1 } }],
    ['Freshness', { dataAgeSeconds: 600 }],
  ])('falls with %s, and explains it', (name, change) => {
    const health = computeHealth({ ...good, ...change });
    const part = health.parts.find((candidate) => candidate.name === name)!;
    expect(part.score).toBeLessThan(90);
    expect(part.reason.length).toBeGreaterThan(10);
    expect(health.score).toBeLessThan(100);
  });

  test('is from 0 to 100 for any evidence', () => {
    const count = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(
        count,
        count,
        count,
        fc.double({ min: -1, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (total, part, over, headroomRatio, dataAgeSeconds) => {
          const affected = Math.min(total, part);
          const { score } = computeHealth({
            nodes: { total, ready: affected },
            pods: { active: total, unschedulable: affected, pending: affected },
            requests: { measured: total, overMemory: Math.min(total, over), overCpu: affected },
            headroomRatio,
            volumes: { measured: total, nearlyFull: affected },
            budgets: { total, unsatisfiable: affected },
            dataAgeSeconds,
          });
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(100);
        },
      ),
    );
  });
});
