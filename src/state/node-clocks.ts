// By how much the clocks of nodes differ from the controller's. The times that a node reports go on as fast as the controller's
// clock where the node's own is set wrong, and stand still where its kubelet has stopped measuring. The first is corrected, the
// second is not: old usage never becomes new.

import { formatDuration } from '../core/model/duration.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { UsageReading } from '../ports/usage-source.ts';
import { FUTURE_ALLOWED_MS } from './sample-gate.ts';

/** A kubelet measures every 10 to 30 s, metrics.k8s.io once a minute: over less time nothing is said of how fast times go on. */
const COMPARED_MS: DurationMs = 2 * MINUTE_MS;
/** By how much times may go on faster or more slowly than the controller's clock in that time: the newest are of some seconds before. */
const JITTER_MS: DurationMs = MINUTE_MS;
const REMEDY = 'synchronize the clock of the node (NTP, chrony)';

interface NodeClock {
  offsetMs: DurationMs;
  /** A reading of at least `COMPARED_MS` ago, or the newest. */
  before: { readonly readAt: Instant; readonly measuredAt: Instant };
}

export interface ClockReading {
  /** To be added to every time of the reading. */
  readonly offsetMs: DurationMs;
  /** How old the usage is with it. */
  readonly ageMs: DurationMs;
}

export class NodeClocks {
  readonly #clocks = new Map<string, NodeClock>();
  readonly #toleranceMs: DurationMs;

  /** @param toleranceMs usage that is no older is of a clock that is right */
  constructor(toleranceMs: DurationMs) {
    this.#toleranceMs = toleranceMs;
  }

  observe(reading: UsageReading, readAt: Instant): ClockReading {
    const measuredAt = medianTimeOf(reading);
    const known = this.#clocks.get(reading.node);
    if (measuredAt === null) return { offsetMs: known?.offsetMs ?? 0, ageMs: 0 };
    const clock = known ?? { offsetMs: 0, before: { readAt, measuredAt } };
    if (known === undefined) this.#clocks.set(reading.node, clock);
    const runs = runsLikeOurs(clock, readAt, measuredAt);
    const ageMs = readAt - measuredAt;
    if (!this.#isPlausible(ageMs - clock.offsetMs)) {
      if (this.#isPlausible(ageMs)) clock.offsetMs = 0;
      else if (runs) clock.offsetMs = ageMs;
    }
    return { offsetMs: clock.offsetMs, ageMs: ageMs - clock.offsetMs };
  }

  isOld({ ageMs }: ClockReading): boolean {
    return ageMs > this.#toleranceMs;
  }

  /** What is wrong with the times of a reading, and the remedy; null: nothing. */
  problemOf(node: string, clock: ClockReading): string | null {
    if (this.isOld(clock)) {
      const old = `the newest usage that ${node} reports is more than ${formatDuration(this.#toleranceMs)} old`;
      return `${old}: its kubelet has stopped measuring, or its clock is behind; restart the kubelet, or ${REMEDY}`;
    }
    const { offsetMs } = clock;
    return offsetMs === 0 ? null : `${describeClock(node, offsetMs)}: its usage counts as of when it is read; ${REMEDY}`;
  }

  forget(node: string): void {
    this.#clocks.delete(node);
  }

  #isPlausible(ageMs: DurationMs): boolean {
    return ageMs + FUTURE_ALLOWED_MS >= 0 && ageMs <= this.#toleranceMs;
  }
}

/** By how much the clocks of a node and the controller differ, as either of them may be wrong. */
export function describeClock(node: string, behindMs: DurationMs): string {
  const by = formatDuration(Math.floor(Math.abs(behindMs) / MINUTE_MS) * MINUTE_MS);
  const [order, other] = behindMs < 0 ? ['ahead of', 'behind'] : ['behind', 'ahead'];
  return `the clock of ${node} is ${by} ${order} the controller’s, or the controller’s is ${other}`;
}

/** Whether the node's times have gone on as fast as the controller's since a reading before; false where it is too soon to say. */
function runsLikeOurs(clock: NodeClock, readAt: Instant, measuredAt: Instant): boolean {
  const { before } = clock;
  const elapsedMs = readAt - before.readAt;
  if (elapsedMs >= 0 && elapsedMs < COMPARED_MS) return false;
  clock.before = { readAt, measuredAt };
  return elapsedMs > 0 && Math.abs(measuredAt - before.measuredAt - elapsedMs) <= JITTER_MS;
}

/** The median: neither a container whose statistics have stopped nor one with an invented time decides. null: no time is reported. */
function medianTimeOf({ containers, nodeUsage }: UsageReading): Instant | null {
  const times = [...containers, ...(nodeUsage === null ? [] : [nodeUsage])].flatMap(({ at }) => (Number.isFinite(at) ? [at] : []));
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? null;
}
