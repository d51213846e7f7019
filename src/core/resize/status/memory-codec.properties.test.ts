// Stored memory is read as it was written, and timestamps in the future are corrected.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crds, validatorOf } from '../../../../test/builders/crds.ts';
import { T0 } from '../../../../test/builders/rightsizing.ts';
import { NUMBER, record, required } from '../../model/encoding/codec.ts';
import type { OptionalResources } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';
import { omitEmpty } from '../../model/encoding/omit-empty.ts';
import type { RecommendationStatus, RecommendationStatusClass } from '../../../apis/v1alpha1/index.ts';
import type { Values } from '../model/container-values.ts';
import { EXCEPTION_BOUNDS, LIMIT_EXCEPTION_STATES, LIMIT_EXCEPTION_TYPES, type LimitException } from '../model/limit-exception.ts';
import { REFUSAL_CODES } from '#kube/records/refusal-code';
import { APPLY_STAGES, NO_MEMORY, type ResizeMemory } from '../model/situation.ts';
import { correctFutureTimestamps, isSameMemory, readMemory, writeClassMemory, writeMemory } from './memory-codec.ts';

const instant = fc.integer({ min: T0 - 10 * DAY_MS, max: T0 + 10 * DAY_MS });
const count = fc.integer({ min: 0, max: 60 });
const amount = fc.integer({ min: 1, max: 2 ** 40 });
const flag = fc.boolean();
const words = fc.string({ minLength: 1, maxLength: 60 });
const name = fc.stringMatching(/^[a-z]{1,20}$/);
const ratio = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);

function orNull<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(value, { nil: null });
}

const resources: fc.Arbitrary<OptionalResources> = fc.record({ cpuMillicores: orNull(amount), memoryBytes: orNull(amount) });
const unset: fc.Arbitrary<OptionalResources> = fc.constant({ cpuMillicores: null, memoryBytes: null });
const values = valuesOf(resources);
const sizes = valuesOf(unset);

function valuesOf(limits: fc.Arbitrary<OptionalResources>): fc.Arbitrary<Values> {
  return fc
    .uniqueArray(fc.tuple(name, fc.record({ requests: resources, limits })), { minLength: 1, maxLength: 3, selector: ([key]) => key })
    .map((entries) => new Map(entries));
}

const limitException: fc.Arbitrary<LimitException> = fc.record({
  container: name,
  resource: fc.constantFrom('cpu', 'memory'),
  type: fc.constantFrom(...LIMIT_EXCEPTION_TYPES),
  state: fc.constantFrom(...LIMIT_EXCEPTION_STATES),
  bound: fc.constantFrom(...EXCEPTION_BOUNDS),
  limit: amount,
  observed: amount,
  proposed: orNull(amount),
  evidence: words,
  openedAt: instant,
  lastSeenAt: instant,
  occurrences: count,
  clearSince: orNull(instant),
  openCount: fc.array(instant, { minLength: 1, maxLength: 3 }),
  closedAt: orNull(instant),
  decided: orNull(fc.record({ at: instant, by: words, value: orNull(amount) })),
  inEffect: flag,
  approvedBaseline: orNull(fc.record({ value: amount, at: instant })),
  overage: orNull(fc.record({ before: amount, value: amount, since: instant, until: instant, returnedAt: orNull(instant) })),
  leakApprovedAt: orNull(instant),
  ceilingReached: flag,
});

const target = fc.record({
  resource: fc.constantFrom('cpu' as const, 'memory' as const),
  container: orNull(name),
  percent: fc.integer({ min: 1, max: 100 }),
  request: amount,
  set: fc.integer({ min: 1, max: 100 }),
});

