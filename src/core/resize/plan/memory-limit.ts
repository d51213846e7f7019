// The memory limit of one container. Too low kills; too high costs nothing but protection against leaks. So it rises by
// evidence, and falls only where it follows the request, as far as the whole known history makes safe, in steps.

import { fullHeapNeed, type ContainerRuntime } from '#kube/records/container-runtime';
import { DAY_MS, MiB } from '#kube/units';
import type { Bytes, DurationMs, Instant, Ratio } from '#kube/units';
import type { MemoryEvidence } from '../../recommender/advice.ts';

/** Less history than a week has not seen every day of one. */
const MIN_HISTORY_MS: DurationMs = 7 * DAY_MS;
/** Quiet time after an OOM kill. */
const AFTER_OOM_MS: DurationMs = 3 * DAY_MS;
/** Quiet time after the highest peak ever: records come in groups. */
const AFTER_RECORD_MS: DurationMs = DAY_MS;
/** One step down a day, of at most half the way. */
const STEP_EVERY_MS: DurationMs = DAY_MS;
const STEP_SHARE = 0.5;
/** The working set must leave this much of the new limit free. */
const MAX_USED_RATIO = 0.8;
/** A fall of less than this is not worth a write. */
const MIN_FALL_RATIO = 0.1;
/**
 * Containers whose highest peak is further above their typical use do not announce the next one: on recorded VMs
 * 14 days of history followed by 21 days saw jumps to 3–15 × the peak there, and none above 1.4 × among the steady ones
 * but one (2.5 ×).
 */
const STEADY_SPREAD = 1.6;
/** A container that never used a tenth of its limit has not yet done what the limit was set for. */
const MIN_USED_RATIO = 0.1;
/** Headroom above the highest peak ever: this, and `HEADROOM_PER_SPREAD` for each 100 % that it is above typical use. */
const MIN_HEADROOM = 0.25;
const HEADROOM_PER_SPREAD = 1.5;

/** Memory that is this near to its limit most of the time, and was never killed there, is reclaimed in time. */
const AT_LIMIT_RATIO = 0.95;
const RECLAIMED =
  'it has stood at its limit for most of the time and was never killed: page cache, or a heap that keeps to it, would only fill a higher one';

export interface MemoryLimitInputs {
  readonly now: Instant;
  /** In force now. */
  readonly current: Bytes;
  /** The request that goes with the limit. */
  readonly request: Bytes;
  /**
   * Limit ÷ request, ≥ 1, of a limit that follows its request; 1 where they are equal, and the caller sets the request to the
   * limit. null: the limit is kept, and only OOM kills raise it.
   */
  readonly ratio: number | null;
  /** The most that a request raises the limit to: beyond it only OOM kills do. null or absent: only `max` bounds it. */
  readonly maxByRequest?: Bytes | null;
  /** Highest limit allowed (the policy's max, ceiling, node); null: no bound. */
  readonly max: Bytes | null;
  /** The least limit that OOM kills prove; 0: none. */
  readonly oomNeed: Bytes;
  /** null where memory was never measured: nothing falls then. */
  readonly evidence: MemoryEvidence | null;
  /** When this limit last fell; null where it never did. */
  readonly lastLoweredAt: Instant | null;
}

export interface MemoryLimitDecision {
  readonly kind: 'keep' | 'raise' | 'lower';
  readonly limit: Bytes;
  readonly because: string;
}

/** Decides a container's memory limit. It may be less than the request: the caller then lowers the request to it. */
export function memoryLimitFor(inputs: MemoryLimitInputs): MemoryLimitDecision {
  const { current, ratio, evidence } = inputs;
  const kept = (because: string): MemoryLimitDecision => ({ kind: 'keep', limit: current, because });
  const wanted = wantedLimit(inputs);
  if (wanted > current && isReclaimed(evidence, current)) return kept(RECLAIMED);
  if (wanted > current) return { kind: 'raise', limit: wanted, because: whyRaised(wanted, inputs) };
  if (ratio === null) return kept('kept: only an OOM kill raises it, and nothing lowers it (rule Keep)');
  const { runtime } = evidence ?? {};
  if (runtime !== undefined && runtime.heapShare !== null) return kept(heapFollowsLimit(runtime));
  const floor = memoryLimitFloor(evidence);
  if (floor === null) return kept(whyNoFloor(evidence));
  if (evidence !== null && evidence.peakEver < current * MIN_USED_RATIO) {
    return kept('it has never used a tenth of its limit: what the limit is for may not have happened yet');
  }
  const safe = Math.max(wanted, wholeMiB(floor));
  if (safe > current * (1 - MIN_FALL_RATIO)) return kept('near enough to the least that past peaks make safe');
  const step = wholeMiB(Math.max(safe, current - (current - safe) * STEP_SHARE));
  const blocker = findBlocker(inputs, step);
  if (blocker !== null) return kept(blocker);
  return { kind: 'lower', limit: step, because: 'a step towards what the peaks of its whole history make safe' };
}

