import { expect, test } from '@jest/globals';
import { LoopTicks } from './loop-ticks.ts';

test('a hold is the CPU time of the main thread beyond the interval, and a delay is wall time', () => {
  const ticks = new LoopTicks();
  for (let count = 0; count < 97; count++) ticks.add(10, 1);
  // Another process had the core for a second; then the controller itself was busy for 0.2 s.
  ticks.add(1_010, 2);
  ticks.add(210, 210);
  ticks.add(70, 70);
  expect(ticks.report()).toEqual({
    ticks: 100,
    seconds: 2,
    delayP99Ms: 200,
    delayMaxMs: 1_000,
    holdP50Ms: 0,
    holdP99Ms: 60,
    holdMaxMs: 200,
    longHoldRatio: 260 / 2_260,
    longest: [
      { holdMs: 200, atSecond: 2 },
      { holdMs: 60, atSecond: 2 },
    ],
  });
});

test('a phase without ticks has no figures', () => {
  expect(new LoopTicks().report()).toMatchObject({ ticks: 0, holdP99Ms: NaN, longHoldRatio: NaN, longest: [] });
});
