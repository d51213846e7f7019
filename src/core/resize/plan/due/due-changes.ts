// Finds the resources of containers that are due for a change, and its direction. Whether a change waits is decided elsewhere.

import type { RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { MiB, type Bytes, type Instant, type Millicores, type Ratio } from '#kube/units';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import type { ContainerPolicy } from '../../policy/policy-rules.ts';
import { FIELD, isLess, RESOURCES } from '../../model/container-values.ts';
import { KILL_COUNTS_FOR_MS } from '../../model/evidence/counted-kill.ts';

/** A due change of one resource of one container. */
export interface DueChange {
  readonly container: string;
  readonly resource: ResourceName;
  readonly direction: 'raise' | 'lower';
  /** The container is too small now, so the change ignores windows, cool-down, confidence and warm-up. */
  readonly urgent: boolean;
  /** The change follows an OOM kill. */
  readonly oom: boolean;
  readonly confidence: Ratio;
  /** Target request of a reduction, in millicores or bytes. Absent: only a limit changes. */
  readonly to?: number;
  /** The change only ends a temporary increase, to no less than before it. It is no reduction, so it is not verified. */
  readonly endsIncrease?: boolean;
}

/** Absolute dead band: smaller changes are noise and not worth a write. */
const MIN_CHANGE: Readonly<Record<ResourceName, number>> = { cpu: 5 satisfies Millicores, memory: (4 * MiB) satisfies Bytes };

/** Inputs of `dueChanges` for one container. */
export interface DueInputs {
  readonly now: Instant;
  readonly container: string;
  readonly current: RequestsAndLimits;
  readonly target: RequestsAndLimits;
  readonly advice: ContainerAdvice;
  readonly policy: ContainerPolicy;
  /** CPU request in force on all pods before a temporary increase; null: no increase. */
  readonly cpuBeforeIncrease?: Millicores | null;
  /** The container is throttled by a CPU limit below the deployed one. */
  readonly isCpuThrottled?: boolean;
}

/**
 * The due changes of one container. No resource is lowered while another is raised, because a raise alone needs no verification and
 * is not delayed by a canary.
 */
export function dueChanges(inputs: DueInputs): readonly DueChange[] {
  const due = RESOURCES.flatMap((resource) => limitAfterKill(inputs, resource) ?? dueChange(inputs, resource) ?? []);
  return due.some((change) => change.direction === 'raise') ? due.filter((change) => change.direction === 'raise') : due;
}

/** Raise of a memory limit after an OOM kill, which does not depend on the request. */
function limitAfterKill({ now, container, current, target, advice }: DueInputs, resource: ResourceName): DueChange | null {
  const field = FIELD[resource];
  if (!isRecentlyKilled(advice, resource, now) || !isLess(current.limits[field], target.limits[field])) return null;
  return { container, resource, confidence: advice[resource]?.confidence ?? 0, direction: 'raise', urgent: true, oom: true };
}

function isRecentlyKilled({ lastOomAt }: ContainerAdvice, resource: ResourceName, now: Instant): boolean {
  return resource === 'memory' && lastOomAt !== null && now - lastOomAt < KILL_COUNTS_FOR_MS;
}

function dueChange(inputs: DueInputs, resource: ResourceName): DueChange | null {
  const { current, target, advice } = inputs;
  const field = FIELD[resource];
  const about = advice[resource];
  const to = target.requests[field];
  if (about === null || to === null) return null;
  const from = current.requests[field] ?? 0;
  const common = { container: inputs.container, resource, confidence: about.confidence };
  const oom = isRecentlyKilled(advice, resource, inputs.now);
  const minRatio = inputs.policy[resource].minChangeRatio;
  if (to > from) {
    const urgent = from < about.lowerBound || isThrottled(inputs, resource);
    if (urgent ? to - from < MIN_CHANGE[resource] && !oom : !isAboveDeadBand(from, to, minRatio, resource)) return null;
    return { ...common, direction: 'raise', urgent, oom };
  }
  const limitFalls = isLimitToFall(inputs, resource);
  if (to < from ? isAboveDeadBand(from, to, minRatio, resource) || limitFalls : limitFalls) {
    return {
      ...common,
      direction: 'lower',
      urgent: false,
      oom: false,
      to,
      endsIncrease: to < from && !limitFalls && isEndOfIncrease(inputs, to, resource),
    };
  }
  // Only the limit may be too low, for example after the policy's ratio was raised.
  const urgent = isThrottled(inputs, resource);
  return isLess(current.limits[field], target.limits[field]) ? { ...common, direction: 'raise', urgent, oom } : null;
}

/** Whether the limit falls by at least minChangeRatio. */
function isLimitToFall({ current, target, policy }: DueInputs, resource: ResourceName): boolean {
  const [from, to] = [current.limits[FIELD[resource]], target.limits[FIELD[resource]]];
  return from !== null && to !== null && to < from && isAboveDeadBand(from, to, policy[resource].minChangeRatio, resource);
}

function isThrottled({ isCpuThrottled }: DueInputs, resource: ResourceName): boolean {
  return resource === 'cpu' && isCpuThrottled === true;
}

/** Whether the decrease only ends a temporary increase: the remaining request was in force on all pods before. */
function isEndOfIncrease({ cpuBeforeIncrease = null }: DueInputs, to: number, resource: ResourceName): boolean {
  return resource === 'cpu' && cpuBeforeIncrease !== null && to >= cpuBeforeIncrease;
}

/** Whether a change is worth a write. */
export function isAboveDeadBand(from: number, to: number, minRatio: Ratio, resource: ResourceName): boolean {
  const change = Math.abs(to - from);
  return change >= MIN_CHANGE[resource] && (from === 0 || change / from >= minRatio);
}
