// What a policy says of idle workloads, parsed, with its defaults.

import { DAY_MS, HOUR_MS, type Bytes, type DurationMs, type Millicores } from '#kube/units';

export interface IdleRules {
  readonly enabled: boolean;
  /** How long usage must have stayed under the threshold. */
  readonly afterMs: DurationMs;
  /** Of all replicas together. */
  readonly cpuThreshold: Millicores;
  /** CPU request of a container while idle. */
  readonly cpu: Millicores;
  /** Memory request of a container while idle; null: as it is. */
  readonly memory: Bytes | null;
  /** Replicas while idle; null: as they are. */
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

/** Between falling idle and waking lies a factor of two, so that noise about one line does neither. */
const HYSTERESIS = 2;
const MIN_STEP: Millicores = 5;

/** CPU of all replicas together from which a workload is in use. Always above the threshold for falling idle. */
export function wakeThreshold({ cpuThreshold }: Pick<IdleRules, 'cpuThreshold'>): Millicores {
  return Math.max(cpuThreshold * HYSTERESIS, cpuThreshold + MIN_STEP);
}

/** Nobody waits longer than this for a workload to be called idle again, however often load woke it. */
const MAX_BACKOFF_MS: DurationMs = 7 * DAY_MS;

/** How long it must be quiet now: each short idle period in a row doubles it, so that a flapping workload keeps its natural size. */
export function quietNeededMs({ afterMs }: Pick<IdleRules, 'afterMs'>, shortIdlePeriods: number): DurationMs {
  return Math.max(afterMs, Math.min(afterMs * 2 ** Math.min(shortIdlePeriods, 16), MAX_BACKOFF_MS));
}

/** After a kill a workload is left at its natural size for so long at least. */
export const AFTER_OOM_MS: DurationMs = 24 * HOUR_MS;
