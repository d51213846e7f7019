// What a user with write access to a namespace can put on its objects: annotations that only Evenkeel writes (forged, copied, truncated,
// signed with another key), annotations documented for users, labels, and the status of an autoscaler.

import fc from 'fast-check';
import { HPA_ANNOTATIONS, POD_ANNOTATIONS, WORKLOAD_ANNOTATIONS } from '../../../src/apis/annotations.ts';
import { originalBinding } from '../../../src/core/hpa/recorded-target.ts';
import { targetFor } from '../../../src/core/hpa/scale-point.ts';
import type { HpaRecord } from '../../../src/core/model/cluster-records.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MiB } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import type { IdleAnnotation, Sizes } from '../../../src/core/resize/model/evidence/idle-memory.ts';
import { writeIdleAnnotation } from '../../../src/core/resize/status/idle-annotation.ts';
import { resetBinding, formatResetRequest } from '../../../src/core/resource-audit/reset-request.ts';
import { HmacSigner } from '../../../src/runtime/hmac-signer.ts';
import { TEST_SIGNER } from '../../fakes/test-signer.ts';
import { idleOriginal, targetsAnnotation } from '../original-annotations.ts';
import { T0 } from '../rightsizing.ts';

type Annotations = Readonly<Record<string, string>>;

export interface TenantWrites {
  readonly workload: Annotations;
  readonly pods: Annotations;
  readonly hpa: Annotations;
  readonly labels: Annotations;
  readonly hpaSays: Pick<HpaRecord, 'currentReplicas' | 'desiredReplicas'>;
}

/** Signs as another installation would. */
const FOREIGN_SIGNER = new HmacSigner(() => Buffer.alloc(32, 8));
const OTHER_UID = 'uid-of-another';

/** Restart time in the workload's template, written by a reset. */
export const RESTARTED_AT = T0 - 2 * HOUR_MS;

const amount = fc.oneof(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), fc.constant(null));
const resources = fc.record({ cpuMillicores: amount, memoryBytes: amount });
const sizes: fc.Arbitrary<Sizes> = fc
  .record({ name: fc.constantFrom('main', '*', 'other'), requests: resources, limits: resources })
  .map(({ name, requests, limits }) => new Map([[name, { requests, limits }]]));
const replicas = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(2 ** 31 - 1, Number.MAX_SAFE_INTEGER));
const instant = fc.integer({ min: -30 * DAY_MS, max: 30 * DAY_MS }).map((offset) => T0 + offset);

const idleNote: fc.Arbitrary<IdleAnnotation> = fc.record({
  since: instant,
  natural: sizes,
  sizes,
  wakeTriggers: fc.string({ maxLength: 20 }),
});

/** Forged original values of idle mode. */
function idleOriginals(field: 'replicas' | 'minReplicas'): fc.Arbitrary<string> {
  return fc.record({ user: replicas, value: replicas, since: instant }).map((original) => idleOriginal(field, original));
}

type Forgery = 'unsigned' | 'by another key' | 'of another object' | 'changed' | 'cut';
const forgery = fc.constantFrom<Forgery>('unsigned', 'by another key', 'of another object', 'changed', 'cut');
type Binding = Parameters<HmacSigner['sign']>[0];

function forge(how: Forgery, binding: Binding, text: string): string {
  if (how === 'unsigned') return text;
  if (how === 'by another key') return FOREIGN_SIGNER.sign(binding, text);
  if (how === 'of another object') return TEST_SIGNER.sign({ ...binding, uid: OTHER_UID }, text);
  const signed = TEST_SIGNER.sign(binding, text);
  return how === 'cut' ? signed.slice(0, -2) : signed.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
}

const anything = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('', 'true', 'false', 'Auto', '{}', '[]', '1e999'),
);

const original = fc
  .array(
    fc.record({
      resource: fc.constantFrom('cpu' as const, 'memory' as const),
      container: fc.constant(null),
      percent: fc.integer({ min: 1, max: 1000 }),
      request: fc.integer({ min: 1, max: 2 ** 40 }),
      set: fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 1000 })),
    }),
    { maxLength: 2 },
  )
  .map((targets) => targetsAnnotation(targets, T0));

