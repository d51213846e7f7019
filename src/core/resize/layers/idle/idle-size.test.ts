import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, anAdvice, memory } from '../../../../../test/builders/rightsizing.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import { DEFAULT_IDLE_RULES, requiredIdleMs, wakeThreshold } from '../../policy/idle-rules.ts';
import { idleSizes, isSmaller, type IdleSizeInputs } from './idle-size.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';

const NATURAL = new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') }]]);

function sizeOf(inputs: Partial<IdleSizeInputs> = {}) {
  const sizes = idleSizes({
    rules: DEFAULT_IDLE_RULES,
    natural: NATURAL,
    pods: 3,
    advice: [anAdvice({ memory: '128Mi' })],
    floorOf: () => UNSET_RESOURCES,
    limitRanges: [],
    ...inputs,
  });
  return sizes.get('main')?.requests;
}

function unmeasured(advice: ContainerAdvice): ContainerAdvice {
  const { memoryEvidence } = advice;
  return { ...advice, memoryEvidence: memoryEvidence && { ...memoryEvidence, peakHour: null } };
}

describe('The idle size', () => {
  test.each<[string, Partial<IdleSizeInputs>, ReturnType<typeof amounts>]>([
    ['is the policy’s CPU, and unchanged memory', {}, amounts('10m', '512Mi')],
    [
      'is the policy’s memory, too, where it names one',
      { rules: { ...DEFAULT_IDLE_RULES, memory: memory('256Mi') } },
      amounts('10m', '256Mi'),
    ],
    ['keeps 1.25 × the working set', { rules: { ...DEFAULT_IDLE_RULES, memory: memory('16Mi') } }, amounts('10m', '112Mi')],
    [
      'keeps memory whose usage is unknown',
      { rules: { ...DEFAULT_IDLE_RULES, memory: memory('16Mi') }, advice: [] },
      amounts('10m', '512Mi'),
    ],
    [
      'leaves memory alone that was not measured within the last hour',
      { rules: { ...DEFAULT_IDLE_RULES, memory: memory('16Mi') }, advice: [unmeasured(anAdvice({ memory: '128Mi' }))] },
      amounts('10m', '512Mi'),
    ],
    ['respects the floor annotation', { floorOf: () => amounts('50m', null) }, amounts('50m', '512Mi')],
    [
      'keeps to what a LimitRange admits: its least, and its greatest ratio of limit to request',
      { limitRanges: [{ ...aLimitRange(), min: amounts('20m', null), maxLimitRequestRatio: { cpu: 10, memory: null } }] },
      amounts('100m', '512Mi'),
    ],
    [
      'leaves enough CPU to be seen awake on a full node',
      { rules: { ...DEFAULT_IDLE_RULES, cpuThreshold: 60 }, pods: 1 },
      amounts('120m', '512Mi'),
    ],
  ])('%s', (_, inputs, expected) => {
    expect(sizeOf(inputs)).toEqual(expected);
  });

  test('is never above the natural size', () => {
    const quantity = fc.nat(2000);
    fc.assert(
      fc.property(quantity, quantity, quantity, fc.integer({ min: 1, max: 50 }), (request, cpu, cpuThreshold, pods) => {
        const natural = new Map([['main', { requests: { cpuMillicores: request, memoryBytes: null }, limits: UNSET_RESOURCES }]]);
        const sizes = idleSizes({
          rules: { ...DEFAULT_IDLE_RULES, cpu, cpuThreshold },
          natural,
          pods,
          advice: [],
          floorOf: () => UNSET_RESOURCES,
          limitRanges: [],
        });
        const idle = sizes.get('main')?.requests.cpuMillicores ?? 0;
        expect(idle).toBeLessThanOrEqual(request);
        expect(isSmaller(sizes, natural)).toBe(idle < request);
        // The requests of all replicas reach the wake threshold, unless the natural ones do not.
        expect(idle * pods >= wakeThreshold({ cpuThreshold }) || idle === request).toBe(true);
      }),
    );
  });
});

test('The wake threshold is always above the idle threshold', () => {
  fc.assert(fc.property(fc.nat(100_000), (cpuThreshold) => wakeThreshold({ cpuThreshold }) > cpuThreshold));
});

test.each([
  [DAY_MS, 0, DAY_MS],
  [HOUR_MS, 3, 8 * HOUR_MS],
  [DAY_MS, 5, 7 * DAY_MS],
  [14 * DAY_MS, 5, 14 * DAY_MS],
])('With spec.idle.after of %i ms and %i short idle periods a workload is idled after %i ms', (afterMs, shortIdlePeriods, needed) => {
  expect(requiredIdleMs({ afterMs }, shortIdlePeriods)).toBe(needed);
});

function aLimitRange(): IdleSizeInputs['limitRanges'][number] {
  return {
    namespace: 'shop',
    name: 'bounds',
    min: UNSET_RESOURCES,
    max: UNSET_RESOURCES,
    maxLimitRequestRatio: { cpu: null, memory: null },
    podMin: UNSET_RESOURCES,
    podMax: UNSET_RESOURCES,
  };
}
