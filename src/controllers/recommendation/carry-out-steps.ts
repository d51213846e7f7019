// Carries out the resizes of one decision, pod by pod, each checked against the pod as it is at that moment.

import { INCREASE, REDUCING_ROLL_BACK, REDUCTION, type Effect } from '../../core/effects/effect.ts';
import { namespacedRef, podRef } from '../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import type { ResizeStep } from '../../core/resize/model/resize-step.ts';
import { sameValues } from '../../core/resize/model/container-values.ts';
import type { WorkloadDecision } from '../../core/resize/model/decision.ts';
import type { FailedResize } from '../../core/resize/model/situation.ts';
import type { PolicyRules } from '../../core/resize/policy/policy-rules.ts';
import type { TimelineEntry } from '../../ports/timeline.ts';
import type { WriteOutcome } from '../../ports/writers.ts';
import { resizeEvent, stepSummary } from './events.ts';
import type { RecommendationMetrics } from './metrics.ts';
import type { RecommendationPorts } from './ports.ts';
import { costDelta } from './cost-delta.ts';

/** What came of it. */
export interface StepsOutcome {
  /** Steps that were taken. */
  readonly taken: readonly ResizeStep[];
  readonly changed: number;
  readonly failed: number;
  /** Pods whose resize the server refused; to be remembered, so that they are not tried in vain. */
  readonly refused: readonly FailedResize[];
  /** Something was left for soon: a pod moved on, a budget is used up. */
  readonly unfinished: boolean;
}

/** Raises and roll-backs first: no reduction that is held keeps them waiting, and no reduction of any workload is sent before the last of them. */
export async function carryOutSteps(
  ports: RecommendationPorts,
  metrics: RecommendationMetrics,
  workload: WorkloadRecord,
  policy: PolicyRules,
  decision: WorkloadDecision,
  signal: AbortSignal,
): Promise<StepsOutcome> {
  const carrier: Carrier = { ports, metrics, workload, policy, actor: actorOf(decision), signal };
  const outcome: StepsSoFar = { taken: [], changed: 0, failed: 0, refused: [], unfinished: false };
  const reductions = decision.steps.filter(isReduction);
  const safety = decision.steps.filter((step) => !isReduction(step));
  const sent = safety.length === 0 || policy.dryRun ? () => undefined : ports.gate.announceSafetyWrites();
  try {
    await carryOut(carrier, safety, outcome);
  } finally {
    sent();
  }
  await carryOut(carrier, reductions, outcome);
  return outcome;
}

interface Carrier {
  readonly ports: RecommendationPorts;
  readonly metrics: RecommendationMetrics;
  readonly workload: WorkloadRecord;
  readonly policy: PolicyRules;
  /** Who decided: `evenkeel`, or the person who approved. */
  readonly actor: string;
  readonly signal: AbortSignal;
}

interface StepsSoFar extends StepsOutcome {
  readonly taken: ResizeStep[];
  changed: number;
  failed: number;
  readonly refused: FailedResize[];
  unfinished: boolean;
}

async function carryOut(carrier: Carrier, steps: readonly ResizeStep[], outcome: StepsSoFar): Promise<void> {
  const { ports, metrics, workload, policy, actor, signal } = carrier;
  for (const step of steps) {
    const pod = ports.cluster.findPodByUid(step.pod.uid);
    if (pod === undefined || !stillHolds(step, pod)) {
      outcome.unfinished = true;
      continue;
    }
    const askedAt = ports.clock.now();
    const written = await ports.gate.carryOut(resizeOf(step, workload, policy), signal);
    const now = ports.clock.now();
    report(ports, metrics, { workload, step, outcome: written, actor, now, askedAt });
    if (written.kind === 'done') {
      outcome.changed += 1;
      outcome.taken.push(step);
    } else if (written.kind === 'refused') {
      outcome.failed += 1;
      outcome.refused.push(refusalOf(step, pod, now, written));
    } else if (written.kind !== 'dry-run') outcome.unfinished = true;
    if (written.kind === 'blocked') break;
  }
}

