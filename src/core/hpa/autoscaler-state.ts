// The autoscalers of one workload: which of their targets Evenkeel may move, which it has moved, and which other writers
// set them.

import type { HpaRecord, ScaledObjectRecord } from '../model/cluster-records.ts';
import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import { isHome } from './follow-targets.ts';
import { readOriginal, sameMeasured, type AutoscalerMemory, type RecordedTarget } from './recorded-target.ts';
import { usualRequest, type ResourceMetric } from './scale-point.ts';
import type { PodRecord } from '#kube/records/pod';

/** After so many times in a row another tool manages the target. */
const MAX_REVERTS = 2;
/** So long the targets are left alone then. */
const LEFT_ALONE_FOR_MS: DurationMs = 7 * DAY_MS;
const REFUSED_FOR_MS: DurationMs = HOUR_MS;

/** One utilization target. */
export interface TargetState {
  readonly metric: ResourceMetric;
  /** In percent, as the HPA has it now. */
  readonly live: number;
  /** null: Evenkeel has not moved it, or has forgotten that it did. */
  readonly kept: RecordedTarget | null;
}

export interface AutoscalerState {
  readonly hpa: HpaRecord;
  readonly targets: readonly TargetState[];
  /** Why none of its targets may be moved, and until when; null: they may. */
  readonly blocker: { readonly message: string; readonly until: Instant | null } | null;
  readonly memory: AutoscalerMemory;
  /** Another writer has restored its originals, which is seen for the first time. */
  readonly newlyReverted: boolean;
}

interface AutoscalerStateInputs {
  readonly now: Instant;
  readonly pods: readonly PodRecord[];
  readonly hpas: readonly HpaRecord[];
  readonly scaledObjects: readonly ScaledObjectRecord[];
  readonly remembered: readonly AutoscalerMemory[];
}

export function autoscalersOf(inputs: AutoscalerStateInputs): readonly AutoscalerState[] {
  return inputs.hpas.map((hpa) => stateOf(hpa, inputs));
}

/** Which tool keeps an HPA as it wants it, in words; null: none that is known. */
export function keeperOf(hpa: HpaRecord, scaledObjects: readonly ScaledObjectRecord[]): string | null {
  const { controller } = hpa;
  if (controller !== null) return `${controller.kind} ${controller.name}`;
  const scaled = scaledObjects.find((each) => each.hpa === hpa.name && each.namespace === hpa.namespace);
  return scaled === undefined ? null : `ScaledObject ${scaled.name}`;
}

function stateOf(hpa: HpaRecord, { now, pods, scaledObjects, remembered }: AutoscalerStateInputs): AutoscalerState {
  const before = afresh(remembered.find(({ name }) => name === hpa.name) ?? unremembered(hpa.name), now);
  const record = readOriginal(hpa);
  const targets = hpa.resourceMetrics.flatMap((metric): (TargetState & { readonly isReverted: boolean })[] => {
    if (metric.targetUtilizationRatio === null) return [];
    const live = Math.round(metric.targetUtilizationRatio * 100);
    const noted = record?.targets.find((target) => sameMeasured(target, metric));
    const known = before.targets.find((target) => sameMeasured(target, metric));
    const kept = keptNow(live, noted, known);
    if (kept !== null) return [{ metric, live, kept, isReverted: false }];
    const origin = noted ?? known;
    if (origin === undefined) return [{ metric, live, kept: null, isReverted: false }];
    // Where every pod has what it was set for, it belongs there: Evenkeel itself has put it back.
    if (live === origin.percent)
      return [{ metric, live, kept: { ...origin, set: live }, isReverted: before.isReverted || !isHome(origin, pods) }];
    // A value that another writer chose counts from now on, at the requests that pods have now.
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
  const keeper = keeperOf(hpa, scaledObjects);
  if (keeper !== null) return { message: `${keeper} keeps it as it wants it`, until: null };
  if (memory.isReverted && memory.reverts > MAX_REVERTS) {
    const by = memory.revertedBy ?? 'another writer';
    return {
      message: `its target was re-applied by ${by} each time that it had moved; leave it out there (ignoreDifferences or the like)`,
      until: (memory.revertedAt ?? now) + LEFT_ALONE_FOR_MS,
    };
  }
  if (memory.refusedAt !== null && now < memory.refusedAt + REFUSED_FOR_MS) {
    return { message: `the API server refused to move its target: ${memory.refusal ?? ''}`, until: memory.refusedAt + REFUSED_FOR_MS };
  }
  return null;
}

/** The note that describes the current target. The one on the HPA is newer, but for another writer's value that only the memory holds. */
function keptNow(live: number, noted: RecordedTarget | undefined, known: RecordedTarget | undefined): RecordedTarget | null {
  if (noted?.set === live) return noted;
  return known?.set === live && noted?.percent !== known.percent ? known : null;
}

/** What was long ago is no fight any more. */
function afresh(memory: AutoscalerMemory, now: Instant): AutoscalerMemory {
  if (memory.revertedAt === null || now < memory.revertedAt + LEFT_ALONE_FOR_MS) return memory;
  return { ...memory, reverts: 0, revertedAt: null, revertedBy: null, isReverted: false };
}

function unremembered(name: string): AutoscalerMemory {
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
