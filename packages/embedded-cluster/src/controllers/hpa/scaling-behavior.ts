// Scaling behavior of an autoscaler: rate limits and stabilization. Pure.
// https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior

import type { Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { Autoscaler, ScalingRules } from '../wire/autoscaler.ts';

/** A past change or recommendation, with its time. */
export interface Past {
  readonly at: Instant;
  readonly replicas: number;
}

/** State of an autoscaler between checks. */
export interface ScalingMemory {
  readonly recommendations: readonly Past[];
  /** Replicas added, or removed, by this autoscaler. */
  readonly added: readonly Past[];
  readonly removed: readonly Past[];
}

export const NO_MEMORY: ScalingMemory = { recommendations: [], added: [], removed: [] };

export interface Behavior {
  readonly up: Required<Omit<ScalingRules, 'tolerance'>>;
  readonly down: Required<Omit<ScalingRules, 'tolerance'>>;
}

export interface Limited {
  readonly replicas: number;
  /** Why it differs from the metrics' recommendation; null when it does not. */
  readonly by:
    'ScaleUpStabilized' | 'ScaleDownStabilized' | 'ScaleUpLimit' | 'ScaleDownLimit' | 'TooManyReplicas' | 'TooFewReplicas' | null;
}

const DEFAULT_UP: Behavior['up'] = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Percent', value: 100, periodSeconds: 15 },
    { type: 'Pods', value: 4, periodSeconds: 15 },
  ],
};
const DEFAULT_DOWN: Behavior['down'] = {
  stabilizationWindowSeconds: 300,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

export function behaviorOf({ spec }: Autoscaler): Behavior {
  return { up: { ...DEFAULT_UP, ...spec.behavior?.scaleUp }, down: { ...DEFAULT_DOWN, ...spec.behavior?.scaleDown } };
}

/**
 * Inside the stabilization windows, scaling up uses the lowest recommendation and scaling down the highest. @param recommendations
 * including the newest
 */
export function stabilized(current: number, wanted: number, behavior: Behavior, recommendations: readonly Past[], now: Instant): Limited {
  const within = (seconds: number): number[] =>
    recommendations.filter(({ at }) => at > now - seconds * SECOND_MS).map(({ replicas }) => replicas);
  const upTo = Math.min(wanted, ...within(behavior.up.stabilizationWindowSeconds));
  const downTo = Math.max(wanted, ...within(behavior.down.stabilizationWindowSeconds));
  const replicas = Math.min(Math.max(current, upTo), downTo);
  if (replicas === wanted) return { replicas, by: null };
  return { replicas, by: wanted > replicas ? 'ScaleUpStabilized' : 'ScaleDownStabilized' };
}

/** Limits a step to the policies' allowance in their periods, and to the autoscaler's bounds. */
export function rateLimited(
  current: number,
  wanted: number,
  bounds: { readonly min: number; readonly max: number },
  behavior: Behavior,
  memory: ScalingMemory,
  now: Instant,
): Limited {
  if (wanted > current) {
    const limit = Math.max(current, upLimit(current, behavior.up, memory, now));
    if (wanted <= Math.min(limit, bounds.max)) return { replicas: wanted, by: null };
    return limit < bounds.max ? { replicas: limit, by: 'ScaleUpLimit' } : { replicas: bounds.max, by: 'TooManyReplicas' };
  }
  if (wanted < current) {
    const limit = Math.min(current, downLimit(current, behavior.down, memory, now));
    if (wanted >= Math.max(limit, bounds.min)) return { replicas: wanted, by: null };
    return limit > bounds.min ? { replicas: limit, by: 'ScaleDownLimit' } : { replicas: bounds.min, by: 'TooFewReplicas' };
  }
  return { replicas: wanted, by: null };
}

function upLimit(current: number, rules: Behavior['up'], memory: ScalingMemory, now: Instant): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = rules.policies.map(({ type, value, periodSeconds }) => {
    const before = current - sumSince(memory.added, periodSeconds, now) + sumSince(memory.removed, periodSeconds, now);
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100));
  });
  return rules.selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits);
}

function downLimit(current: number, rules: Behavior['down'], memory: ScalingMemory, now: Instant): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = rules.policies.map(({ type, value, periodSeconds }) => {
    const before = current + sumSince(memory.removed, periodSeconds, now) - sumSince(memory.added, periodSeconds, now);
    return type === 'Pods' ? before - value : Math.floor(before * (1 - value / 100));
  });
  // The policy with the largest change gives the fewest replicas.
  return rules.selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits);
}

function sumSince(changes: readonly Past[], seconds: number, now: Instant): number {
  return changes.filter(({ at }) => at > now - seconds * SECOND_MS).reduce((sum, { replicas }) => sum + replicas, 0);
}

/** Drops entries outside of all windows and periods. */
export function trimmed(memory: ScalingMemory, behavior: Behavior, now: Instant): ScalingMemory {
  const window = Math.max(behavior.up.stabilizationWindowSeconds, behavior.down.stabilizationWindowSeconds);
  const period = (rules: Behavior['up']): number => Math.max(0, ...rules.policies.map(({ periodSeconds }) => periodSeconds));
  const longest = Math.max(period(behavior.up), period(behavior.down));
  // Lists are ordered by time: if the first entry is young enough, all are.
  const since = (list: readonly Past[], seconds: number): readonly Past[] =>
    list[0] === undefined || list[0].at > now - seconds * SECOND_MS ? list : list.filter(({ at }) => at > now - seconds * SECOND_MS);
  return {
    recommendations: since(memory.recommendations, window),
    added: since(memory.added, longest),
    removed: since(memory.removed, longest),
  };
}
