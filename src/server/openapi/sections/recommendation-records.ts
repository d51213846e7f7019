import { RECOMMENDATION_STATES, RESIZE_MODES } from '../../../apis/conditions.ts';
import {
  anything,
  array,
  boolean,
  integer,
  map,
  nullable,
  number,
  object,
  oneOf,
  ratio,
  ref,
  string,
  time,
  type Schema,
} from '../schema.ts';

/** How long a hold lasts. */
export const heldFor = string('Time without automatic changes: a duration from 1m to 90d.', { maxLength: 64, default: '24h' });

export const RISKS = ['none', 'low', 'medium', 'high'] as const;
export const BULK_MAX_ITEMS = 500;

const name = string(undefined, { minLength: 1, maxLength: 253 });
const countOrNull = nullable(integer(undefined, { minimum: 0 }));
const seenValues = object(
  { cpuMillicores: countOrNull, memoryBytes: countOrNull },
  'The values shown by the record; null or omitted where the record has null.',
  ['cpuMillicores', 'memoryBytes'],
);
const reason = string('Recorded in the audit and shown with the change.', { maxLength: 1000 });

const recommendationFields: Readonly<Record<string, Schema>> = {
  namespace: string(),
  kind: string(),
  name: string(),
  policy: nullable(string('The PodResizePolicy that governs it; null: none, so defaults apply.')),
  mode: oneOf(RESIZE_MODES, 'The effective mode: the workload’s own (annotation `evenkeel.io/mode`), else the policy’s.'),
  published: boolean('False where it has no Recommendation object: in mode Observe, and until the object of a new workload is written.'),
  state: oneOf(RECOMMENDATION_STATES),
  reason: nullable(string('Reason of `awaiting` and `blocked`: window, cooldown, approval, confidence, node-capacity, …')),
  until: nullable(time('Earliest next attempt; null where it does not depend on time.')),
  waitingForNodeCapacity: nullable(ref('WaitingRaises')),
  package: nullable(string('Package that installed it: Helm release, Argo CD application, Flux Kustomization or part-of label.')),
  hpa: nullable(ref('RecommendationHpa')),
  overrides: object(
    { floor: nullable(ref('OverrideBounds')), ceiling: nullable(ref('OverrideBounds')) },
    'Annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`.',
  ),
  costPerMonthUsd: nullable(number('Current requests of its pods, at their nodes’ prices.')),
  containers: array(ref('RecommendedContainer')),
  replicas: integer('Desired replicas.'),
  confidence: nullable(number('0–1; null while usage is insufficient.', { minimum: 0, maximum: 1 })),
  savingsPerMonthUsd: nullable(number('Savings of the change; negative for an increase.')),
  risk: oneOf(RISKS),
  updatedAt: nullable(time('When the values were last decided.')),
  appliedAt: nullable(time('When values were last applied.')),
  source: nullable(string('Source of the usage.')),
};

