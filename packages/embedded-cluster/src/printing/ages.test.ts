import { describe, expect, test } from '@jest/globals';
import { ageOf, humanDuration } from './ages.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('humanDuration', () => {
  test.each([
    [0, '0s'],
    [-1 * SECOND, '0s'],
    [-5 * SECOND, '<invalid>'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + 30 * SECOND, '2m30s'],
    [10 * MINUTE + 30 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 20 * MINUTE, '3h20m'],
    [8 * HOUR + 20 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [48 * HOUR, '2d'],
    [50 * HOUR, '2d2h'],
    [8 * DAY + 5 * HOUR, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [800 * DAY, '2y70d'],
    [9 * 365 * DAY + DAY, '9y'],
  ])('%d ms is %s', (duration, expected) => {
    expect(humanDuration(duration)).toBe(expected);
  });
});

test('an age without a time is unknown', () => {
  expect([ageOf(undefined, 0), ageOf('soon', 0), ageOf('1970-01-01T00:00:00Z', 5 * SECOND)]).toEqual(['<unknown>', '<invalid>', '5s']);
});
