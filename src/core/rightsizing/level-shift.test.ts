import { describe, expect, test } from '@jest/globals';
import { HourRing } from './hour-ring.ts';
import { shiftedSince } from './level-shift.ts';

/** @param usage of hour n since the beginning */
function ringOf(hours: number, usage: (hour: number) => number): HourRing {
  const ring = new HourRing();
  for (let hour = 0; hour < hours; hour++) ring.push(1000 + hour, usage(hour) * 1.1, usage(hour));
  return ring;
}

const daily = (hour: number) => 100 + 60 * Math.sin((hour / 24) * 2 * Math.PI);

describe('shiftedSince', () => {
  test.each([
    ['down to a quarter', 1 / 4],
    ['up to four times', 4],
  ])('a move %s is believed a day later', (_, ratio) => {
    const ring = (hours: number) => ringOf(hours, (hour) => daily(hour) * (hour < 120 ? 1 : ratio));
    expect(shiftedSince(ring(140), 1140)).toBeNull();
    expect(shiftedSince(ring(144), 1144)).toBe(1120);
  });

  test.each([
    ['a daily course', daily],
    ['a slow growth', (hour: number) => 100 * Math.pow(1.002, hour)],
    ['one day of spikes', (hour: number) => (hour >= 120 && hour % 3 === 0 ? 400 : 100)],
    ['a weekend like the last', (hour: number) => (Math.floor(hour / 24) % 7 >= 5 ? 20 : 100)],
  ])('%s is none', (_, usage) => {
    const from = usage === daily ? 72 : 190;
    for (let hours = from; hours < 400; hours++) expect(shiftedSince(ringOf(hours, usage), 1000 + hours)).toBeNull();
  });

  test('two days of history are too few to tell', () => {
    const ring = ringOf(56, (hour) => (hour < 32 ? 100 : 10));
    expect(shiftedSince(ring, 1056)).toBeNull();
  });
});
