import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, T0 } from '../../../../test/builders/rightsizing.ts';
import type { IdleMemory } from '../model/idle-memory.ts';
import { NO_MEMORY } from '../model/situation.ts';
import { readIdleNote, writeIdleNote } from './idle-note.ts';
import { writeMemory } from './memory-codec.ts';

const NONE = amounts(null, null);
const IDLE: IdleMemory = {
  since: T0,
  natural: new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') }]]),
  sizes: new Map([['main', { requests: amounts('10m', '512Mi'), limits: NONE }]]),
  floor: new Map(),
  awakeMs: 0,
  replicas: 3,
  idleReplicas: 1,
  autoscaler: { name: 'web', minReplicas: 3 },
  scaled: false,
  waking: null,
  wakesOn: 'CPU of 10m over all replicas',
};

describe('the note on an idle workload', () => {
  test('reads back as it was written', () => {
    expect(readIdleNote(writeIdleNote(IDLE))).toEqual(IDLE);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '5'],
    ['no time', '{"since":"yesterday","natural":[],"sizes":[]}'],
    ['words in the place of replicas', writeIdleNote(IDLE).replace('"replicas":3', '"replicas":"many"')],
    ['less than no replicas', writeIdleNote(IDLE).replace('"idleReplicas":1', '"idleReplicas":-1')],
    ['a number for what it wakes on', writeIdleNote(IDLE).replace('"CPU of 10m over all replicas"', '5')],
    ['an autoscaler without a name', writeIdleNote(IDLE).replace('"name":"web"', '"name":{}')],
    ['sizes that are no list', writeIdleNote(IDLE).replace(/"sizes":\[.*?\]/, '"sizes":{}')],
    ['a size of nobody', writeIdleNote(IDLE).replace(/"sizes":\[.*?\]/, '"sizes":[null]')],
  ])('says nothing where a hand has left %s', (_, note) => {
    expect(readIdleNote(note)).toBeNull();
  });

  test('whatever it says, what is read can be written', () => {
    const keys = fc.constantFrom(
      'since',
      'natural',
      'sizes',
      'replicas',
      'idleReplicas',
      'autoscaler',
      'wakesOn',
      'scaled',
      'awakeSeconds',
    );
    const note: unknown = JSON.parse(writeIdleNote(IDLE));
    fc.assert(
      fc.property(keys, fc.jsonValue(), (key, value) => {
        const read = readIdleNote(JSON.stringify({ ...(note as object), [key]: value }));
        expect(() => writeMemory({ ...NO_MEMORY, idle: read })).not.toThrow();
        expect(read?.awakeMs ?? 0).toBe(0);
        if (read !== null) expect(Number.isInteger(read.replicas) && (read.idleReplicas ?? 0) >= 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
