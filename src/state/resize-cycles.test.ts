import { describe, expect, test } from '@jest/globals';
import { ResizeCycles, type CycleResult } from './resize-cycles.ts';

const nothing = { changed: 0, failed: 0, deferred: 0, blocked: false, reason: null };

function cyclesWithLog(): { readonly cycles: ResizeCycles; readonly ended: CycleResult[] } {
  const cycles = new ResizeCycles();
  const ended: CycleResult[] = [];
  cycles.onEnd((_, result) => void ended.push(result));
  return { cycles, ended };
}

describe('cycles', () => {
  test('end with the last workload and sum up the reports', () => {
    const { cycles, ended } = cyclesWithLog();
    cycles.begin('p', { id: 'c1', trigger: 'interval', workloads: ['a', 'b', 'c'] }, 10);
    cycles.report('p', 'a', { ...nothing, changed: 2 }, 11);
    cycles.report('p', 'b', { ...nothing, reason: 'window' }, 12);
    expect(cycles.isRunning('p')).toBe(true);
    cycles.report('p', 'c', { ...nothing, blocked: true, reason: 'no-in-place', deferred: 1, failed: 1 }, 13);
    expect(ended).toEqual([
      {
        id: 'c1',
        trigger: 'interval',
        startedAt: 10,
        finishedAt: 13,
        evaluated: 3,
        changed: 2,
        deferred: 1,
        blocked: 1,
        failed: 1,
        byReason: { 'no-in-place': 1, window: 1 },
      },
    ]);
    expect(cycles.latest('p')).toEqual(ended[0]);
  });

  test('reports between two cycles count for the next', () => {
    const { cycles, ended } = cyclesWithLog();
    cycles.begin('p', { id: 'c1', trigger: 'interval', workloads: ['a'] }, 0);
    cycles.report('p', 'a', nothing, 1);
    cycles.report('p', 'a', { ...nothing, changed: 3 }, 2);
    cycles.begin('p', { id: 'c2', trigger: 'interval', workloads: ['a'] }, 3);
    cycles.report('p', 'a', nothing, 4);
    expect(ended.map(({ changed }) => changed)).toEqual([0, 3]);
  });

  test('a cycle without workloads ends at once; a removed workload is not awaited', () => {
    const { cycles, ended } = cyclesWithLog();
    cycles.begin('p', { id: 'c1', trigger: 'interval', workloads: [] }, 0);
    cycles.begin('q', { id: 'c2', trigger: 'interval', workloads: ['a', 'b'] }, 0);
    cycles.report('q', 'a', nothing, 1);
    cycles.leave('b', 2);
    expect(ended.map(({ id, evaluated }) => [id, evaluated])).toEqual([
      ['c1', 0],
      ['c2', 1],
    ]);
  });

  test('a new cycle ends the running one', () => {
    const { cycles, ended } = cyclesWithLog();
    cycles.begin('p', { id: 'c1', trigger: 'interval', workloads: ['a'] }, 0);
    cycles.begin('p', { id: 'c2', trigger: 'interval', workloads: ['a'] }, 5);
    expect(ended.map(({ id }) => id)).toEqual(['c1']);
  });
});
