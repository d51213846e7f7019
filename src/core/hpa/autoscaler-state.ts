// State of a workload's HorizontalPodAutoscalers: which targets Evenkeel may move, which it has moved, and which other managers
// write them.

import type { HpaRecord, ScaledObjectRecord } from '../model/cluster-records.ts';
import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import { hasOriginalRequest } from './follow-targets.ts';
import { readOriginal, isSameMeasured, type AutoscalerMemory, type RecordedTarget } from './recorded-target.ts';
import { usualRequest, type ResourceMetric } from './scale-point.ts';
import type { PodRecord } from '#kube/records/pod';

/** After more reverts in a row than this another controller is assumed to manage the target. */
const MAX_REVERTS = 2;
/** For this long the targets are not moved then. */
const REVERT_COOLDOWN_MS: DurationMs = 7 * DAY_MS;
const REFUSED_FOR_MS: DurationMs = HOUR_MS;

/** One utilization target. */
export interface TargetState {
  readonly metric: ResourceMetric;
  /** Current target of the HPA, in percent. */
  readonly live: number;
  /** The recorded original; null: Evenkeel has not moved the target, or its record is gone. */
  readonly kept: RecordedTarget | null;
}

/** State of one HPA. */
export interface AutoscalerState {
  readonly hpa: HpaRecord;
  readonly targets: readonly TargetState[];
  /** Why its targets may not be moved, and until when (null: indefinitely); null: they may. */
  readonly blocker: { readonly message: string; readonly until: Instant | null } | null;
  readonly memory: AutoscalerMemory;
  /** Whether another manager has reverted its targets since the last decision. */
  readonly newlyReverted: boolean;
}

interface AutoscalerStateInputs {
  readonly now: Instant;
  readonly pods: readonly PodRecord[];
  readonly hpas: readonly HpaRecord[];
  readonly scaledObjects: readonly ScaledObjectRecord[];
  readonly remembered: readonly AutoscalerMemory[];
}

/** State of each HPA of a workload. */
export function autoscalersOf(inputs: AutoscalerStateInputs): readonly AutoscalerState[] {
  return inputs.hpas.map((hpa) => stateOf(hpa, inputs));
}

/** The controller that reconciles an HPA, such as `ScaledObject web`; null: none. */
export function findKeeper(hpa: HpaRecord, scaledObjects: readonly ScaledObjectRecord[]): string | null {
  const { controller } = hpa;
  if (controller !== null) return `${controller.kind} ${controller.name}`;
  const scaled = scaledObjects.find((object) => object.hpa === hpa.name && object.namespace === hpa.namespace);
  return scaled === undefined ? null : `ScaledObject ${scaled.name}`;
}

function stateOf(hpa: HpaRecord, { now, pods, scaledObjects, remembered }: AutoscalerStateInputs): AutoscalerState {
  const before = resetCount(remembered.find(({ name }) => name === hpa.name) ?? newAutoscalerMemory(hpa.name), now);
  const record = readOriginal(hpa);
  const targets = hpa.resourceMetrics.flatMap((metric): (TargetState & { readonly isReverted: boolean })[] => {
    if (metric.targetUtilizationRatio === null) return [];
    const live = Math.round(metric.targetUtilizationRatio * 100);
    const recorded = record?.targets.find((target) => isSameMeasured(target, metric));
    const known = before.targets.find((target) => isSameMeasured(target, metric));
    const kept = findKeptTarget(live, recorded, known);
    if (kept !== null) return [{ metric, live, kept, isReverted: false }];
    const origin = recorded ?? known;
    if (origin === undefined) return [{ metric, live, kept: null, isReverted: false }];
    // Evenkeel restores the original when every pod has the original request; otherwise another manager reverted it.
    if (live === origin.percent)
      return [{ metric, live, kept: { ...origin, set: live }, isReverted: before.isReverted || !hasOriginalRequest(origin, pods) }];
    // A new value of another manager becomes the original, for the current requests of the pods.
    const request = usualRequest(pods, metric);
    const chosen = request === null ? null : { ...origin, percent: live, request, set: live };
    return [{ metric, live, kept: chosen, isReverted: false }];
  });
  const isReverted = targets.some((target) => target.isReverted);
  const newlyReverted = isReverted && !before.isReverted;
  const memory: AutoscalerMemory = {
    ...before,
    targets: targets.flatMap(({ kept }) => kept ?? []),
    issuedAt: record === null ? before.issuedAt : Math.max(record.issuedAt, before.issuedAt ?? 0),
    isReverted,
    ...(newlyReverted ? { reverts: before.reverts + 1, revertedAt: now, revertedBy: hpa.metricsWriter } : {}),
  };
  return { hpa, targets, memory, newlyReverted, blocker: blockerOf(hpa, memory, scaledObjects, now) };
}

function blockerOf(
  hpa: HpaRecord,
  memory: AutoscalerMemory,
  scaledObjects: readonly ScaledObjectRecord[],
  now: Instant,
): AutoscalerState['blocker'] {
  const keeper = findKeeper(hpa, scaledObjects);
  if (keeper !== null) return { message: `${keeper} manages it`, until: null };
  if (memory.isReverted && memory.reverts > MAX_REVERTS) {
    const by = memory.revertedBy ?? 'another writer';
    return {
      message: `its target was reverted by ${by} after each change; exclude the field there (such as ignoreDifferences in Argo CD)`,
      until: (memory.revertedAt ?? now) + REVERT_COOLDOWN_MS,
    };
  }
  if (memory.refusedAt !== null && now < memory.refusedAt + REFUSED_FOR_MS) {
    return { message: `the API server refused to move its target: ${memory.refusal ?? ''}`, until: memory.refusedAt + REFUSED_FOR_MS };
  }
  return null;
}

/** The record of the current target: that of the HPA, or of the status for a value of another manager that only the status has. */
function findKeptTarget(live: number, recorded: RecordedTarget | undefined, known: RecordedTarget | undefined): RecordedTarget | null {
  if (recorded?.set === live) return recorded;
  return known?.set === live && recorded?.percent !== known.percent ? known : null;
}

/** Resets the count of reverts after `REVERT_COOLDOWN_MS`. */
function resetCount(memory: AutoscalerMemory, now: Instant): AutoscalerMemory {
  if (memory.revertedAt === null || now < memory.revertedAt + REVERT_COOLDOWN_MS) return memory;
  return { ...memory, reverts: 0, revertedAt: null, revertedBy: null, isReverted: false };
}

function newAutoscalerMemory(name: string): AutoscalerMemory {
  return {
    name,
    targets: [],
    issuedAt: null,
    reverts: 0,
    revertedAt: null,
    revertedBy: null,
    isReverted: false,
    refusedAt: null,
    refusal: null,
  };
}