function whyRaised(wanted: Bytes, { oomNeed }: MemoryLimitInputs): string {
  return wholeMiB(oomNeed) >= wanted ? 'an OOM kill proved that it is too small' : 'the request times the ratio asks for more';
}

/** What request and OOM kills ask for, within the bounds; not rounded below a whole MiB. */
function wantedLimit({ current, request, ratio, max, maxByRequest = null, oomNeed }: MemoryLimitInputs): Bytes {
  const byRequest = ratio === null ? current : Math.max(request, wholeMiB(request * Math.max(1, ratio)));
  const byKills = wholeMiB(oomNeed);
  const asked = Math.max(maxByRequest === null ? byRequest : Math.min(byRequest, maxByRequest), byKills);
  return max === null ? asked : Math.min(asked, max);
}

/**
 * The least limit that the evidence makes safe; null where it makes none safe. Grows with every peak.
 */
export function memoryLimitFloor(evidence: MemoryEvidence | null): Bytes | null {
  if (evidence === null || evidence.historyMs < MIN_HISTORY_MS || evidence.leakSuspected) return null;
  const spread = spreadOf(evidence);
  if (evidence.typical <= 0 || spread > STEADY_SPREAD) return null;
  const headroom = MIN_HEADROOM + HEADROOM_PER_SPREAD * (spread - 1);
  const heapNeed = evidence.runtime === undefined ? null : fullHeapNeed(evidence.runtime);
  return Math.max(evidence.peakEver * Math.max(1 + headroom, evidence.worstRecordRatio), evidence.oomNeed, heapNeed ?? 0);
}

// The process took its share when it started: with a lower limit under it, the heap it may still fill no longer fits.
function heapFollowsLimit({ name, option, heapShare }: ContainerRuntime): string {
  const share = `${Math.round((heapShare ?? 0) * 100)} % of the limit`;
  return `${name} sized its heap to ${share} when it started (${option}): a lower limit needs a restart to take effect`;
}

function isReclaimed(evidence: MemoryEvidence | null, limit: Bytes): boolean {
  return evidence !== null && evidence.lastOomAt === null && evidence.oomNeed <= limit && evidence.typical >= limit * AT_LIMIT_RATIO;
}

function findBlocker(inputs: MemoryLimitInputs, next: Bytes): string | null {
  const { now, evidence, lastLoweredAt } = inputs;
  if (evidence === null) return 'memory was never measured';
  if (evidence.lastOomAt !== null && now - evidence.lastOomAt < AFTER_OOM_MS) return 'an OOM kill within the last 3 days';
  if (now - evidence.peakEverAt < AFTER_RECORD_MS) return 'its highest peak ever within the last day';
  if (evidence.latest > next * MAX_USED_RATIO) return 'it uses more than 80 % of the lower limit right now';
  if (evidence.peakHour === null) return 'memory was not measured within the last hour';
  if (evidence.slopeBytesPerHour > 0 && evidence.peakHour >= (evidence.peak24h ?? 0)) return 'its memory is growing';
  if (lastLoweredAt !== null && now - lastLoweredAt < STEP_EVERY_MS) return 'lowered within the last day: one step a day';
  return null;
}

function whyNoFloor(evidence: MemoryEvidence | null): string {
  if (evidence === null) return 'memory was never measured';
  if (evidence.leakSuspected) return 'a leak is suspected';
  if (evidence.historyMs < MIN_HISTORY_MS) return 'less than 7 days of history';
  if (evidence.typical <= 0) return 'it has hardly ever used any memory';
  return `its highest peak is ${spreadOf(evidence).toFixed(1)} × its typical use: peaks that vary so much do not say how high the next will be`;
}

function spreadOf(evidence: MemoryEvidence): Ratio {
  return evidence.peakEver / Math.max(1, evidence.typical);
}

function wholeMiB(bytes: Bytes): Bytes {
  return Math.ceil(bytes / MiB) * MiB;
}
