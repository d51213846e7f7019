// CPU of Guaranteed pods: the limit is the request, so that a request that usage now and then passes, as elsewhere is
// meant to be, would hold the container back there.

import type { Millicores } from '../../model/units.ts';
import type { ResourceAdvice } from '../advice.ts';

/** Peaks are known as means of five minutes, over replicas: inside of those, and for the busiest of these, there is more. */
const HEADROOM = 1.25;

/** The least CPU request of a Guaranteed container whose limit moves with it. */
export function leastGuaranteedCpu({ peak }: ResourceAdvice): Millicores {
  return Math.ceil(peak * HEADROOM);
}
