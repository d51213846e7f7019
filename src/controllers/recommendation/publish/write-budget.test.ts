import { beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { WritePriority } from '../../../core/resize/status/write-priority.ts';
import { BURST_WRITES, WriteBudget, WRITES_PER_SECOND } from './write-budget.ts';

let clock: ManualClock;
let turns: string[];
let waiting: number;
let budget: WriteBudget;

beforeEach(() => {
  clock = new ManualClock();
  turns = [];
  budget = new WriteBudget({ clock, onTurn: (workload) => void turns.push(workload), waiting: { set: (count) => void (waiting = count) } });
});

const useUp = (): void => expect(budget.admit('first', 'state', BURST_WRITES)).toBe(true);
const admit = (workload: string, priority: WritePriority, writes = 1): boolean => budget.admit(workload, priority, writes);

describe('the write budget', () => {
  test('admits a burst at once', () => {
    for (let at = 0; at < BURST_WRITES / 2; at += 1) expect(admit(`w${at}`, 'collecting', 2)).toBe(true);
    expect(admit('next', 'collecting', 2)).toBe(false);
    expect(waiting).toBe(1);
  });

  test('gives turns at its rate after the burst, and counts each write once', () => {
    useUp();
    const workloads = Array.from({ length: 100 }, (_, at) => `w${at}`);
    for (const workload of workloads) expect(admit(workload, 'collecting', 2)).toBe(false);
    clock.advance(4 * SECOND_MS);
    expect(turns).toEqual(workloads.slice(0, (4 * WRITES_PER_SECOND) / 2));
    for (const workload of turns) expect(admit(workload, 'collecting', 2)).toBe(true);
    expect(waiting).toBe(100 - turns.length);
    clock.advance(MINUTE_MS);
    expect(turns).toEqual(workloads);
    expect(waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('gives the turn to the higher priority, and within one to the earlier workload', () => {
    useUp();
    for (const priority of ['collecting', 'refresh', 'amounts', 'state'] as const) {
      admit(`${priority}-1`, priority);
      admit(`${priority}-2`, priority);
    }
    clock.advance(SECOND_MS);
    expect(turns).toEqual(['state-1', 'state-2', 'amounts-1', 'amounts-2', 'refresh-1', 'refresh-2', 'collecting-1', 'collecting-2']);
  });

  test('admits a higher priority at once while a lower one waits for more tokens', () => {
    expect(budget.admit('first', 'state', BURST_WRITES - 1)).toBe(true);
    expect(admit('slow', 'collecting', 2)).toBe(false);
    expect(admit('slow too', 'collecting', 1)).toBe(false);
    expect(admit('fast', 'state', 1)).toBe(true);
  });

  test('admits urgent writes always, and lets the others wait for them, but not for longer than a burst takes', () => {
    useUp();
    for (let at = 0; at < 3 * BURST_WRITES; at += 1) expect(admit(`urgent-${at}`, 'urgent')).toBe(true);
    expect(admit('patient', 'refresh')).toBe(false);
    clock.advance((BURST_WRITES / WRITES_PER_SECOND) * SECOND_MS - SECOND_MS);
    expect(turns).toEqual([]);
    clock.advance(2 * SECOND_MS);
    expect(turns).toEqual(['patient']);
  });

  test('moves a waiting workload to its new priority, and does not move it back in the queue of the same one', () => {
    useUp();
    admit('a', 'collecting');
    admit('b', 'collecting');
    admit('c', 'collecting');
    admit('a', 'collecting');
    admit('c', 'state');
    clock.advance(SECOND_MS);
    expect(turns).toEqual(['c', 'a', 'b']);
  });

  test('forgets a workload that has nothing more to write', () => {
    useUp();
    admit('gone', 'state');
    budget.withdraw('gone');
    expect(clock.pending).toBe(0);
    clock.advance(MINUTE_MS);
    expect(turns).toEqual([]);
  });

  test('is filled again from the present time where the clock was set back', () => {
    useUp();
    admit('a', 'state');
    clock.setBack(10 * MINUTE_MS);
    clock.advance(2 * SECOND_MS);
    expect(turns).toEqual(['a']);
  });

  test('schedules nothing once it is closed', () => {
    useUp();
    admit('a', 'state');
    budget.close();
    expect(clock.pending).toBe(0);
    expect(waiting).toBe(0);
  });
});
