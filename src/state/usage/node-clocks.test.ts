import { describe, expect, test } from '@jest/globals';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { NodeClocks } from './node-clocks.ts';

const T = Date.UTC(2026, 0, 1);
const HOUR_MS = 60 * MINUTE_MS;

function aNode() {
  const clocks = new NodeClocks(2 * MINUTE_MS);
  /** Reads the node with the ages of its containers' times. */
  const readAt = (now: number, ...agesMs: number[]) => {
    const containers = agesMs.map((ageMs, index) => {
      return { namespace: 'a', pod: `p${index}`, container: 'app', at: now - ageMs, cpuMillicores: 1, memoryBytes: 1 };
    });
    return clocks.observe({ node: 'n1', nodeUsage: null, containers }, now);
  };
  /** Reads it once a minute and returns the offset of each reading in minutes. */
  const offsets = (from: number, minutes: number, ageAt: (now: number) => number) =>
    Array.from({ length: minutes }, (_, minute) => from + minute * MINUTE_MS).map(
      (now) => Math.round((readAt(now, ageAt(now)).offsetMs / MINUTE_MS) * 10) / 10,
    );
  return { clocks, readAt, offsets };
}

describe('The offset of a node’s clock', () => {
  test.each([
    ['behind', 6 * MINUTE_MS],
    ['hours behind', 7 * HOUR_MS],
    ['ahead', -10 * MINUTE_MS],
  ])('is known two minutes after the first reading of a clock that is %s', (_, ageMs) => {
    const minutes = ageMs / MINUTE_MS;
    expect(aNode().offsets(T, 5, () => ageMs)).toEqual([0, 0, minutes, minutes, minutes]);
  });

  test.each([
    ['behind', 110 * SECOND_MS],
    ['ahead', -50 * SECOND_MS],
  ])('is 0 for a clock that is slightly %s', (_, ageMs) => {
    expect(aNode().offsets(T, 10, () => ageMs)).toEqual(Array(10).fill(0));
  });

  test('is 0 if the times do not advance: the kubelet has stopped measuring', () => {
    const { readAt, offsets, clocks } = aNode();
    expect(offsets(T, 60, (now) => now - T)).toEqual(Array(60).fill(0));
    expect(clocks.isOld(readAt(T + HOUR_MS, HOUR_MS))).toBe(true);
  });

  test('is 0 if they had stopped before the first reading', () => {
    expect(aNode().offsets(T, 60, (now) => HOUR_MS + now - T)).toEqual(Array(60).fill(0));
  });

  test('is 0 if they advance much more slowly than the controller’s clock', () => {
    expect(aNode().offsets(T, 60, (now) => (now - T) * 0.75)).toEqual(Array(60).fill(0));
  });

  test('does not change if the times of a node with a late clock stop', () => {
    const { readAt, offsets, clocks } = aNode();
    offsets(T, 10, () => 6 * MINUTE_MS);
    const frozen = T + 9 * MINUTE_MS;
    expect(offsets(frozen, 30, (now) => 6 * MINUTE_MS + now - frozen)).toEqual(Array(30).fill(6));
    expect(clocks.isOld(readAt(frozen + HOUR_MS, 6 * MINUTE_MS + HOUR_MS))).toBe(true);
  });

  test('does not change with jitter, so that a repeated sample is not new', () => {
    const { offsets } = aNode();
    const jitter = (now: number) => ((now / MINUTE_MS) % 3) * 15 * SECOND_MS;
    expect(new Set(offsets(T, 60, (now) => 6 * MINUTE_MS + jitter(now)).slice(3)).size).toBe(1);
  });

  test('becomes 0 at once when the clock is corrected', () => {
    const { offsets } = aNode();
    offsets(T, 10, () => 6 * MINUTE_MS);
    expect(offsets(T + 10 * MINUTE_MS, 3, () => 10 * SECOND_MS)).toEqual([0, 0, 0]);
  });

  test.each([
    ['back', 0, 6],
    ['back further', 6, 20],
    ['forward, but not far enough', 20, 6],
  ])('is known again within five minutes after the clock is set %s', (_, from, to) => {
    const { offsets } = aNode();
    expect(offsets(T, 10, () => from * MINUTE_MS).at(-1)).toBe(from);
    const after = offsets(T + 10 * MINUTE_MS, 10, () => to * MINUTE_MS);
    expect(after.slice(5)).toEqual(Array(5).fill(to));
    expect(new Set(after)).toEqual(new Set([from, to]));
  });

  test('is that of most containers, not of a single one', () => {
    const { readAt } = aNode();
    const odd = [30 * MINUTE_MS, -HOUR_MS];
    for (const age of odd) for (let minute = 0; minute < 10; minute++) readAt(T + minute * MINUTE_MS, 6 * MINUTE_MS, age, 6 * MINUTE_MS);
    expect(readAt(T + 10 * MINUTE_MS, 6 * MINUTE_MS, 0, 6 * MINUTE_MS).offsetMs).toBe(6 * MINUTE_MS);
  });

  test('is not compared with readings from before the controller’s clock was set back', () => {
    const { offsets } = aNode();
    offsets(T, 10, () => 0);
    expect(offsets(T - HOUR_MS, 4, () => -HOUR_MS)).toEqual([0, 0, -60, -60]);
  });

  test('is deleted with the node, and kept if a reading has no times', () => {
    const { clocks, readAt, offsets } = aNode();
    offsets(T, 10, () => 6 * MINUTE_MS);
    expect(readAt(T + 10 * MINUTE_MS).offsetMs).toBe(6 * MINUTE_MS);
    clocks.forget('n1');
    expect(readAt(T + 11 * MINUTE_MS).offsetMs).toBe(0);
  });
});
