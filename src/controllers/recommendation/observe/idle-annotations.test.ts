import { describe, expect, test } from '@jest/globals';
import {
  aContainer,
  amounts,
  anHpaRecord,
  aPodRecord,
  aSituation,
  autoPolicy,
  NO_OVERRIDES,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import type { IdleMemory, Sizes } from '../../../core/resize/model/evidence/idle-memory.ts';
import type { DecisionEvent } from '../../../core/resize/model/decision-event.ts';
import { isoTime } from '#kube/time/iso-time';
import { HOUR_MS, MINUTE_MS, type Instant } from '#kube/units';
import { NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../../../core/resize/model/situation.ts';
import { writeIdleAnnotation } from '../../../core/resize/status/idle-annotation.ts';
import { idleOriginal } from '../../../../test/builders/original-annotations.ts';
import { FakeClusterReader } from '../../../../test/fakes/fake-cluster-reader.ts';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import { HmacSigner } from '../../../runtime/hmac-signer.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { readRecordedIdle } from './idle-annotations.ts';
import { findRejectedAnnotations } from '../publish/rejected-annotations.ts';

const sizes = (cpu: string, memory = '512Mi'): Sizes =>
  new Map([['main', { requests: amounts(cpu, memory), limits: amounts(null, null) }]]);
const NOTE: IdleMemory = {
  since: T0,
  natural: sizes('8000m', '8Gi'),
  sizes: sizes('4000m', '4Gi'),
  floor: new Map(),
  activeMs: 0,
  replicas: 3,
  idleReplicas: 1,
  autoscaler: { name: 'web', minReplicas: 2 ** 31 - 1 },
  scaled: false,
  waking: null,
  wakeTriggers: 'CPU of 10m over all replicas',
};
const WORKLOAD = aSituation().workload;
const policy = autoPolicy();
const cpuMax = { ...policy.container, cpu: { ...policy.container.cpu, max: 1000 } };

type Context = Parameters<typeof readRecordedIdle>[2];

/** The workload as recorded: one pod of the idle size, and an autoscaler at the idle minReplicas. */
const AS_RECORDED: Context = {
  policy,
  overrides: NO_OVERRIDES,
  hpas: [lowered({ maxReplicas: 2 ** 31 - 1 })],
  pods: [aPodRecord({ containers: [aContainer({ requests: amounts('4000m', '4Gi') })] })],
};

function restored(context: Partial<Context> = {}): IdleMemory | null {
  return read(signed(), context);
}

function signed(annotation: IdleMemory = NOTE): string {
  return TEST_SIGNER.sign({ kind: WORKLOAD.kind, uid: WORKLOAD.uid, field: 'evenkeel.io/idle' }, writeIdleAnnotation(annotation));
}

function read(annotation: string, context: Partial<Context> = {}, annotations: Readonly<Record<string, string>> = {}): IdleMemory | null {
  const workload = { ...WORKLOAD, annotations: { 'evenkeel.io/idle': annotation, ...annotations } };
  return readRecordedIdle(workload, TEST_SIGNER, { ...AS_RECORDED, ...context });
}

/** The autoscaler with the verified annotation of its minReplicas. */
function lowered(hpa: Parameters<typeof anHpaRecord>[0] = {}): Context['hpas'][number] {
  const original = idleOriginal('minReplicas', { user: 2 ** 31 - 1, value: 1, since: T0 });
  return { ...anHpaRecord({ name: 'web', minReplicas: 1, ...hpa }), annotations: { 'evenkeel.io/original': original } };
}

function podOf(cpu: string, memory = '4Gi'): Context['pods'] {
  return [aPodRecord({ containers: [aContainer({ requests: amounts(cpu, memory) })] })];
}

describe('The annotation of an idle workload without a Recommendation, which any user of the namespace can write,', () => {
  test('gives no container more than the max of its policy', () => {
    expect(restored({ policy: { ...policy, container: cpuMax } })?.natural).toEqual(sizes('1000m', '8Gi'));
  });

  test('gives no container more than its ceiling', () => {
    const overrides = { ...NO_OVERRIDES, ceiling: new Map([['*', amounts(null, '1Gi')]]) };
    expect(restored({ overrides })?.natural).toEqual(sizes('8000m', '1Gi'));
  });

  test('raises the minReplicas of an autoscaler to no more than its maxReplicas', () => {
    const hpas = [lowered({ maxReplicas: 9 })];
    expect(restored({ hpas })?.autoscaler).toEqual({ name: 'web', minReplicas: 9 });
  });

  test('is read unchanged where no bound applies', () => {
    expect(restored()).toEqual(NOTE);
  });

  test.each([
    ['without a signature', writeIdleAnnotation(NOTE)],
    ['with other sizes than were signed', signed().replace('8Gi', '9Gi')],
    [
      'of another workload',
      TEST_SIGNER.sign({ kind: 'Deployment', uid: 'of another', field: 'evenkeel.io/idle' }, writeIdleAnnotation(NOTE)),
    ],
  ])('is not followed %s, and an Event reports it', (_, annotation) => {
    expect(read(annotation)).toBeNull();
    expect(eventsOf(annotation)).toMatchObject([
      { reason: 'RecordNotSigned', message: expect.stringContaining('not signed by this Evenkeel') },
    ]);
  });

  test.each<[string, Partial<Context>]>([
    ['has other sizes', { pods: podOf('500m', '512Mi') }],
    ['has its natural sizes', { pods: podOf('8000m', '8Gi') }],
    ['has other sizes beside an idle one', { pods: podOf('4000m', '512Mi') }],
    ['has other sizes and other replicas', { pods: podOf('500m'), hpas: [lowered({ minReplicas: 2 })] }],
  ])('is not followed where the workload %s: it is from an earlier idle period, and an Event reports it', (_, context) => {
    expect(restored(context)).toBeNull();
    expect(eventsOf(signed())).toMatchObject([{ reason: 'RecordOutdated', message: expect.stringContaining('earlier idle period') }]);
  });

  test('restores the sizes alone where a user has changed the replicas or the pods', () => {
    const alone = { ...NOTE, idleReplicas: null, autoscaler: null };
    expect(restored({ hpas: [lowered({ minReplicas: 2 })] })).toEqual(alone);
    expect(restored({ pods: [...podOf('4000m'), ...podOf('500m')] })).toEqual(alone);
  });

  test.each([
    ['a pod whose node could lower one resource alone', { pods: podOf('4000m', '8Gi') }, NOTE],
    ['no pod left', { pods: [] }, NOTE],
  ])('is followed with %s', (_, context, expected) => {
    expect(restored(context)).toEqual(expected);
  });

  test.each([
    ['still exist', podOf('8000m', '8Gi'), 1],
    ['no longer exist', podOf('500m'), null],
  ])('that records fewer replicas alone restores them where pods of those sizes %s', (_, pods, idleReplicas) => {
    const annotation = signed({ ...NOTE, sizes: NOTE.natural });
    expect(read(annotation, { pods })?.idleReplicas ?? null).toBe(idleReplicas);
  });

  describe('with an annotation of its replicas', () => {
    const of = { user: 9, value: 3, since: T0 };
    const sign = (text: string, uid: string = WORKLOAD.uid) =>
      TEST_SIGNER.sign({ kind: WORKLOAD.kind, uid, field: 'evenkeel.io/original' }, text);
    const replicasBy = (annotation: string) => read(signed(), { hpas: [] }, { 'evenkeel.io/original': annotation });

    test('restores them, too', () => {
      expect(replicasBy(sign(idleOriginal('replicas', of)))).toMatchObject({ replicas: 9, idleReplicas: 3, autoscaler: null });
    });

    test.each([
      ['that is not signed', idleOriginal('replicas', of)],
      ['of another workload', sign(idleOriginal('replicas', of), 'of another')],
      ['of another idle period', sign(idleOriginal('replicas', { ...of, since: T0 - HOUR_MS }))],
      ['that cannot be read', sign('{"v":2,"fields":{},"takenAt":{}}')],
    ])('%s restores the sizes alone', (_, annotation) => {
      expect(replicasBy(annotation)).toMatchObject({ replicas: 3, idleReplicas: null, natural: NOTE.natural });
    });

    test.each([
      ['is not signed', 'RecordNotSigned', idleOriginal('replicas', of)],
      ['cannot be read', 'RecordUnreadable', sign('{"v":2,"fields":{},"takenAt":{}}')],
    ])('that %s is reported', (_, reason, annotation) => {
      const context = { status: undefined, now: T0, memory: { ...NO_MEMORY, idle: NOTE } };
      expect(eventsOf(signed(), context, TEST_SIGNER, { 'evenkeel.io/original': annotation })).toMatchObject([{ reason }]);
      expect(eventsOf(signed(), context, TEST_SIGNER, { 'evenkeel.io/original': sign(idleOriginal('replicas', of)) })).toEqual([]);
    });
  });

  test('delays the decision while no key to verify it is available', () => {
    const workload = { ...WORKLOAD, annotations: { 'evenkeel.io/idle': signed() } };
    expect(() => readRecordedIdle(workload, new HmacSigner(() => null), AS_RECORDED)).toThrow('cannot be verified yet');
  });
});

describe('The annotation of a workload with a Recommendation, whose status alone counts,', () => {
  const WOKEN_AT = T0 + HOUR_MS;
  const status = { updatedAt: isoTime(WOKEN_AT) };
  const lastIdle = { since: T0, wokenAt: WOKEN_AT, reason: 'load', shortIdlePeriods: 0, activeMs: 0, floor: new Map() };
  const at = (now: Instant, memory: Partial<ResizeMemory> = {}) => ({ status, now, memory: { ...NO_MEMORY, lastIdle, ...memory } });
  const reasonsOf = (...given: Parameters<typeof eventsOf>): readonly string[] => eventsOf(...given).map(({ reason }) => reason);

  test.each<[string, string, ReturnType<typeof at>]>([
    ['is not signed', 'RecordNotSigned', at(WOKEN_AT, { lastIdle: null })],
    ['is of an idle period before the last', 'RecordOutdated', at(WOKEN_AT, { lastIdle: { ...lastIdle, since: T0 + 1 } })],
    ['is older than a status without an idle period', 'RecordOutdated', at(WOKEN_AT, { lastIdle: null })],
    ['is of the last idle period, and still exists a minute after its end', 'RecordOutdated', at(WOKEN_AT + MINUTE_MS)],
  ])('is reported where it %s', (what, reason, context) => {
    expect(reasonsOf(what === 'is not signed' ? writeIdleAnnotation(NOTE) : signed(), context)).toEqual([reason]);
  });

  test('is reported while the workload is idle, where it is not signed', () => {
    expect(eventsOf(writeIdleAnnotation(NOTE), at(WOKEN_AT, { idle: NOTE }))).toMatchObject([
      { reason: 'RecordNotSigned', message: expect.stringContaining('it is written again from the status of its Recommendation') },
    ]);
  });

  test.each<[string, string, ReturnType<typeof at>]>([
    ['of an idle period that has not ended', signed(), at(WOKEN_AT, { idle: NOTE })],
    ['whose removal is not observed yet', signed(), at(WOKEN_AT + MINUTE_MS - 1)],
    ['of a process that ended before it wrote a status', signed({ ...NOTE, since: WOKEN_AT }), at(WOKEN_AT + MINUTE_MS)],
  ])('is not reported %s', (_, annotation, context) => {
    expect(reasonsOf(annotation, context)).toEqual([]);
  });

  test('is not reported while no key to verify it is available', () => {
    expect(reasonsOf(signed(), at(WOKEN_AT + HOUR_MS), new HmacSigner(() => null))).toEqual([]);
  });
});

interface Refused extends Pick<WorkloadSituation, 'memory' | 'now'> {
  readonly status: Parameters<typeof findRejectedAnnotations>[3]['status'];
}

const NO_STATUS: Refused = { status: undefined, now: T0, memory: NO_MEMORY };

function eventsOf(
  annotation: string,
  { status, now, memory }: Refused = NO_STATUS,
  signer: RecordSigner = TEST_SIGNER,
  annotations: Readonly<Record<string, string>> = {},
): readonly DecisionEvent[] {
  const workload = { ...WORKLOAD, annotations: { 'evenkeel.io/idle': annotation, ...annotations } };
  return findRejectedAnnotations({ cluster: new FakeClusterReader(), signer }, workload, { hpas: [], memory, now }, { status });
}
