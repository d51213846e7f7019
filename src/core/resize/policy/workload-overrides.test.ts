import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OVERLONG_ANNOTATION } from '../../../apis/annotations.ts';
import { boundsOf, readOverrides } from './workload-overrides.ts';

const FLOOR = 'evenkeel.io/floor';
const CEILING = 'evenkeel.io/ceiling';

describe('invalid and hostile annotations', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ['a mode of a quarter of a megabyte', { 'evenkeel.io/mode': 'x'.repeat(250_000) }],
    ['a time of a quarter of a megabyte', { 'evenkeel.io/held-until': '9'.repeat(250_000) }],
    [
      'ten thousand containers',
      { [FLOOR]: JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, 'x']))) },
    ],
    ['a container name of a quarter of a megabyte', { [FLOOR]: JSON.stringify({ ['x'.repeat(250_000)]: { cpu: 'much' } }) }],
    ['a key of a quarter of a megabyte', { [CEILING]: JSON.stringify({ main: { ['x'.repeat(250_000)]: 1 } }) }],
    ['a quantity of a quarter of a megabyte', { [CEILING]: JSON.stringify({ main: { cpu: '1'.repeat(250_000) } }) }],
    ['deeply nested lists', { [FLOOR]: '['.repeat(120_000) + ']'.repeat(120_000) }],
    ['unterminated lists', { [FLOOR]: '['.repeat(250_000) }],
  ])('are reported in a short message: %s', (_, annotations) => {
    const { problems } = readOverrides(annotations);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('; ').length).toBeLessThan(2_000);
  });

  test.each([FLOOR, CEILING, 'evenkeel.io/mode', 'evenkeel.io/exclude', 'evenkeel.io/held-until'])(
    '%s that exceeds the maximum length is reported with its name and the maximum',
    (annotation) => {
      const { problems } = readOverrides({ [annotation]: OVERLONG_ANNOTATION });
      expect(problems).toEqual([expect.stringContaining(`${annotation}: `)]);
      expect(problems).toEqual([expect.stringContaining('longer than 16384 characters')]);
    },
  );

  test('names of properties of Object.prototype are valid container names', () => {
    const { floor, problems } = readOverrides({ [FLOOR]: '{"__proto__":{"cpu":"1"},"constructor":{"cpu":"2"}}' });
    expect(problems).toEqual([]);
    expect(boundsOf(floor, 'constructor').cpuMillicores).toBe(2000);
    expect(boundsOf(floor, '__proto__').cpuMillicores).toBe(1000);
    expect(boundsOf(floor, 'main').cpuMillicores).toBeNull();
    expect(({} as Record<string, unknown>)['cpu']).toBeUndefined();
  });

  test('any text is either read or reported, and never throws', () => {
    const names = fc.constantFrom(FLOOR, CEILING, 'evenkeel.io/mode', 'evenkeel.io/held-until', 'evenkeel.io/exclude');
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.string())).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.dictionary(names, texts), (annotations) => {
        const { floor, ceiling, heldUntil, problems } = readOverrides(annotations);
        for (const { cpuMillicores, memoryBytes } of [...floor.values(), ...ceiling.values()]) {
          expect(cpuMillicores ?? 0).toBeGreaterThanOrEqual(0);
          expect(memoryBytes ?? 0).toBeGreaterThanOrEqual(0);
        }
        expect(heldUntil === null || Number.isFinite(heldUntil)).toBe(true);
        expect(problems.join('').length).toBeLessThan(2_000);
      }),
      { numRuns: 300 },
    );
  });
});
