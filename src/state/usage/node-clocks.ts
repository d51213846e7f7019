// Clock skew between nodes and the controller. Reported times advance at the rate of the controller's clock if the node's clock is
// wrong, and do not advance if its kubelet has stopped measuring. Only the first is corrected, so that old usage never counts as
// current.

import { formatDuration } from '../../core/model/duration.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { UsageReading } from '../../ports/usage/usage-source.ts';
import { FUTURE_ALLOWED_MS } from './sample-gate.ts';

/** Minimum interval for comparing rates: a kubelet measures every 10 to 30 s, metrics.k8s.io once a minute. */
const MIN_COMPARED_MS: DurationMs = 2 * MINUTE_MS;
/** Tolerated difference of the rates over that interval, because measurements are some seconds old. */
const JITTER_MS: DurationMs = MINUTE_MS;
const REMEDY = 'synchronize the clock of the node (NTP, chrony)';

interface NodeClock {
  offsetMs: DurationMs;
  /** Reference reading, at least `MIN_COMPARED_MS` old, or the newest. */
  before: { readonly readAt: Instant; readonly measuredAt: Instant };
}

/** Clock skew of a node at one reading. */
export interface ClockReading {
  /** Correction of every time in the reading. */
  readonly offsetMs: DurationMs;
  /** Age of the usage after the correction. */
  readonly ageMs: DurationMs;
}

/** Clock skew by node. */
export class NodeClocks {
  readonly #clocks = new Map<string, NodeClock>();
  readonly #toleranceMs: DurationMs;

  /** @param toleranceMs maximum age of usage from a node with a correct clock */
  constructor(toleranceMs: DurationMs) {
    this.#toleranceMs = toleranceMs;
  }

  /** Updates the skew of a node by a reading. */
  observe(reading: UsageReading, readAt: Instant): ClockReading {
    const measuredAt = medianTimeOf(reading);
    const known = this.#clocks.get(reading.node);
    if (measuredAt === null) return { offsetMs: known?.offsetMs ?? 0, ageMs: 0 };
    const clock = known ?? { offsetMs: 0, before: { readAt, measuredAt } };
    if (known === undefined) this.#clocks.set(reading.node, clock);
    const isSameRate = hasSameRate(clock, readAt, measuredAt);
    const ageMs = readAt - measuredAt;
    if (!this.#isPlausible(ageMs - clock.offsetMs)) {
      if (this.#isPlausible(ageMs)) clock.offsetMs = 0;
      else if (isSameRate) clock.offsetMs = ageMs;
    }
    return { offsetMs: clock.offsetMs, ageMs: ageMs - clock.offsetMs };
  }

  /** Whether the usage is older than the tolerance. */
  isOld({ ageMs }: ClockReading): boolean {
    return ageMs > this.#toleranceMs;
  }

  /** Message about the times of a reading, with the remedy; null: they are correct. */
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

/** Message about the skew; either clock may be the wrong one. */
export function describeClock(node: string, behindMs: DurationMs): string {
  const by = formatDuration(Math.floor(Math.abs(behindMs) / MINUTE_MS) * MINUTE_MS);
  const [order, other] = behindMs < 0 ? ['ahead of', 'behind'] : ['behind', 'ahead'];
  return `the clock of ${node} is ${by} ${order} the controller’s, or the controller’s is ${other}`;
}

/** Whether the node's times have advanced at the rate of the controller's clock since the reference; false: too early to compare. */
function hasSameRate(clock: NodeClock, readAt: Instant, measuredAt: Instant): boolean {
  const { before } = clock;
  const elapsedMs = readAt - before.readAt;
  if (elapsedMs >= 0 && elapsedMs < MIN_COMPARED_MS) return false;
  clock.before = { readAt, measuredAt };
  return elapsedMs > 0 && Math.abs(measuredAt - before.measuredAt - elapsedMs) <= JITTER_MS;
}

/** Median of the reported times, which ignores single containers with stopped statistics or invalid times; null: no times. */
function medianTimeOf({ containers, nodeUsage }: UsageReading): Instant | null {
  const times = [...containers, ...(nodeUsage === null ? [] : [nodeUsage])].flatMap(({ at }) => (Number.isFinite(at) ? [at] : []));
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? null;
}
