import { describe, expect, test } from '@jest/globals';
import { amounts, anHpaRecord, aSituation, autoPolicy, NO_OVERRIDES, T0 } from '../../../test/builders/rightsizing.ts';
import type { IdleMemory, Sizes } from '../../core/resize/model/idle-memory.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../core/resize/model/situation.ts';
import { writeIdleNote } from '../../core/resize/status/idle-note.ts';
import { withNote } from './idle-note.ts';

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
const policy = autoPolicy();
const cpuMax = { ...policy.container, cpu: { ...policy.container.cpu, max: 1000 } };

function restored(context: Partial<Pick<WorkloadSituation, 'policy' | 'overrides' | 'hpas'>> = {}): IdleMemory | null {
  const workload = { ...aSituation().workload, annotations: { 'evenkeel.io/idle': writeIdleNote(NOTE) } };
  return withNote(NO_MEMORY, false, workload, { policy, overrides: NO_OVERRIDES, hpas: [], ...context }).idle;
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
});
