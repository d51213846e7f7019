// CPU of Guaranteed pods, whose limit equals the request.

import { DAY_MS, type DurationMs, type Millicores } from '#kube/units';
import type { ContainerAdvice, ResourceAdvice } from '../../recommender/advice.ts';
import type { CpuHigh } from '../../recommender/cpu-highs.ts';
import { waiting, type Waiting } from '../model/waiting.ts';

/** Peaks are known as means of five minutes: inside of those there is more. */
const HEADROOM = 1.25;
/** Nothing is lowered further than to this multiple of the highest sample, since bursts of seconds are invisible in a minute's mean. */
const LOWERING_HEADROOM = 2;
/** Each day of the week was seen: a past in means of five minutes, however long, does not show a burst of one. */
const MIN_MEASURED_MS: DurationMs = 7 * DAY_MS;

/**
 * The least CPU request of a Guaranteed container, whose limit equals its request: a request that usage passes now and then,
 * as is meant to be elsewhere, would throttle it there. `current`: in force.
 */
export function minGuaranteedCpu({ peak }: ResourceAdvice, high: CpuHigh | null, current: Millicores | null): Millicores {
  const lowered = Math.min(current ?? 0, Math.ceil(Math.max(peak, high?.millicores ?? 0) * LOWERING_HEADROOM));
  return Math.max(Math.ceil(peak * HEADROOM), lowered);
}

/** What keeps the CPU of a Guaranteed container from being lowered; null: bursts of a minute would have been seen. */
export function unseenBursts(container: string, advice: ContainerAdvice | undefined): Waiting | null {
  const measuredMs = advice?.cpuHigh?.measuredMs ?? 0;
  if (measuredMs >= MIN_MEASURED_MS) return null;
  const days = (Math.floor((measuredMs / DAY_MS) * 10) / 10).toFixed(1);
  const needed = `${days} of the ${MIN_MEASURED_MS / DAY_MS} days, within two weeks, without which it is not reduced in a Guaranteed pod`;
  return waiting('unmeasured', `CPU of ${container} was read minute by minute for ${needed}: its limit would fall along`);
}
