// Codec of a workload's resize memory in its Recommendation's status.

import type { RecommendationStatus, RecommendationStatusClass } from '../../../apis/v1alpha1/index.ts';
import { parseTargets, writeTargets, type AutoscalerMemory } from '../../hpa/recorded-target.ts';
import {
  COUNT,
  INSTANT,
  NUMBER,
  REQUEST_TIME,
  byName,
  converted,
  deadline,
  flag,
  inline,
  list,
  nullable,
  oneOf,
  orEmpty,
  record,
  required,
  text,
  withDefault,
  type RecordCodec,
} from '../../model/encoding/codec.ts';
import type { Resources } from '#kube/records/resources';
import { SECOND_MS, type Instant } from '#kube/units';
import { isSameField } from '../../model/encoding/omit-empty.ts';
import type { Values } from '../model/container-values.ts';
import type { IdleMemory, LastIdle } from '../model/evidence/idle-memory.ts';
import {
  APPLY_STAGES,
  NO_MEMORY,
  type ChangeUnderWay,
  type EvictionTries,
  type FailedResize,
  type HotReplica,
  type LargestNode,
  type OomBump,
  type ExternalResizes,
  type EffectivePace,
  type Reductions,
  type ResizeMemory,
  type StartUpBoost,
  type ObservedReduction,
} from '../model/situation.ts';
import { REFUSAL_CODES } from '#kube/records/refusal-code';
import { newestFailures } from '../plan/steps/failed-resizes.ts';
import { LIMIT_EXCEPTION, amountOf } from './exception-codec.ts';
import { VALUES } from './values-codec.ts';

/** Maximum numbers of items by the schema. */
const MAX_AUTOSCALERS = 16;
const MAX_OOM_BUMPS = 32;
const MAX_HOT_REPLICAS = 32;
const MAX_MESSAGE = 1024;
/** Shorter messages in classes: those of 32 pods in each of 32 classes must fit into one object. */
const MAX_MESSAGE_IN_CLASS = 400;
const NAME = text(253);
/** Length of a node pool's key: its name and the size or version of its nodes. */
const MAX_POOL = 320;
const NO_VALUES: Values = new Map();
const CONTAINERS = withDefault(VALUES, NO_VALUES, 'containers');
const BY = withDefault(text(254), 'evenkeel');
const SECONDS = converted(
  COUNT,
  (seconds) => seconds * SECOND_MS,
  (ms: number) => Math.round(ms / SECOND_MS),
);

type LastApplied = NonNullable<ResizeMemory['lastApplied']>;
type RolledBack = NonNullable<ResizeMemory['rolledBack']>;

const CHANGE_UNDER_WAY = record<ChangeUnderWay>({
  startedAt: required(INSTANT),
  stage: required(oneOf(APPLY_STAGES)),
  stageStartedAt: required(INSTANT),
  throttledRatioBefore: nullable(NUMBER),
  errorRateBefore: nullable(NUMBER),
  reason: withDefault(text(64), ''),
  by: BY,
  endsIncrease: flag(),
  values: CONTAINERS,
});

const LAST_APPLIED = record<LastApplied>({
  at: required(INSTANT),
  by: BY,
  reason: withDefault(text(256), ''),
  pods: withDefault(COUNT, 0),
  values: CONTAINERS,
});

const ROLLED_BACK = record<RolledBack>({
  at: required(INSTANT),
  reason: withDefault(text(64), ''),
  message: withDefault(text(MAX_MESSAGE), ''),
  heldUntil: deadline('at'),
  userHeldUntil: nullable(REQUEST_TIME),
  count: withDefault(COUNT, 0),
  requestedAt: nullable(REQUEST_TIME),
  values: CONTAINERS,
});

const OBSERVED_REDUCTION = record<ObservedReduction>({
  since: required(INSTANT),
  until: deadline('since'),
  comparedHours: withDefault(COUNT, 0),
  before: CONTAINERS,
});

const REQUESTS = record<Resources>({
  cpuMillicores: required(amountOf('cpu'), 'cpu'),
  memoryBytes: required(amountOf('memory'), 'memory'),
});