export const RECOMMENDATION_SCHEMAS: Readonly<Record<string, Schema>> = {
  RecommendationHpa: object({
    name: string(),
    minReplicas: integer(),
    maxReplicas: integer(),
    currentReplicas: integer(),
    desiredReplicas: integer(),
    cpuTargetRatio: nullable(ratio()),
    memoryTargetRatio: nullable(ratio()),
  }),
  WaitingRaises: object(
    {
      pods: integer('Pods whose increase waits.', { minimum: 1 }),
      since: time('When the first of them started to wait.'),
      requests: ref('OptionalResources'),
    },
    'Increases that wait for capacity of their nodes; `requests`: the missing requests of all pods.',
  ),
  WaitingRaiseCounts: object(
    { workloads: integer('Workloads with such an increase.'), pods: integer('Pods whose increase waits.') },
    'Increases that wait for capacity of their nodes.',
  ),
  OverrideBounds: map(
    object({ cpu: string('Quantity.'), memory: string('Quantity.') }, undefined, ['cpu', 'memory']),
    'Bounds by container, `*` for all.',
  ),
  UsageFigures: object(
    { p50: ref('OptionalResources'), p95: ref('OptionalResources'), p99: ref('OptionalResources'), max: ref('OptionalResources') },
    'Usage of one replica over the history window.',
  ),
  RecommendedContainer: object({
    name: string(),
    current: ref('RequestsAndLimits'),
    recommended: ref('RequestsAndLimits'),
    lowerBound: ref('OptionalResources'),
    upperBound: ref('OptionalResources'),
    usage: ref('UsageFigures'),
    oomKills: nullable(integer('Within the history window.')),
    throttledRatio: nullable(ratio('Fraction of throttled CPU periods in the last 24 hours; null: not measured.')),
    cpuPressureRatio: nullable(
      ratio('Fraction of time in which a task waited for CPU (pressure stall information) in the last 24 hours; null: not measured.'),
    ),
  }),
  RecommendationClass: object(
    {
      name: string('Cores and memory of its nodes, each rounded, such as `8cpu-32Gi`.'),
      pods: integer('Pods of the workload on such nodes.'),
      state: nullable(oneOf(RECOMMENDATION_STATES, 'null: no pods now.')),
      reason: nullable(string()),
      message: nullable(string()),
      containers: array(object({ name: string(), current: ref('RequestsAndLimits'), recommended: ref('RequestsAndLimits') })),
    },
    'Current and recommended values of the pods on nodes of one size class.',
  ),
  Recommendation: object(recommendationFields),
  RecommendationTotals: object(
    {
      savingsPerMonthUsd: number('Sum over all matching items, to the cent; unknown values count as 0.'),
      costPerMonthUsd: number(),
      byState: map(integer(), 'Number of recommendations by state.'),
      waitingForNodeCapacity: ref('WaitingRaiseCounts'),
    },
    'Totals of all matching items, not only this page.',
  ),
  ExplanationStep: object({
    step: string('usage, margin, calibration, hold, reaction, oom, leak, floor, ceiling, rounding or published.'),
    detail: string('Description with the numbers used.'),
    value: number('Change by this step.'),
    total: number('Running total; the last is the recommended value.'),
  }),
  ExplainedResource: object(
    {
      unit: oneOf(['millicores', 'bytes']),
      current: nullable(number('Current request.')),
      recommended: nullable(number('Sum of the steps.')),
      lowerBound: nullable(number()),
      upperBound: nullable(number()),
      peak: nullable(number('Highest usage within the history window.')),
      recentPeak: nullable(number('Highest usage of the last hour.')),
      latest: nullable(number('Latest usage.')),
      confidence: nullable(number()),
      steps: array(ref('ExplanationStep'), 'Their sum is exactly `recommended`.'),
    },
    'Derivation of one recommended value.',
  ),
  ContainerAudit: object({
    name: string(),
    inputs: object({
      samples: nullable(integer()),
      droppedSamples: nullable(integer('Samples that are implausible, in the future or out of order.')),
      firstSampleAt: nullable(time()),
      lastSampleAt: nullable(time()),
      coverageRatio: nullable(ratio('Fraction of its lifetime within the window with samples.')),
      enoughHistory: nullable(boolean()),
      oomKills: nullable(integer()),
      lastOomAt: nullable(time()),
      throttledRatio: nullable(ratio()),
      cpuPressureRatio: nullable(ratio()),
      leakSuspected: nullable(boolean()),
      confidenceText: nullable(string()),
    }),
    cpu: nullable(ref('ExplainedResource')),
    memory: nullable(ref('ExplainedResource')),
  }),
  RuleInForce: object({
    name: string(),
    value: anything('Number, text or null.'),
    source: string(
      'Source: policy, override (temporary, of the policy), setting or default, as in `/policies`; annotation, floor or ceiling (of the workload); node (no node has more).',
    ),
  }),
  AppliedValue: object({
    id: string(),
    at: time(),
    pod: string(),
    container: string(),
    from: anything('Requests and limits before.'),
    to: anything('Requests and limits after.'),
    reason: string(),
    actor: string(),
    outcome: oneOf(['applied', 'deferred', 'infeasible', 'rejected', 'rolled-back', 'dry-run', 'failed']),
    message: string(),
  }),
  RecommendationDetail: object({
    ...recommendationFields,
    classes: array(
      ref('RecommendationClass'),
      'For a DaemonSet on nodes of several size classes: values by class; `containers` shows the class with the most pods. Empty otherwise.',
    ),
    audit: object({
      containers: array(ref('ContainerAudit')),
      rules: array(ref('RuleInForce'), 'Goal, percentile, margins, floors, ceilings and window, each with its source.'),
      money: object({
        lines: array(
          object({ label: string(), perMonthUsd: number() }),
          'Savings by container and resource; their sum is the total, to the cent.',
        ),
        totalPerMonthUsd: nullable(number()),
        priceSource: nullable(string()),
      }),
      history: nullable(array(ref('AppliedValue'), 'Latest first; null where history is unavailable.')),
      wouldChangeIt: array(string(), 'Changes that would lead to another recommendation.'),
    }),
  }),
  SeenContainer: object(
    {
      name,
      requests: seenValues,
      limits: seenValues,
      recommended: ref('RequestsAndLimits'),
      current: anything('Ignored, like the fields below, so that a container of the record can be sent back unchanged.'),
      lowerBound: anything(),
      upperBound: anything(),
      usage: anything(),
      oomKills: anything(),
      throttledRatio: anything(),
      cpuPressureRatio: anything(),
    },
    'Displayed values that the user decides on: `requests` and `limits`, or `recommended` with both.',
    ['requests', 'limits', 'recommended', 'current', 'lowerBound', 'upperBound', 'usage', 'oomKills', 'throttledRatio', 'cpuPressureRatio'],
  ),
  ApproveBody: object(
    { containers: array(ref('SeenContainer'), 'Every container of the record, as displayed.', { minItems: 1, maxItems: 100 }), reason },
    undefined,
    ['reason'],
  ),
  RejectBody: object(
    { containers: array(ref('SeenContainer'), 'Omitted: the current values.', { minItems: 1, maxItems: 100 }), reason },
    undefined,
    ['containers', 'reason'],
  ),
  RollbackBody: object({ reason }, undefined, ['reason']),
  ModeBody: object({ mode: nullable(oneOf(['Auto', 'Approve', 'Recommend', 'Off'], 'null: the policy’s mode.')), reason }, undefined, [
    'reason',
  ]),
  HoldBody: object({ for: heldFor, reason }, undefined, ['for', 'reason']),
  BulkItem: object(
    {
      namespace: name,
      kind: string(undefined, { minLength: 1, maxLength: 63 }),
      name,
      action: oneOf(['approve', 'reject', 'rollback', 'mode']),
      containers: array(ref('SeenContainer'), 'For approve: required.', { minItems: 1, maxItems: 100 }),
      mode: nullable(oneOf(['Auto', 'Approve', 'Recommend', 'Off'], 'For mode: required.')),
      reason,
    },
    undefined,
    ['kind', 'containers', 'mode', 'reason'],
  ),
  BulkBody: object({ items: array(ref('BulkItem'), undefined, { minItems: 1, maxItems: BULK_MAX_ITEMS }) }),
  BulkResult: object(
    {
      index: integer(),
      ok: boolean(),
      dryRun: boolean('true: validated and not carried out, because the request or the workload’s policy is in dry run.'),
      error: object({ code: string(), message: string() }),
    },
    'Outcome of one item; a failing item does not stop the others.',
    ['dryRun', 'error'],
  ),
  ResizeCycle: object({
    id: string(),
    startedAt: time(),
    durationMs: number(),
    evaluated: integer(),
    changed: integer(),
    deferred: integer(),
    blocked: integer(),
    failed: integer(),
    byReason: map(integer()),
    savings: object({
      potentialPerMonthUsd: nullable(number()),
      reclaimedPerMonthUsd: nullable(number()),
      realisedPerMonthUsd: nullable(number()),
    }),
  }),
  TriggeredCycle: object({
    cycleId: string(),
    joined: boolean('True where this request joined an earlier pending cycle.'),
    policies: array(string()),
  }),
};