const reset = fc
  .record({ by: fc.string({ maxLength: 8 }), at: instant, heldUntil: instant, reason: fc.constant(null), restarted: fc.boolean() })
  .map(formatResetRequest);

const bounds = fc.dictionary(
  fc.constantFrom('main', '*'),
  fc.record(
    { cpu: fc.constantFrom('1m', '10m', '4', '1e18', 'x'), memory: fc.constantFrom('1Mi', '64Gi', '9E', '-1') },
    { requiredKeys: [] },
  ),
);

const startUp = fc
  .record({ base: fc.integer({ min: 1, max: 500 }), boosted: fc.constantFrom(500, 1000, 2500) })
  .map(({ base, boosted }) => JSON.stringify({ main: { base: { cpu: `${base}m` }, boosted: { cpu: `${boosted}m` } } }));

function some<T>(of: Readonly<Record<string, fc.Arbitrary<T>>>): fc.Arbitrary<Readonly<Record<string, T>>> {
  return fc.record(of, { requiredKeys: [] }) as fc.Arbitrary<Readonly<Record<string, T>>>;
}

function forged(binding: Binding, text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(forgery, text).map(([how, each]) => forge(how, binding, each)) },
    { weight: 1, arbitrary: anything },
  );
}

/** Forged annotations that only Evenkeel writes. */
function ofEvenkeel(workload: WorkloadRecord): Readonly<Record<string, fc.Arbitrary<string>>> {
  const { kind, uid } = workload;
  return {
    [WORKLOAD_ANNOTATIONS.idle]: forged({ kind, uid, field: WORKLOAD_ANNOTATIONS.idle }, idleNote.map(writeIdleAnnotation)),
    [WORKLOAD_ANNOTATIONS.original]: forged({ kind, uid, field: WORKLOAD_ANNOTATIONS.original }, idleOriginals('replicas')),
    [WORKLOAD_ANNOTATIONS.resetToDeploy]: forged(resetBinding(workload), reset),
    [WORKLOAD_ANNOTATIONS.resized]: anything,
    [WORKLOAD_ANNOTATIONS.overrideNotes]: anything,
  };
}

const DOCUMENTED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  [WORKLOAD_ANNOTATIONS.floor]: fc.oneof(
    bounds.map((bound) => JSON.stringify(bound)),
    anything,
  ),
  [WORKLOAD_ANNOTATIONS.ceiling]: fc.oneof(
    bounds.map((bound) => JSON.stringify(bound)),
    anything,
  ),
  [WORKLOAD_ANNOTATIONS.exclude]: anything,
  [WORKLOAD_ANNOTATIONS.doNotDisrupt]: anything,
  [WORKLOAD_ANNOTATIONS.heldUntil]: fc.oneof(
    instant.map((time) => new Date(time).toISOString()),
    anything,
  ),
};
const MODE = { [WORKLOAD_ANNOTATIONS.mode]: fc.oneof(fc.constantFrom('Auto', 'Approve', 'Recommend', 'Observe', 'Off'), anything) };

/**
 * Arbitrary writes of a tenant. @param documented which documented annotations: none, all but the mode (which may widen a policy), or all
 */
export function tenantWrites(
  workload: WorkloadRecord,
  hpa: HpaRecord,
  documented: 'none' | 'all but the mode' | 'all',
): fc.Arbitrary<TenantWrites> {
  const isNone = documented === 'none';
  return fc.record({
    workload: some({ ...ofEvenkeel(workload), ...(isNone ? {} : DOCUMENTED), ...(documented === 'all' ? MODE : {}) }),
    pods: some({
      [POD_ANNOTATIONS.sizeAtCreation]: anything,
      ...(isNone ? {} : { [POD_ANNOTATIONS.startUp]: fc.oneof(startUp, anything), [POD_ANNOTATIONS.safeToEvict]: anything }),
    }),
    hpa: some({
      [HPA_ANNOTATIONS.original]: forged(originalBinding(hpa), fc.oneof(original, idleOriginals('minReplicas'))),
      ...(isNone
        ? {}
        : { [HPA_ANNOTATIONS.idle]: fc.oneof(fc.constantFrom('allow', 'never', 'force'), anything), [HPA_ANNOTATIONS.auto]: anything }),
    }),
    labels: some({ 'evenkeel.io/implied': anything, 'evenkeel.io/mode': anything, app: anything }),
    hpaSays: isNone
      ? fc.constant({ currentReplicas: 3, desiredReplicas: 3 })
      : fc.record({ currentReplicas: replicas, desiredReplicas: replicas }),
  });
}

