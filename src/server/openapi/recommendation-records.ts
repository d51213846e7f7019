import { RECOMMENDATION_STATES, RESIZE_MODES } from '../../apis/conditions.ts';
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
} from './schema.ts';

export const RISKS = ['none', 'low', 'medium', 'high'] as const;
export const BULK_MAX_ITEMS = 500;

const name = string(undefined, { minLength: 1, maxLength: 253 });
const wholeOrNull = nullable(integer(undefined, { minimum: 0 }));
const seenValues = object(
  { cpuMillicores: wholeOrNull, memoryBytes: wholeOrNull },
  'The values as the record showed them; null or left out where the record shows null.',
  ['cpuMillicores', 'memoryBytes'],
);
const reason = string('Kept in the audit and shown beside the change.', { maxLength: 1000 });

const recommendationFields: Readonly<Record<string, Schema>> = {
  namespace: string(),
  kind: string(),
  name: string(),
  policy: nullable(string('The PodResizePolicy that governs it; null: none, so all defaults hold.')),
  mode: oneOf(RESIZE_MODES, 'The mode in force: the workload’s own (annotation `evenkeel.io/mode`), else the policy’s.'),
  published: boolean('False in mode Observe: shown here, and there is no Recommendation object.'),
  state: oneOf(RECOMMENDATION_STATES),
  reason: nullable(string('What holds it, for `awaiting` and `blocked`: window, cooldown, approval, confidence, node-capacity, …')),
  until: nullable(time('Earliest next try; null where no time frees it.')),
  waitingForNodeCapacity: nullable(ref('WaitingRaises')),
  package: nullable(string('What it was installed with: Helm release, Argo CD application, Flux Kustomization or part-of label.')),
  hpa: nullable(ref('RecommendationHpa')),
  overrides: object(
    { floor: nullable(ref('OverrideBounds')), ceiling: nullable(ref('OverrideBounds')) },
    'Annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`.',
  ),
  costPerMonthUsd: nullable(number('What its pods ask for now, at their nodes’ prices.')),
  containers: array(ref('RecommendedContainer')),
  replicas: integer('Wanted replicas.'),
  confidence: nullable(number('0–1; null while too little is known.', { minimum: 0, maximum: 1 })),
  savingsPerMonthUsd: nullable(number('What the change frees; negative where more is needed.')),
  risk: oneOf(RISKS),
  updatedAt: nullable(time('When the values were last decided.')),
  appliedAt: nullable(time('When values were last put into force.')),
  source: nullable(string('Where its usage comes from.')),
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
      pods: integer('Pods whose raise waits.', { minimum: 1 }),
      since: time('Since when the first of them waits.'),
      requests: ref('OptionalResources'),
    },
    'Raises that wait until their nodes have the capacity; `requests`: what they ask for beyond what is in force, all pods together.',
  ),
  WaitingRaiseCounts: object(
    { workloads: integer('Workloads with such a raise.'), pods: integer('Pods whose raise waits.') },
    'Raises that wait until their nodes have the capacity.',
  ),
  OverrideBounds: map(
    object({ cpu: string('Quantity.'), memory: string('Quantity.') }, undefined, ['cpu', 'memory']),
    'Bounds by container; `*` stands for all.',
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
    oomKills: nullable(integer('Inside the history window.')),
    throttledRatio: nullable(ratio('Share of CPU periods throttled, last 24 hours; null: not measured.')),
    cpuPressureRatio: nullable(
      ratio('Share of time in which a task waited for CPU (pressure stall information), last 24 hours; null: not measured.'),
    ),
  }),
  RecommendationClass: object(
    {
      name: string('Cores and memory of its nodes, each rounded, such as `8cpu-32Gi`.'),
      pods: integer('Of the workload on such nodes.'),
      state: nullable(oneOf(RECOMMENDATION_STATES, 'null: it has no pods now.')),
      reason: nullable(string()),
      message: nullable(string()),
      containers: array(object({ name: string(), current: ref('RequestsAndLimits'), recommended: ref('RequestsAndLimits') })),
    },
    'What the pods on nodes of one size have, and what they should have.',
  ),
  Recommendation: object(recommendationFields),
  RecommendationTotals: object(
    {
      savingsPerMonthUsd: number('Sum over everything that matched, to the cent; what is not known counts as 0.'),
      costPerMonthUsd: number(),
      byState: map(integer(), 'How many are in each state.'),
      waitingForNodeCapacity: ref('WaitingRaiseCounts'),
    },
    'Over everything that matched, not over the page.',
  ),
  ExplanationStep: object({
    step: string('usage, margin, calibration, hold, reaction, oom, leak, floor, ceiling, rounding or published.'),
    detail: string('In words, with the numbers it came from.'),
    value: number('What this step adds (negative: takes away).'),
    total: number('The sum so far; the last is the recommended value.'),
  }),
  ExplainedResource: object(
    {
      unit: oneOf(['millicores', 'bytes']),
      current: nullable(number('What is asked for now.')),
      recommended: nullable(number('What the steps add up to.')),
      lowerBound: nullable(number()),
      upperBound: nullable(number()),
      peak: nullable(number('Highest usage inside the history window.')),
      recentPeak: nullable(number('Highest usage of the last hour.')),
      latest: nullable(number('Latest usage seen.')),
      confidence: nullable(number()),
      steps: array(ref('ExplanationStep'), 'They add up to `recommended` exactly.'),
    },
    'How one number came about.',
  ),
  ContainerAudit: object({
    name: string(),
    inputs: object({
      samples: nullable(integer()),
      droppedSamples: nullable(integer('Absurd, future or out of order.')),
      firstSampleAt: nullable(time()),
      lastSampleAt: nullable(time()),
      coverageRatio: nullable(ratio('Share of its life inside the window that was seen.')),
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
      'Where it came from: policy, override (of the policy, for a while), setting or default, as `/policies` states it; annotation, floor or ceiling (the workload’s own); node (no node has more).',
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
      'Of a DaemonSet on nodes of more than one size: each class of nodes by itself; `containers` shows the one with the most pods. Empty otherwise.',
    ),
    audit: object({
      containers: array(ref('ContainerAudit')),
      rules: array(ref('RuleInForce'), 'Goal, percentile, margins, floors, ceilings and window, each with where it came from.'),
      money: object({
        lines: array(
          object({ label: string(), perMonthUsd: number() }),
          'What the change frees, by container and resource; they add up to the savings, to the cent.',
        ),
        totalPerMonthUsd: nullable(number()),
        priceSource: nullable(string()),
      }),
      history: nullable(array(ref('AppliedValue'), 'Latest first; null where history is out of reach.')),
      wouldChangeIt: array(string(), 'What would lead to another answer.'),
    }),
  }),
  SeenContainer: object(
    {
      name,
      requests: seenValues,
      limits: seenValues,
      recommended: ref('RequestsAndLimits'),
      current: anything('Not looked at, as the fields below: a container of the record may be sent back as it came.'),
      lowerBound: anything(),
      upperBound: anything(),
      usage: anything(),
      oomKills: anything(),
      throttledRatio: anything(),
      cpuPressureRatio: anything(),
    },
    'Values that a person has seen and decides on: `requests` and `limits`, or `recommended` with both.',
    ['requests', 'limits', 'recommended', 'current', 'lowerBound', 'upperBound', 'usage', 'oomKills', 'throttledRatio', 'cpuPressureRatio'],
  ),
  ApproveBody: object(
    { containers: array(ref('SeenContainer'), 'Every container of the record, as it was shown.', { minItems: 1, maxItems: 100 }), reason },
    undefined,
    ['reason'],
  ),
  RejectBody: object(
    { containers: array(ref('SeenContainer'), 'Left out: the values of now.', { minItems: 1, maxItems: 100 }), reason },
    undefined,
    ['containers', 'reason'],
  ),
  RollbackBody: object({ reason }, undefined, ['reason']),
  ModeBody: object({ mode: nullable(oneOf(['Auto', 'Approve', 'Recommend', 'Off'], 'null: the policy’s again.')), reason }, undefined, [
    'reason',
  ]),
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
    'One item’s outcome; a failing one never stops the others.',
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
    joined: boolean('True where a cycle asked for earlier had not yet run: this request joined it.'),
    policies: array(string()),
  }),
};
