import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, T0 } from '../../../../test/builders/rightsizing.ts';
import { idleFromRecords } from '../layers/idle/idle-originals.ts';
import { NO_MEMORY } from '../model/situation.ts';
import type { IdleNote } from '../model/idle-memory.ts';
import { readIdleNote, writeIdleNote } from './idle-note.ts';
import { writeMemory } from './memory-codec.ts';

const NONE = amounts(null, null);
const IDLE: IdleNote = {
  since: T0,
  natural: new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') }]]),
  sizes: new Map([['main', { requests: amounts('10m', '512Mi'), limits: NONE }]]),
  wakeTriggers: 'CPU of 10m over all replicas',
};

describe('the note on an idle workload', () => {
  test('reads back as it was written', () => {
    expect(readIdleNote(writeIdleNote(IDLE))).toEqual(IDLE);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '5'],
    ['no time', '{"since":"yesterday","natural":[],"sizes":[]}'],
    ['a number for what it wakes on', writeIdleNote(IDLE).replace('"CPU of 10m over all replicas"', '5')],
    ['sizes that are no list', writeIdleNote(IDLE).replace(/"sizes":\[.*?\]/, '"sizes":{}')],
    ['a size of nobody', writeIdleNote(IDLE).replace(/"sizes":\[.*?\]/, '"sizes":[null]')],
  ])('says nothing where a hand has left %s', (_, note) => {
    expect(readIdleNote(note)).toBeNull();
  });

  test('whatever it says, what is read can be written', () => {
    const keys = fc.constantFrom('since', 'natural', 'sizes', 'replicas', 'wakeTriggers', 'scaled', 'activeSeconds');
    const note: unknown = JSON.parse(writeIdleNote(IDLE));
    fc.assert(
      fc.property(keys, fc.jsonValue(), (key, value) => {
        const read = readIdleNote(JSON.stringify({ ...(note as object), [key]: value }));
        const idle = read === null ? null : idleFromRecords(read, { note: null, replicas: 3 }, []);
        expect(() => writeMemory({ ...NO_MEMORY, idle })).not.toThrow();
        expect(idle?.idleReplicas ?? null).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
