import { describe, expect, test } from '@jest/globals';
import { amounts, anHpaRecord, aSituation, autoPolicy, NO_OVERRIDES, T0 } from '../../../test/builders/rightsizing.ts';
import type { IdleMemory, Sizes } from '../../core/resize/model/idle-memory.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../core/resize/model/situation.ts';
import { writeIdleNote } from '../../core/resize/status/idle-note.ts';
import { TEST_SIGNER } from '../../../test/fakes/test-signer.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import { foreignNote, withNote } from './idle-note.ts';

const sizes = (cpu: string, memory = '512Mi'): Sizes =>
  new Map([['main', { requests: amounts(cpu, memory), limits: amounts(null, null) }]]);
const NOTE: IdleMemory = {
  since: T0,
  natural: sizes('8000m', '8Gi'),
  sizes: sizes('4000m', '4Gi'),
  floor: new Map(),
  awakeMs: 0,
  replicas: 3,
  idleReplicas: 1,
  autoscaler: { name: 'web', minReplicas: 2 ** 31 - 1 },
  scaled: false,
  waking: null,
  wakesOn: 'CPU of 10m over all replicas',
};
const WORKLOAD = aSituation().workload;
const policy = autoPolicy();
const cpuMax = { ...policy.container, cpu: { ...policy.container.cpu, max: 1000 } };

function restored(context: Partial<Pick<WorkloadSituation, 'policy' | 'overrides' | 'hpas'>> = {}): IdleMemory | null {
  return read(signed(), context);
}

function signed(): string {
  return TEST_SIGNER.sign({ kind: WORKLOAD.kind, uid: WORKLOAD.uid, field: 'evenkeel.io/idle' }, writeIdleNote(NOTE));
}

function read(note: string, context: Partial<Pick<WorkloadSituation, 'policy' | 'overrides' | 'hpas'>> = {}): IdleMemory | null {
  const workload = { ...WORKLOAD, annotations: { 'evenkeel.io/idle': note } };
  return withNote(NO_MEMORY, false, workload, TEST_SIGNER, { policy, overrides: NO_OVERRIDES, hpas: [], ...context }).idle;
}

describe('The annotation of an idle workload without a Recommendation, which any user of the namespace can write,', () => {
  test('gives no container more than the max of its policy, idle or woken', () => {
    const idle = restored({ policy: { ...policy, container: cpuMax } });
    expect(idle?.natural).toEqual(sizes('1000m', '8Gi'));
    expect(idle?.sizes).toEqual(sizes('1000m', '4Gi'));
  });

  test('gives no container more than its ceiling', () => {
    const overrides = { ...NO_OVERRIDES, ceiling: new Map([['*', amounts(null, '1Gi')]]) };
    expect(restored({ overrides })?.natural).toEqual(sizes('8000m', '1Gi'));
  });

  test('raises the minReplicas of an autoscaler to no more than its maxReplicas', () => {
    const hpas = [anHpaRecord({ name: 'web', minReplicas: 1, maxReplicas: 9 })];
    expect(restored({ hpas })?.autoscaler).toEqual({ name: 'web', minReplicas: 9 });
  });

  test('is read as it is where nothing bounds it', () => {
    expect(restored()).toEqual(NOTE);
  });

  test.each([
    ['without a signature', writeIdleNote(NOTE)],
    ['with other replicas than were signed', signed().replace('"replicas":3', '"replicas":9')],
    ['of another workload', TEST_SIGNER.sign({ kind: 'Deployment', uid: 'of another', field: 'evenkeel.io/idle' }, writeIdleNote(NOTE))],
  ])('is not followed %s, and said to be', (_, note) => {
    expect(read(note)).toBeNull();
    const workload = { ...WORKLOAD, annotations: { 'evenkeel.io/idle': note } };
    expect(foreignNote(workload, TEST_SIGNER)).toContain('not signed by this Evenkeel');
  });

  test('is waited for while there is no key to verify it with', () => {
    const workload = { ...WORKLOAD, annotations: { 'evenkeel.io/idle': signed() } };
    const bounds = { policy, overrides: NO_OVERRIDES, hpas: [] };
    expect(() => withNote(NO_MEMORY, false, workload, new HmacSigner(() => null), bounds)).toThrow('cannot be verified yet');
  });
});