const EVICTIONS = record<EvictionTries>({
  requests: required(REQUESTS),
  count: required(COUNT),
  lastAt: required(INSTANT),
  refused: inline(
    record<NonNullable<EvictionTries['refused']>>({
      at: required(INSTANT, 'refusedAt'),
      message: withDefault(text(MAX_MESSAGE), ''),
    }),
  ),
});

const BOOST = record<StartUpBoost>({ pod: required(NAME), uid: required(text(64)), since: required(INSTANT), values: CONTAINERS });

const AUTOSCALER = record<AutoscalerMemory>({
  name: required(NAME),
  targets: orEmpty(converted(text(4096), parseTargets, writeTargets), [], 'original'),
  issuedAt: nullable(REQUEST_TIME),
  reverts: withDefault(COUNT, 0),
  revertedAt: nullable(INSTANT),
  revertedBy: nullable(NAME),
  isReverted: flag('reverted'),
  refusedAt: nullable(INSTANT),
  refusal: nullable(text(MAX_MESSAGE)),
});

const OOM_BUMP = record<OomBump>({
  container: required(NAME),
  pod: nullable(NAME),
  uid: nullable(text(64)),
  at: required(INSTANT),
  limit: required(amountOf('memory')),
  request: nullable(amountOf('memory')),
});

const LARGEST_NODE = record<LargestNode>({
  cpuMillicores: required(amountOf('cpu'), 'cpu'),
  cpuSeenAt: required(INSTANT),
  memoryBytes: required(amountOf('memory'), 'memory'),
  memorySeenAt: required(INSTANT),
});

const HOT_REPLICA = record<HotReplica>({
  container: required(NAME),
  pod: required(NAME),
  uid: required(text(64)),
  at: required(INSTANT),
  cpu: nullable(amountOf('cpu')),
});

const REDUCTIONS = record<Reductions>({
  cpu: nullable(INSTANT, 'cpuAt'),
  memory: nullable(INSTANT, 'memoryAt'),
  memoryLimit: nullable(INSTANT, 'memoryLimitAt'),
});

const PACE = record<EffectivePace>({ effective: required(oneOf(['Daily', 'Hourly'])), since: required(INSTANT) });

const EXTERNAL_RESIZES = record<ExternalResizes>({
  by: required(NAME),
  pod: required(NAME),
  at: required(INSTANT),
  count: withDefault(COUNT, 1),
  until: deadline('at'),
});

export const IDLE_AUTOSCALER = record<NonNullable<IdleMemory['autoscaler']>>({ name: required(NAME), minReplicas: required(COUNT) });

const IDLE = record<IdleMemory>({
  since: required(INSTANT),
  natural: withDefault(VALUES, NO_VALUES),
  sizes: withDefault(VALUES, NO_VALUES),
  floor: withDefault(VALUES, NO_VALUES),
  activeMs: withDefault(SECONDS, 0, 'activeSeconds'),
  replicas: withDefault(COUNT, 0),
  idleReplicas: nullable(COUNT),
  autoscaler: nullable(IDLE_AUTOSCALER),
  scaled: flag(),
  waking: inline(
    record<NonNullable<IdleMemory['waking']>>({
      since: required(INSTANT, 'wakeStartedAt'),
      reason: withDefault(text(512), '', 'wakeReason'),
      by: withDefault(oneOf(['load', 'record', 'other']), 'other', 'wakeTrigger'),
    }),
  ),
  wakeTriggers: withDefault(text(256), ''),
});

const LAST_IDLE = record<LastIdle>({
  since: required(INSTANT),
  wokenAt: required(INSTANT),
  reason: withDefault(text(512), '', 'wakeReason'),
  shortIdlePeriods: withDefault(COUNT, 0),
  activeMs: withDefault(SECONDS, 0, 'activeSeconds'),
  floor: withDefault(VALUES, NO_VALUES),
});

function failedResize(maxMessage: number): RecordCodec<FailedResize> {
  return record<FailedResize>({
    pod: required(NAME),
    uid: required(text(64)),
    pool: nullable(text(MAX_POOL)),
    resource: nullable(oneOf(['cpu', 'memory'])),
    state: required(oneOf(['deferred', 'infeasible', 'error'])),
    since: required(INSTANT),
    code: withDefault(oneOf(REFUSAL_CODES), 'other'),
    attempts: withDefault(COUNT, 1),
    message: withDefault(text(maxMessage), ''),
    values: CONTAINERS,
  });
}

