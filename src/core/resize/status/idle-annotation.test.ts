import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, T0 } from '../../../../test/builders/rightsizing.ts';
import { idleFromRecords } from '../layers/idle/idle-originals.ts';
import { NO_MEMORY } from '../model/situation.ts';
import type { IdleAnnotation } from '../model/evidence/idle-memory.ts';
import { parseIdleAnnotation, writeIdleAnnotation } from './idle-annotation.ts';
import { writeMemory } from './memory-codec.ts';

const NONE = amounts(null, null);
const IDLE: IdleAnnotation = {
  since: T0,
  natural: new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') }]]),
  sizes: new Map([['main', { requests: amounts('10m', '512Mi'), limits: NONE }]]),
  wakeTriggers: 'CPU of 10m over all replicas',
};

describe('the annotation of an idled workload', () => {
  test('reads back as it was written', () => {
    expect(parseIdleAnnotation(writeIdleAnnotation(IDLE))).toEqual(IDLE);
  });

  test('is read without its wake triggers, which are only displayed', () => {
    const { wakeTriggers: _, ...others } = JSON.parse(writeIdleAnnotation(IDLE)) as Record<string, unknown>;
    expect(parseIdleAnnotation(JSON.stringify(others))).toEqual({ ...IDLE, wakeTriggers: '' });
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '5'],
    ['no time', '{"since":"yesterday","natural":[],"sizes":[]}'],
    ['sizes that are no list', writeIdleAnnotation(IDLE).replace(/"sizes":\[.*?\]/, '"sizes":{}')],
    ['a size without a container', writeIdleAnnotation(IDLE).replace(/"sizes":\[.*?\]/, '"sizes":[null]')],
  ])('is ignored where a user has written %s', (_, annotation) => {
    expect(parseIdleAnnotation(annotation)).toBeNull();
  });

  test('any text that is read can be written again', () => {
    const keys = fc.constantFrom('since', 'natural', 'sizes', 'replicas', 'wakeTriggers', 'scaled', 'activeSeconds');
    const annotation: unknown = JSON.parse(writeIdleAnnotation(IDLE));
    fc.assert(
      fc.property(keys, fc.jsonValue(), (key, value) => {
        const read = parseIdleAnnotation(JSON.stringify({ ...(annotation as object), [key]: value }));
        const idle = read === null ? null : idleFromRecords(read, { originals: null, replicas: 3 }, []);
        expect(() => writeMemory({ ...NO_MEMORY, idle })).not.toThrow();
        expect(idle?.idleReplicas ?? null).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
