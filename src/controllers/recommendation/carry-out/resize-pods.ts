// Resizes the pods of one decision, one at a time. Each step is checked against the pod as the informers show it at that moment.

import { INCREASE, REDUCING_ROLL_BACK, REDUCTION, type Effect } from '../../../core/effects/effect.ts';
import { namespacedRef, podRef } from '../../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import { formatCpu, formatMemory } from '#kube/quantity';
import { MiB, type Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import type { ResizeStep } from '../../../core/resize/model/resize-step.ts';
import { hasSameValues } from '../../../core/resize/model/container-values.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import type { FailedResize } from '../../../core/resize/model/situation.ts';
import type { PolicyRules } from '../../../core/resize/policy/policy-rules.ts';
import type { TimelineEntry } from '../../../ports/store/timeline.ts';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';
import { resizeEvent, stepSummary } from '../publish/events.ts';
import type { RecommendationMetrics } from '../publish/metrics.ts';
import type { RecommendationPorts } from '../ports.ts';
import { costDelta } from '../publish/money.ts';

/** The result of the resizes of one decision. */
export interface ResizeOutcome {
  /** Steps that were carried out. */
  readonly taken: readonly ResizeStep[];
  /** Numbers of pods. */
  readonly changed: number;
  readonly failed: number;
  /** Resizes that the API server refused, to be stored in the memory of the workload. */
  readonly refused: readonly FailedResize[];
  /** Whether a step has to be tried again soon, for example because its pod changed or the budget is exhausted. */
  readonly unfinished: boolean;
}

/**
 * Sends raises and roll-backs first, so that a blocked reduction does not delay them; no workload's reduction is sent before the last
 * of them.
 */
export async function resizePods(
  ports: RecommendationPorts,
  metrics: RecommendationMetrics,
  workload: WorkloadRecord,
  policy: PolicyRules,
  decision: WorkloadDecision,
  signal: AbortSignal,
): Promise<ResizeOutcome> {
  const logFields = logFieldsOf(ports, policy, decision);
  const carrier: ResizeDependencies = { ports, metrics, workload, policy, actor: actorOf(decision), logFields, signal };
  const outcome: MutableResizeOutcome = { taken: [], changed: 0, failed: 0, refused: [], unfinished: false };
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

interface ResizeDependencies {
  readonly ports: RecommendationPorts;
  readonly metrics: RecommendationMetrics;
  readonly workload: WorkloadRecord;
  readonly policy: PolicyRules;
  /** `evenkeel`, or the user who approved the change. */
  readonly actor: string;
  readonly logFields: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface MutableResizeOutcome extends ResizeOutcome {
  readonly taken: ResizeStep[];
  changed: number;
  failed: number;
  readonly refused: FailedResize[];
  unfinished: boolean;
}

async function carryOut(carrier: ResizeDependencies, steps: readonly ResizeStep[], outcome: MutableResizeOutcome): Promise<void> {
  const { ports, metrics, workload, actor, signal } = carrier;
  for (const step of steps) {
    const pod = ports.cluster.findPod(step.pod.namespace, step.pod.name);
    if (pod?.uid !== step.pod.uid || !isUnchanged(step, pod)) {
      outcome.unfinished = true;
      continue;
    }
    const sentAt = ports.clock.now();
    const written = await ports.gate.carryOut(resizeOf(step, carrier), signal);
    const now = ports.clock.now();
    reportResize(ports, metrics, { workload, step, outcome: written, actor, now, sentAt });
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

/** A roll-back is not a reduction, even where it lowers requests: it waits for no budget. */
function isReduction({ lowers, isRollBack }: ResizeStep): boolean {
  return lowers && isRollBack !== true;
}

function actorOf({ memory }: WorkloadDecision): string {
  return memory.apply?.by ?? memory.lastApplied?.by ?? 'evenkeel';
}

/** What a reader of the log needs beside the change: the latest usage by container, the policy and the cycle. */
function logFieldsOf(
  { cycles }: RecommendationPorts,
  { name }: PolicyRules,
  { containers }: WorkloadDecision,
): Readonly<Record<string, string>> {
  const usage = containers.flatMap(({ name: container, advice }) => {
    const { cpu = null, memory = null } = advice ?? {};
    const amounts = [
      ...(cpu === null ? [] : [`cpu ${formatCpu(cpu.latest)}`]),
      ...(memory === null ? [] : [`memory ${formatMemory(roundToMebibytes(memory.latest))}`]),
    ];
    return amounts.length === 0 ? [] : [`${container}: ${amounts.join(', ')}`];
  });
  const cycle = cycles.latest(name ?? '')?.id;
  return {
    ...(usage.length === 0 ? {} : { usage: usage.join('; ') }),
    ...(name === null ? {} : { policy: name }),
    ...(cycle === undefined ? {} : { cycle }),
  };
}

function roundToMebibytes(bytes: number): number {
  return Math.ceil(bytes / MiB) * MiB;
}

function refusalOf(
  step: ResizeStep,
  { name, uid }: PodRecord,
  now: Instant,
  refused: Extract<WriteOutcome, { kind: 'refused' }>,
): FailedResize {
  // A refused boost is no evidence that a smaller size would be refused.
  const isBoost = step.kind === 'start-up';
  const state = isBoost ? 'deferred' : 'error';
  const code = isBoost ? 'start-up-boost' : (refused.code ?? 'other');
  const values = new Map(step.containers.map((change) => [change.name, change.to]));
  return { pod: name, uid, pool: null, resource: null, state, since: now, code, message: refused.message, values };
}

/** Whether the pod still has the values that were decided from: it may change during each await. The API server tests the same again. */
function isUnchanged(step: ResizeStep, pod: PodRecord): boolean {
  if (pod.deletionAt !== null) return false;
  return step.containers.every(({ name, from }) => {
    const container = pod.containers.find((candidate) => candidate.name === name);
    return container !== undefined && hasSameValues(container, from);
  });
}

function resizeOf(step: ResizeStep, { workload, policy: { dryRun }, logFields }: ResizeDependencies): Effect {
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
    logFields,
    recordedByCaller: true,
  };
}

function urgencyOf(step: ResizeStep): typeof REDUCTION {
  if (isReduction(step)) return REDUCTION;
  return step.lowers ? REDUCING_ROLL_BACK : INCREASE;
}

interface ResizeReport {
  readonly workload: WorkloadRecord;
  readonly step: ResizeStep;
  readonly outcome: WriteOutcome;
  readonly actor: string;
  readonly now: Instant;
  readonly sentAt: Instant;
}

function reportResize(
  ports: RecommendationPorts,
  metrics: RecommendationMetrics,
  { workload, step, outcome, actor, now, sentAt }: ResizeReport,
): void {
  const { events, timeline } = ports;
  metrics.countResize(step.kind, outcome.kind);
  const event = resizeEvent(workload, step, outcome);
  if (event !== null) events.record(event);
  const result = timelineOutcome(step, outcome);
  if (result === null) return;
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
      outcome: result,
      message,
      durationMs: now - sentAt,
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
      return outcome.repeated === true ? null : 'dry-run';
    case 'refused':
      return 'rejected';
    case 'conflict':
    case 'gone':
    case 'blocked':
      return null;
  }
}
