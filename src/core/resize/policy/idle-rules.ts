// The parsed `spec.idle` of a policy, with its defaults.

import { DAY_MS, HOUR_MS, type Bytes, type DurationMs, type Millicores } from '#kube/units';

export interface IdleRules {
  readonly enabled: boolean;
  /** How long usage must stay below the threshold before the workload is idled. */
  readonly afterMs: DurationMs;
  /** CPU of all replicas together. */
  readonly cpuThreshold: Millicores;
  /** CPU request of a container while idle. */
  readonly cpu: Millicores;
  /** Memory request of a container while idle; null: unchanged. */
  readonly memory: Bytes | null;
  /** Replicas while idle; null: unchanged. */
  readonly replicas: number | null;
}

export const DEFAULT_IDLE_RULES: IdleRules = {
  enabled: false,
  afterMs: DAY_MS,
  cpuThreshold: 5,
  cpu: 10,
  memory: null,
  replicas: null,
};

/** Ratio of the wake threshold to the idle threshold, so that noise around one of them does not alternate between both. */
const HYSTERESIS = 2;
const MIN_STEP: Millicores = 5;

/** CPU of all replicas together from which a workload is in use. Always above `cpuThreshold`. */
export function wakeThreshold({ cpuThreshold }: Pick<IdleRules, 'cpuThreshold'>): Millicores {
  return Math.max(cpuThreshold * HYSTERESIS, cpuThreshold + MIN_STEP);
}

/** Upper bound of the time before a workload is idled again, after any number of short idle periods. */
const MAX_BACKOFF_MS: DurationMs = 7 * DAY_MS;

/** How long usage must stay below the threshold: each consecutive short idle period doubles it, so that a flapping workload keeps its natural size. */
export function requiredIdleMs({ afterMs }: Pick<IdleRules, 'afterMs'>, shortIdlePeriods: number): DurationMs {
  return Math.max(afterMs, Math.min(afterMs * 2 ** Math.min(shortIdlePeriods, 16), MAX_BACKOFF_MS));
}

/** A workload keeps its natural size for at least this long after an OOM kill. */
export const AFTER_OOM_MS: DurationMs = 24 * HOUR_MS;
