import { describe, expect, test } from '@jest/globals';
import { compareEnds, compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const recorded = {
  slack: { value: -0.3, unit: 'changeAgainstVpa', input: 'a' },
  deciding: { value: 80, unit: 'milliseconds', input: 'a' },
  state: { value: 7000, unit: 'bytes', input: 'a' },
  speed: { value: 1000, unit: 'virtualSecondsPerCpuSecond', input: 'a' },
  resident: { value: 500e6, unit: 'residentBytes', input: 'a' },
  load: { value: 0.2, unit: 'cpuRatio', input: 'a' },
  lost: { value: 0, unit: 'count', input: 'a' },
  writes: { value: 10, unit: 'perSecond', input: 'a' },
  read: { value: 2, unit: 'loadedMilliseconds', input: 'a' },
  hold: { value: 0, unit: 'cpuMilliseconds', input: 'a' },
} as const;

function measured(id: keyof typeof recorded, value: number, input = 'a'): Figure {
  return { id, value, unit: recorded[id].unit, input };
}

describe('the regression check', () => {
  test.each([
    ['slack', -0.25],
    ['slack', -0.9],
    ['deciding', 600],
    ['state', 8000],
    ['speed', 600],
    ['speed', 9000],
    ['resident', 700e6],
    ['load', 0.44],
    ['lost', 0],
    ['writes', 15],
    ['read', 110],
    ['hold', 19],
  ] as const)('%s of %d is within the margin', (id, value) => {
    expect(compareFigures([measured(id, value)], recorded)).toEqual({ regressions: [], compared: 1, notCompared: [] });
  });

  test.each([
    ['slack', -0.2],
    ['slack', NaN],
    ['deciding', 700],
    ['state', 8100],
    ['speed', 400],
    ['speed', NaN],
    ['resident', 800e6],
    ['load', 0.46],
    ['lost', 1],
    ['writes', 16],
    ['read', 120],
    ['hold', 21],
  ] as const)('%s of %d is a regression', (id, value) => {
    expect(compareFigures([measured(id, value)], recorded).regressions).toEqual([
      expect.objectContaining({ id, recorded: recorded[id].value }),
    ]);
  });

  test('figures of another input are not compared, and new figures are listed', () => {
    const fresh: Figure = { id: 'new', value: 9, unit: 'bytes', input: 'a' };
    expect(compareFigures([measured('slack', 5, 'b'), fresh], recorded)).toEqual({
      regressions: [],
      compared: 0,
      notCompared: ['slack', 'new'],
    });
  });

  test('the recorded figures can be read, and each has its input', () => {
    const figures = Object.values(readRecordedFigures());
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.filter(({ value, input }) => !Number.isFinite(value) || input === '')).toEqual([]);
  });
});

describe('the end of a simulation', () => {
  const speed: Figure = { id: 'speed', value: 1, unit: 'virtualSecondsPerCpuSecond', input: 'a', end: 'abc', node: '24.1.0' };

  test('that differs from the recorded one is reported, but is not a regression', () => {
    const before = { speed: { ...speed, end: 'def' } };
    expect(compareEnds([speed], before)).toEqual([
      'speed: the end is abc, and the recorded end is def: the simulation behaves differently',
    ]);
    expect(compareFigures([speed], before).regressions).toEqual([]);
  });

  test.each([
    ['the same end', speed],
    ['another input', { ...speed, end: 'def', input: 'b' }],
    ['another Node.js', { ...speed, end: 'def', node: '24.2.0' }],
    ['no recorded end', recorded.speed],
  ])('is not reported with %s', (_what, before) => {
    expect(compareEnds([speed], { speed: before })).toEqual([]);
  });
});

test('by the recorded figures a safety raise is in force within 30 s of being due, for 5,000 pods at once', () => {
  expect(readRecordedFigures()['pacing/5000-pods/dueToEffect/p99']?.value).toBeLessThanOrEqual(30_000);
});

test('bytes that are not positive are not recorded', () => {
  expect(() => recordFigures([measured('state', -7)])).toThrow('not recorded: state is -7 bytes');
});

test('every recorded figure of bytes is positive', () => {
  const bytes = Object.entries(readRecordedFigures()).filter(([, { unit }]) => unit === 'bytes' || unit === 'residentBytes');
  expect(bytes.filter(([, { value }]) => value <= 0)).toEqual([]);
});