/** What a roll-back lowers waits for nothing. */
function isReduction({ lowers, isRollBack }: ResizeStep): boolean {
  return lowers && isRollBack !== true;
}

function actorOf({ memory }: WorkloadDecision): string {
  return memory.apply?.by ?? memory.lastApplied?.by ?? 'evenkeel';
}

function refusalOf(
  step: ResizeStep,
  { name, uid }: PodRecord,
  now: Instant,
  refused: Extract<WriteOutcome, { kind: 'refused' }>,
): FailedResize {
  // A boost that is refused says nothing about less than it.
  const isBoost = step.kind === 'start-up';
  const state = isBoost ? 'deferred' : 'error';
  const code = isBoost ? 'start-up-boost' : (refused.code ?? 'other');
  const values = new Map(step.containers.map((each) => [each.name, each.to]));
  return { pod: name, uid, pool: null, resource: null, state, since: now, code, message: refused.message, values };
}

// Every await is a chance for the world to move on; the server tests the same once more.
function stillHolds(step: ResizeStep, pod: PodRecord): boolean {
  if (pod.deletionAt !== null) return false;
  return step.containers.every(({ name, from }) => {
    const container = pod.containers.find((each) => each.name === name);
    return container !== undefined && sameValues(container, from);
  });
}

function resizeOf(step: ResizeStep, workload: WorkloadRecord, { dryRun }: PolicyRules): Effect {
  const { pod, containers, reason } = step;
  return {
    kind: 'resize',
    target: podRef(pod),
    uid: pod.uid,
    containers,
    owner: namespacedRef(workload),
    ...urgencyOf(step),
    change: stepSummary(step),
    reason,
    dryRun,
    recordedByCaller: true,
  };
}

function urgencyOf(step: ResizeStep): typeof REDUCTION {
  if (isReduction(step)) return REDUCTION;
  return step.lowers ? REDUCING_ROLL_BACK : INCREASE;
}

interface Reported {
  readonly workload: WorkloadRecord;
  readonly step: ResizeStep;
  readonly outcome: WriteOutcome;
  readonly actor: string;
  readonly now: Instant;
  readonly askedAt: Instant;
}

function report(
  ports: RecommendationPorts,
  metrics: RecommendationMetrics,
  { workload, step, outcome, actor, now, askedAt }: Reported,
): void {
  const { events, timeline } = ports;
  metrics.resized(step.kind, outcome.kind);
  const event = resizeEvent(workload, step, outcome);
  if (event !== null) events.record(event);
  const reported = timelineOutcome(step, outcome);
  if (reported === null) return;
  const message = 'message' in outcome ? outcome.message : step.reason;
  const { namespace, kind, name } = workload;
  for (const change of step.containers) {
    timeline.appendEntry({
      id: `${step.pod.uid}/${change.name}/${now}`,
      at: now,
      kind: 'resize',
      object: { kind, name },
      namespace,
      pod: step.pod.name,
      container: change.name,
      from: change.from,
      to: change.to,
      reason: step.reason,
      actor,
      outcome: reported,
      message,
      durationMs: now - askedAt,
      costDeltaPerHourUsd: costDelta(ports, step.pod, change),
    });
  }
}

function timelineOutcome(step: ResizeStep, outcome: WriteOutcome): TimelineEntry['outcome'] | null {
  switch (outcome.kind) {
    case 'done':
      if (step.kind !== 'revert') return 'applied';
      return step.pod.resize.state === 'infeasible' ? 'infeasible' : 'deferred';
    case 'dry-run':
      return outcome.again === true ? null : 'dry-run';
    case 'refused':
      return 'rejected';
    case 'conflict':
    case 'gone':
    case 'blocked':
      return null;
  }
}
