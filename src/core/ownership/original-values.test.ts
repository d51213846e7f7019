import { describe, expect, test } from '@jest/globals';
import { readOriginalValues, writeOriginalValues } from './original-values.ts';
import { NO_ORIGINAL_VALUES, leave, take } from './owners.ts';

const AT = Date.parse('2026-11-20T12:00:00.000Z');
const TARGET = { writer: 'keep-replicas', field: 'cpu/main', value: 90, live: 60, at: AT, request: 500 } as const;
const NOTE = take(take(NO_ORIGINAL_VALUES, TARGET), { writer: 'idle', field: 'replicas', value: 1, live: 3, at: AT + 1 });
const TEXT = writeOriginalValues(NOTE);
/** The unversioned format of an autoscaler. */
const EARLIER = JSON.stringify({
  metrics: [
    { resource: 'cpu', averageUtilization: 60, cpuMillicores: 500, now: 90 },
    { resource: 'memory', container: 'main', averageUtilization: 70, memoryBytes: 1024, now: 80 },
  ],
  issuedAt: '2026-11-20T12:00:00.000Z',
});

describe('the record of original values', () => {
  test('has by field the user’s value, the value of each owner, and the last set value with its owner', () => {
    expect(JSON.parse(TEXT)).toEqual({
      v: 1,
      fields: {
        'cpu/main': { user: 60, cpuMillicores: 500, wants: { 'keep-replicas': 90 }, set: 90, by: 'keep-replicas' },
        replicas: { user: 3, wants: { idle: 1 }, set: 1, by: 'idle', from: 3 },
      },
      takenAt: { 'keep-replicas': '2026-11-20T12:00:00.000Z', idle: '2026-11-20T12:00:00.001Z' },
    });
  });

  test('parses to the written value, also while a value is restored', () => {
    const restored = leave(take(NOTE, { writer: 'idle', field: 'replicas', value: 1, live: 1, at: AT }), 'idle', () => 1);
    for (const originals of [NOTE, restored]) expect(readOriginalValues(writeOriginalValues(originals))).toEqual(originals);
    expect(restored.fields.get('replicas')).toMatchObject({ user: 3, set: 3, from: 1, by: 'idle' });
  });

  test('parses the unversioned format as values of keep-replicas', () => {
    const request = take(NO_ORIGINAL_VALUES, {
      writer: 'keep-replicas',
      field: 'cpu',
      value: 90,
      live: 90,
      at: AT,
      user: 60,
      request: 500,
    });
    const memory = { writer: 'keep-replicas', field: 'memory/main', value: 80, live: 80, at: AT, user: 70, request: 1024 } as const;
    expect(readOriginalValues(EARLIER)).toEqual(take(request, memory));
  });

  test.each<[string, string]>([
    ['is not JSON', '{'],
    ['has the unversioned format and no time', EARLIER.replace('2026-11-20T12:00:00.000Z', 'x')],
    ['has the unversioned format and no target', '{"metrics":[],"issuedAt":"2026-11-20T12:00:00.000Z"}'],
    ['has the unversioned format and lacks the user’s value', EARLIER.replace('"averageUtilization":70,', '')],
    ['is of a later version', TEXT.replace('"v":1', '"v":2')],
    ['has no field', writeOriginalValues(NO_ORIGINAL_VALUES)],
    ['has an unknown field', TEXT.replace('"replicas"', '"paused"')],
    ['has an unknown owner', TEXT.replaceAll('"idle"', '"night"')],
    ['has a value that is not a number', TEXT.replace('"user":3', '"user":"many"')],
    ['has negative replicas', TEXT.replace('"set":1', '"set":-1')],
    ['lacks the user’s value of one field', TEXT.replace('"user":3,', '')],
    ['has a target for a request of 0', TEXT.replace('"cpuMillicores":500', '"cpuMillicores":0')],
    ['lacks the time of an owner', TEXT.replace(/,"idle":"[^"]*"/, '')],
    ['has an invalid time', TEXT.replace('2026-11-20T12:00:00.001Z', 'yesterday')],
  ])('is invalid if it %s', (_, text) => {
    expect(text).not.toBe(TEXT);
    expect(readOriginalValues(text)).toBeNull();
  });
});