/** Records that Evenkeel signed earlier for these objects, and that a tenant may have kept. None describes the objects as they are now. */
export function earlierRecords(workload: WorkloadRecord, hpa: HpaRecord): fc.Arbitrary<Pick<TenantWrites, 'workload' | 'hpa'>> {
  return fc.record({
    workload: some({
      [WORKLOAD_ANNOTATIONS.idle]: earlierIdleRecord(workload),
      [WORKLOAD_ANNOTATIONS.original]: earlierIdleOriginal('replicas').map((text) =>
        TEST_SIGNER.sign({ kind: workload.kind, uid: workload.uid, field: WORKLOAD_ANNOTATIONS.original }, text),
      ),
      [WORKLOAD_ANNOTATIONS.resetToDeploy]: earlierReset.map((text) => TEST_SIGNER.sign(resetBinding(workload), text)),
    }),
    hpa: some({
      [HPA_ANNOTATIONS.original]: fc
        .oneof(earlierOriginal, earlierIdleOriginal('minReplicas'))
        .map((text) => TEST_SIGNER.sign(originalBinding(hpa), text)),
    }),
  });
}

const EARLIER_IDLE_SINCE = T0 - DAY_MS - HOUR_MS;

/** Record of an earlier idle period with other sizes, outside the present bounds of the policy. */
function earlierIdleRecord({ kind, uid }: WorkloadRecord): fc.Arbitrary<string> {
  // No pod of these cases has an odd number of bytes.
  const sizesThen: fc.Arbitrary<Sizes> = fc
    .record({
      cpuMillicores: fc.oneof(fc.constantFrom(60, 500, 900), fc.integer({ min: 50, max: 64_000 })),
      memoryBytes: fc.oneof(fc.constant(512), fc.integer({ min: 64, max: 65_536 })).map((mebibytes) => mebibytes * MiB + 1),
    })
    .map((requests) => new Map([['main', { requests, limits: UNSET_RESOURCES }]]));
  return fc
    .tuple(idleNote, sizesThen, sizesThen)
    .map(([record, natural, idled]) =>
      TEST_SIGNER.sign(
        { kind, uid, field: WORKLOAD_ANNOTATIONS.idle },
        writeIdleAnnotation({ ...record, natural, sizes: idled, since: EARLIER_IDLE_SINCE }),
      ),
    );
}

/** Original values of that idle period, often with as many idle replicas as now. */
function earlierIdleOriginal(field: 'replicas' | 'minReplicas'): fc.Arbitrary<string> {
  const count = fc.constantFrom(1, 3, 9);
  return fc.record({ user: count, value: count, since: fc.constant(EARLIER_IDLE_SINCE) }).map((original) => idleOriginal(field, original));
}

/** Original target for another load per pod than the present 60 % of 500m. */
const earlierOriginal = fc
  .record({
    resource: fc.constant('cpu' as const),
    container: fc.constant(null),
    percent: fc.oneof(fc.constantFrom(20, 60, 90), fc.integer({ min: 1, max: 200 })),
    request: fc.integer({ min: 50, max: 4000 }),
    set: fc.oneof(fc.constant(60), fc.integer({ min: 50, max: 90 })),
  })
  .filter((target) => Math.abs(targetFor(target, 500) - 60) > 2)
  .map((target) => targetsAnnotation([target], T0 - DAY_MS));

/** A completed reset: its pods were restarted no later than `RESTARTED_AT`. */
const earlierReset = fc
  .record({
    by: fc.constant('ann'),
    at: fc.integer({ min: RESTARTED_AT - 80 * DAY_MS, max: RESTARTED_AT }),
    heldUntil: fc.integer({ min: T0 - DAY_MS, max: RESTARTED_AT + 90 * DAY_MS }),
    reason: fc.constant(null),
    restarted: fc.boolean(),
  })
  .map(formatResetRequest);