const memories: fc.Arbitrary<ResizeMemory> = fc.record({
  apply: orNull(
    fc.record({
      startedAt: instant,
      stage: fc.constantFrom(...APPLY_STAGES),
      stageStartedAt: instant,
      throttledRatioBefore: orNull(ratio),
      errorRateBefore: orNull(ratio),
      endsIncrease: flag,
      reason: words,
      by: words,
      values,
    }),
  ),
  lastApplied: orNull(fc.record({ at: instant, by: words, reason: words, pods: count, values })),
  previous: orNull(fc.record({ at: instant, values })),
  template: values,
  endedApprovalAt: orNull(instant),
  rolledBack: orNull(
    fc.record({
      at: instant,
      reason: words,
      message: words,
      heldUntil: instant,
      userHeldUntil: orNull(instant),
      count,
      requestedAt: orNull(instant),
      values,
    }),
  ),
  lastRollbackRequestAt: orNull(instant),
  observedReductions: fc.array(fc.record({ since: instant, until: instant, comparedHours: count, before: values }), { maxLength: 3 }),
  failures: fc.array(
    fc.record({
      pod: name,
      uid: name,
      pool: orNull(name),
      resource: orNull(fc.constantFrom('cpu' as const, 'memory' as const)),
      state: fc.constantFrom('deferred' as const, 'infeasible' as const, 'error' as const),
      since: instant,
      code: fc.constantFrom(...REFUSAL_CODES),
      attempts: fc.integer({ min: 1, max: 10 }),
      message: words,
      values,
    }),
    { maxLength: 3 },
  ),
  boosts: fc.array(fc.record({ pod: name, uid: name, since: instant, values }), { maxLength: 3 }),
  evictions: orNull(
    fc.record({
      requests: fc.record({ cpuMillicores: amount, memoryBytes: amount }),
      count,
      lastAt: instant,
      refused: orNull(fc.record({ at: instant, message: words })),
    }),
  ),
  oomBumps: fc.array(
    fc.record({ container: name, pod: orNull(name), uid: orNull(name), at: instant, limit: amount, request: orNull(amount) }),
    {
      maxLength: 3,
    },
  ),
  largestNode: orNull(fc.record({ cpuMillicores: amount, cpuSeenAt: instant, memoryBytes: amount, memorySeenAt: instant })),
  hotReplicas: fc.array(fc.record({ container: name, pod: name, uid: name, at: instant, cpu: orNull(amount) }), { maxLength: 3 }),
  pace: orNull(fc.record({ effective: fc.constantFrom('Daily' as const, 'Hourly' as const), since: instant })),
  nodeOoms: fc.dictionary(name, instant, { maxKeys: 3 }).map((entries) => new Map(Object.entries(entries))),
  idle: orNull(
    fc.record({
      since: instant,
      natural: values,
      sizes,
      floor: sizes,
      activeMs: count.map((seconds) => seconds * SECOND_MS),
      replicas: count,
      idleReplicas: orNull(count),
      autoscaler: orNull(fc.record({ name, minReplicas: count })),
      scaled: flag,
      waking: orNull(fc.record({ since: instant, reason: words, by: fc.constantFrom('load' as const, 'other' as const) })),
      wakeTriggers: words,
    }),
  ),
  lastIdle: orNull(
    fc.record({
      since: instant,
      wokenAt: instant,
      reason: words,
      shortIdlePeriods: count,
      activeMs: count.map((seconds) => seconds * SECOND_MS),
      floor: sizes,
    }),
  ),
  autoscalers: fc.array(
    fc.record({
      name,
      targets: fc.array(target, { maxLength: 2 }),
      issuedAt: orNull(instant),
      reverts: count,
      revertedAt: orNull(instant),
      revertedBy: orNull(words),
      isReverted: flag,
      refusedAt: orNull(instant),
      refusal: orNull(words),
    }),
    { maxLength: 3 },
  ),
  limitExceptions: fc.array(limitException, { maxLength: 3 }),
  externalResizes: orNull(fc.record({ by: words, pod: name, at: instant, count, until: instant })),
  cpuLimitRaises: fc
    .dictionary(name, fc.array(instant, { minLength: 1, maxLength: 3 }), { maxKeys: 3 })
    .map((entries) => new Map(Object.entries(entries))),
  reductions: fc
    .dictionary(name, fc.record({ cpu: orNull(instant), memory: orNull(instant), memoryLimit: orNull(instant) }), { maxKeys: 3 })
    .map((entries) => new Map(Object.entries(entries))),
  cpuBeforeIncrease: fc.dictionary(name, amount, { maxKeys: 3 }).map((entries) => new Map(Object.entries(entries))),
} satisfies { readonly [K in Exclude<keyof ResizeMemory, 'classes'>]: fc.Arbitrary<ResizeMemory[K]> });

const RECOMMENDATION = crds().find(({ spec }) => spec.names.kind === 'Recommendation')!;
const SKELETON = {
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'Recommendation',
  metadata: { name: 'deployment-web', namespace: 'shop' },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
};

/** A status with node size classes. */
function statusOf(memory: ResizeMemory, inClass: ResizeMemory): RecommendationStatus {
  const {
    idle: _idle,
    lastIdle: _lastIdle,
    autoscalers: _autoscalers,
    ...ofClass
  } = writeClassMemory(inClass) as RecommendationStatus & RecommendationStatusClass;
  return { ...writeMemory(memory), classes: [{ ...ofClass, name: '4cpu-16Gi' }] };
}