/** Memory of one node size class, or of a workload without classes. */
type OwnMemory = Omit<ResizeMemory, 'classes'>;

function ownMemory(maxMessage: number): RecordCodec<OwnMemory> {
  return record<OwnMemory>({
    apply: nullable(CHANGE_UNDER_WAY),
    lastApplied: nullable(LAST_APPLIED),
    previous: nullable(record<NonNullable<ResizeMemory['previous']>>({ at: required(INSTANT), values: CONTAINERS })),
    template: orEmpty(VALUES, NO_VALUES),
    endedApprovalAt: nullable(REQUEST_TIME),
    rolledBack: nullable(ROLLED_BACK),
    lastRollbackRequestAt: nullable(REQUEST_TIME),
    observedReductions: orEmpty(list(OBSERVED_REDUCTION), []),
    failures: orEmpty(list(failedResize(maxMessage), newestFailures), [], 'resizes'),
    boosts: orEmpty(list(BOOST), []),
    evictions: nullable(EVICTIONS),
    oomBumps: orEmpty(
      list(OOM_BUMP, (all) => all.slice(-MAX_OOM_BUMPS)),
      [],
    ),
    largestNode: nullable(LARGEST_NODE),
    hotReplicas: orEmpty(
      list(HOT_REPLICA, (all) => all.slice(-MAX_HOT_REPLICAS)),
      [],
    ),
    nodeOoms: orEmpty(byName(required(INSTANT)('at')), new Map()),
    idle: nullable(IDLE),
    lastIdle: nullable(LAST_IDLE),
    autoscalers: orEmpty(
      list(AUTOSCALER, (all) => all.slice(0, MAX_AUTOSCALERS)),
      [],
    ),
    limitExceptions: orEmpty(list(LIMIT_EXCEPTION), []),
    externalResizes: nullable(EXTERNAL_RESIZES),
    cpuLimitRaises: orEmpty(byName(required(list(INSTANT))('at')), new Map()),
    cpuBeforeIncrease: orEmpty(byName(required(amountOf('cpu'))('cpu')), new Map()),
    pace: nullable(PACE),
    reductions: orEmpty(byName(REDUCTIONS), new Map()),
  });
}

const MEMORY = ownMemory(MAX_MESSAGE);
const CLASS_MEMORY = ownMemory(MAX_MESSAGE_IN_CLASS);

/** Reads the memory from a status. Invalid fields count as absent. */
export function readMemory(status: RecommendationStatus | undefined): ResizeMemory {
  const memory = MEMORY.read(status ?? {}) ?? NO_MEMORY;
  if (status?.classes === undefined) return memory;
  return { ...memory, classes: new Map(status.classes.map((each) => [each.name, CLASS_MEMORY.read(each) ?? NO_MEMORY])) };
}

/** Writes the memory as fields of the status, without `classes`. */
export function writeMemory(memory: ResizeMemory): Partial<RecommendationStatus> {
  return MEMORY.write(memory);
}

/** Writes the memory of one node size class. */
export function writeClassMemory(memory: ResizeMemory): Partial<RecommendationStatusClass> {
  return CLASS_MEMORY.write(memory);
}

type StoredMemory = Omit<RecommendationStatus | RecommendationStatusClass, 'containers'>;

/** Whether two statuses, or two of their classes, have the same memory. */
export function isSameMemory(one: StoredMemory, other: StoredMemory): boolean {
  return MEMORY.names.every((name) => isSameField(one[name as keyof typeof one], other[name as keyof typeof other]));
}

/** Corrects stored timestamps that lie in the future after the clock was set back; the same object where there are none. */
export function correctFutureTimestamps(memory: ResizeMemory, now: Instant): ResizeMemory {
  const corrected: ResizeMemory = MEMORY.correct(memory, now);
  if (memory.classes === undefined) return corrected;
  return { ...corrected, classes: new Map([...memory.classes].map(([name, each]) => [name, CLASS_MEMORY.correct(each, now)])) };
}

/** Reads the idle state of a status; null: the workload is not idled. */
export function readIdle(status: Pick<RecommendationStatus, 'idle'> | undefined): IdleMemory | null {
  return IDLE.read(status?.idle) ?? null;
}
