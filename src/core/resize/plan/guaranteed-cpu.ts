// CPU of Guaranteed pods, whose limit equals the request.

import type { Millicores } from '../../model/units.ts';
import type { ResourceAdvice } from '../../recommender/advice.ts';

/** Peaks are known as means of five minutes: inside of those there is more. */
const HEADROOM = 1.25;
/** Nothing is lowered further than to this, since bursts of seconds are invisible in means of minutes. */
const LOWERING_HEADROOM = 2;

/**
 * The least CPU request of a Guaranteed container, whose limit equals its request: a request that usage passes now and then,
 * as is meant to be elsewhere, would throttle it there. `current`: in force.
 */
export function leastGuaranteedCpu({ peak }: ResourceAdvice, current: Millicores | null): Millicores {
  const lowered = Math.min(current ?? 0, Math.ceil(peak * LOWERING_HEADROOM));
  return Math.max(Math.ceil(peak * HEADROOM), lowered);
}