describe('the stored memory', () => {
  test('is read as it was written, in a form that the schema of the Recommendation allows', () => {
    const validate = validatorOf(RECOMMENDATION);
    fc.assert(
      fc.property(memories, memories, (memory, inClass) => {
        const status = statusOf(memory, inClass);
        const { idle: _idle, lastIdle: _lastIdle, autoscalers: _autoscalers, ...ofClass } = inClass;
        expect(readMemory(status)).toEqual({
          ...memory,
          classes: new Map([['4cpu-16Gi', { ...NO_MEMORY, ...ofClass }]]),
        });
        const stored = omitEmpty(status);
        expect(readMemory(stored)).toEqual(readMemory(status));
        expect(isSameMemory(stored, status)).toBe(true);
        validate({ ...SKELETON, status: stored });
        expect(validate.errors ?? []).toEqual([]);
      }),
      { numRuns: 100, seed: 11 },
    );
  });

  test('differs where any of its fields differs', () => {
    fc.assert(
      fc.property(memories, memories, (one, other) => {
        for (const field of Object.keys(NO_MEMORY) as (keyof typeof NO_MEMORY)[]) {
          const changed = { ...one, [field]: other[field] };
          const isSame = isSameMemory(writeMemory(one), writeMemory(changed));
          expect({ field, isSame }).toEqual({ field, isSame: JSON.stringify(readable(one)) === JSON.stringify(readable(changed)) });
        }
      }),
      { numRuns: 50, seed: 12 },
    );
  });

  test('has no timestamp from the future once it is corrected, and is left alone where there was none', () => {
    fc.assert(
      fc.property(memories, memories, instant, (own, inClass, now) => {
        const memory = { ...own, classes: new Map([['4cpu-16Gi', inClass]]) };
        const corrected = correctFutureTimestamps(memory, now);
        const before = timestampsOf(memory);
        const after = timestampsOf(corrected);
        expect([...after.keys()]).toEqual([...before.keys()]);
        for (const [path, at] of before) expect([path, after.get(path)]).toEqual([path, at > now + 2 * MINUTE_MS ? now - HOUR_MS : at]);
        expect(corrected.rolledBack === null ? null : corrected.rolledBack.heldUntil - corrected.rolledBack.at).toBe(
          memory.rolledBack === null ? null : memory.rolledBack.heldUntil - memory.rolledBack.at,
        );
        expect(corrected.rolledBack?.requestedAt).toBe(memory.rolledBack?.requestedAt);
        expect(corrected.lastRollbackRequestAt).toBe(memory.lastRollbackRequestAt);
        expect(correctFutureTimestamps(own, T0 + 11 * DAY_MS)).toBe(own);
      }),
      { numRuns: 100, seed: 13 },
    );
  });

  test('has no field without a codec: it does not compile', () => {
    // @ts-expect-error `b` is forgotten
    const forgetful = record<{ readonly a: number; readonly b: number }>({ a: required(NUMBER) });
    expect(forgetful.names).toEqual(['a']);
  });

  test('counts as absent where it is invalid', () => {
    const nonsense = { apply: { startedAt: 'soon', stage: 'All', stageStartedAt: '', containers: [] }, lastApplied: { at: 'x' } } as const;
    expect(readMemory(nonsense)).toEqual(NO_MEMORY);
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(writeMemory(NO_MEMORY)), 'apply', 'idle', 'boosts'), fc.jsonValue()),
        (status) => {
          expect(() => readMemory(status as RecommendationStatus)).not.toThrow();
        },
      ),
      { numRuns: 100, seed: 14 },
    );
  });
});

/** Deadlines, which may lie in the future, and the times of user requests, which identify them. */
const NOT_CORRECTED =
  /\.(heldUntil|userHeldUntil|until|requestedAt|lastRollbackRequestAt|endedApprovalAt|issuedAt)$|\.approvedBaseline\.at$/;

/** All instants in a value, by path: numbers within days of the tests' time. */
function timestampsOf(value: unknown, path = ''): Map<string, number> {
  if (typeof value === 'number') {
    const isTime =
      Math.abs(value - T0) <= 30 * DAY_MS &&
      !NOT_CORRECTED.test(path) &&
      !/(Millicores|Bytes|before|value|limit|observed|proposed|request)$/.test(path);
    return new Map(isTime ? [[path, value]] : []);
  }
  if (typeof value !== 'object' || value === null) return new Map();
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return new Map(entries.flatMap(([key, inner]) => [...timestampsOf(inner, `${path}.${key}`)]));
}

function readable(memory: ResizeMemory): unknown {
  return omitEmpty(writeMemory(memory));
}
