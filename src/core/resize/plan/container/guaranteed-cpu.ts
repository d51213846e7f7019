// CPU of Guaranteed pods, whose limit equals the request.

import { DAY_MS, type DurationMs, type Millicores } from '#kube/units';
import type { ContainerAdvice, ResourceAdvice } from '../../../recommender/advice.ts';
import type { CpuHigh } from '../../../recommender/history/cpu-highs.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';

/** Headroom above recorded peaks, which are means of five minutes: shorter peaks are higher. */
const HEADROOM = 1.25;
/** Lower bound of a reduction as a multiple of the highest sample: the mean of a minute hides bursts of seconds. */
const LOWERING_HEADROOM = 2;
/** Minute-by-minute samples required before a reduction, to cover each day of the week: recorded means of five minutes hide bursts. */
const MIN_MEASURED_MS: DurationMs = 7 * DAY_MS;

/**
 * Lower bound of the CPU request of a Guaranteed container. Usage above the request, which is fine in other QoS classes, would be
 * throttled, because the limit equals the request.
 * @param current request in force
 */
export function minGuaranteedCpu({ peak }: ResourceAdvice, high: CpuHigh | null, current: Millicores | null): Millicores {
  const lowered = Math.min(current ?? 0, Math.ceil(Math.max(peak, high?.millicores ?? 0) * LOWERING_HEADROOM));
  return Math.max(Math.ceil(peak * HEADROOM), lowered);
}

/** Why the CPU of a Guaranteed container is not reduced; null: enough minute-by-minute samples exist. */
export function findUnseenBursts(container: string, advice: ContainerAdvice | undefined): Waiting | null {
  const measuredMs = advice?.cpuHigh?.measuredMs ?? 0;
  if (measuredMs >= MIN_MEASURED_MS) return null;
  const days = (Math.floor((measuredMs / DAY_MS) * 10) / 10).toFixed(1);
  const needed = `${days} of ${MIN_MEASURED_MS / DAY_MS} days within two weeks that a reduction in a Guaranteed pod requires`;
  return waiting('unmeasured', `CPU of ${container} was sampled minute by minute for ${needed}, because its limit falls with the request`);
}
