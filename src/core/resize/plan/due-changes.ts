// Which resources of which containers are due for a change, and which way. Waiting is not decided here.

import type { RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { MiB, type Bytes, type Instant, type Millicores, type Ratio } from '#kube/units';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import type { ContainerPolicy } from '../policy/policy-rules.ts';
import { FIELD, isLess, RESOURCES } from '../model/container-values.ts';
import { KILL_COUNTS_FOR_MS } from '../model/counted-kill.ts';

/** One resource of one container that should change. */
export interface DueChange {
  readonly container: string;
  readonly resource: ResourceName;
  readonly direction: 'raise' | 'lower';
  /** Too small now: it ignores windows, cool-down, confidence and the warm-up. */
  readonly urgent: boolean;
  /** An OOM kill asks for it. */
  readonly oom: boolean;
  readonly confidence: Ratio;
  /** Of a reduction: the request that it is for, in millicores or bytes. Absent: a limit alone is in question. */
  readonly to?: number;
  /** A temporary increase is over, and no less is asked for than was in force before it: no reduction, so that nothing is verified. */
  readonly endsIncrease?: boolean;
}

/** Smaller changes are noise, whatever their share: not worth a write. */
const MIN_CHANGE: Readonly<Record<ResourceName, number>> = { cpu: 5 satisfies Millicores, memory: (4 * MiB) satisfies Bytes };

export interface DueInputs {
  readonly now: Instant;
  readonly container: string;
  readonly current: RequestsAndLimits;
  readonly target: RequestsAndLimits;
  readonly advice: ContainerAdvice;
  readonly policy: ContainerPolicy;
  /** The CPU request that was in force on all pods before a temporary increase was given; null: none was. */
  readonly cpuBeforeIncrease?: Millicores | null;
  /** It is throttled by a CPU limit below the one that is deployed. */
  readonly isCpuHeldBack?: boolean;
}

/**
 * Never lowers one resource of a container while another is short: what frees memory today must not be what starves it
 * tomorrow, and a raise alone is quicker to verify.
 */
export function dueChanges(inputs: DueInputs): readonly DueChange[] {
  const due = RESOURCES.flatMap((resource) => limitAfterKill(inputs, resource) ?? dueChange(inputs, resource) ?? []);
  return due.some((change) => change.direction === 'raise') ? due.filter((change) => change.direction === 'raise') : due;
}

/** A limit that an OOM kill raises, whatever becomes of the request. */
function limitAfterKill({ now, container, current, target, advice }: DueInputs, resource: ResourceName): DueChange | null {
  const field = FIELD[resource];
  if (!isKilledLately(advice, resource, now) || !isLess(current.limits[field], target.limits[field])) return null;
  return { container, resource, confidence: advice[resource]?.confidence ?? 0, direction: 'raise', urgent: true, oom: true };
}

function isKilledLately({ lastOomAt }: ContainerAdvice, resource: ResourceName, now: Instant): boolean {
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
  const oom = isKilledLately(advice, resource, inputs.now);
  const minRatio = inputs.policy[resource].minChangeRatio;
  if (to > from) {
    const urgent = from < about.lowerBound || isHeldBack(inputs, resource);
    if (urgent ? to - from < MIN_CHANGE[resource] && !oom : !worthIt(from, to, minRatio, resource)) return null;
    return { ...common, direction: 'raise', urgent, oom };
  }
  const limitFalls = isLimitToFall(inputs, resource);
  if (to < from ? worthIt(from, to, minRatio, resource) || limitFalls : limitFalls) {
    return {
      ...common,
      direction: 'lower',
      urgent: false,
      oom: false,
      to,
      endsIncrease: to < from && !limitFalls && endsIncrease(inputs, to, resource),
    };
  }
  // A limit alone may stand too low (a rule with a greater ratio).
  const urgent = isHeldBack(inputs, resource);
  return isLess(current.limits[field], target.limits[field]) ? { ...common, direction: 'raise', urgent, oom } : null;
}

/** Whether the limit falls by at least minChangeRatio. */
function isLimitToFall({ current, target, policy }: DueInputs, resource: ResourceName): boolean {
  const [from, to] = [current.limits[FIELD[resource]], target.limits[FIELD[resource]]];
  return from !== null && to !== null && to < from && worthIt(from, to, policy[resource].minChangeRatio, resource);
}

function isHeldBack({ isCpuHeldBack }: DueInputs, resource: ResourceName): boolean {
  return resource === 'cpu' && isCpuHeldBack === true;
}

/** What is taken back was given for a while, and what is left has been enough for all pods. */
function endsIncrease({ cpuBeforeIncrease = null }: DueInputs, to: number, resource: ResourceName): boolean {
  return resource === 'cpu' && cpuBeforeIncrease !== null && to >= cpuBeforeIncrease;
}

function worthIt(from: number, to: number, minRatio: Ratio, resource: ResourceName): boolean {
  const change = Math.abs(to - from);
  return change >= MIN_CHANGE[resource] && (from === 0 || change / from >= minRatio);
}
