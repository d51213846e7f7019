// The memory limit of one container. A limit that is too low causes OOM kills; one that is too high only weakens the protection
// against leaks. So it is raised by evidence, and lowered only where it follows the request, in steps, as far as the whole history allows.

import { fullHeapNeed, type ContainerRuntime } from '#kube/records/container-runtime';
import { DAY_MS, MiB } from '#kube/units';
import type { Bytes, DurationMs, Instant, Ratio } from '#kube/units';
import type { MemoryEvidence } from '../../../recommender/advice.ts';

/** Required history: each day of the week. */
const MIN_HISTORY_MS: DurationMs = 7 * DAY_MS;
/** Time without a reduction after an OOM kill. */
const AFTER_OOM_MS: DurationMs = 3 * DAY_MS;
/** Time without a reduction after the highest peak of the history: new maxima come in groups. */
const AFTER_RECORD_MS: DurationMs = DAY_MS;
/** One reduction per day, by at most half of the difference. */
const STEP_EVERY_MS: DurationMs = DAY_MS;
const STEP_SHARE = 0.5;
/** The working set must leave this much of the new limit free. */
const MAX_USED_RATIO = 0.8;
/** Dead band: a smaller reduction is not worth a write. */
const MIN_FALL_RATIO = 0.1;
/**
 * Greatest ratio of the highest peak to typical usage from which the next peak is predictable. Measured on recorded VMs, 14 days of
 * history and the 21 days after: above this ratio later peaks reached 3–15 × the earlier ones; below it none exceeded 1.4 ×, but for one
 * of 2.5 ×.
 */
const STEADY_SPREAD = 1.6;
/** Below this ratio of peak to limit, the load for which the limit was set may not have occurred yet. */
const MIN_USED_RATIO = 0.1;
/** Headroom above the highest peak: this, plus `HEADROOM_PER_SPREAD` for each 100 % of the peak above typical usage. */
const MIN_HEADROOM = 0.25;
const HEADROOM_PER_SPREAD = 1.5;

/** A container that is mostly this near to its limit without an OOM kill uses memory that the kernel or its runtime reclaims. */
const AT_LIMIT_RATIO = 0.95;
const RECLAIMED =
  'memory has been at its limit most of the time without an OOM kill: page cache or a heap bounded by the limit would fill a higher one, too';

/** Inputs of `memoryLimitFor`. */
export interface MemoryLimitInputs {
  readonly now: Instant;
  /** Limit in force. */
  readonly current: Bytes;
  /** The request that belongs to the new limit. */
  readonly request: Bytes;
  /**
   * Ratio of limit to request, ≥ 1, of a limit that follows its request; 1 where they are equal, and the caller sets the request to the
   * limit. null: the limit is kept, and only OOM kills raise it.
   */
  readonly ratio: number | null;
  /** Upper bound for raises by the request; OOM kills may raise the limit above it. null or absent: only `max` applies. */
  readonly maxByRequest?: Bytes | null;
  /** Upper bound by the policy's max, the ceiling and the node; null: no bound. */
  readonly max: Bytes | null;
  /** Smallest limit that OOM kills justify; 0: none. */
  readonly minLimitByKills: Bytes;
  /** null where memory was never measured: the limit is then not lowered. */
  readonly evidence: MemoryEvidence | null;
  /** Time of the last reduction of this limit; null: never. */
  readonly lastLoweredAt: Instant | null;
}

export interface MemoryLimitDecision {
  readonly kind: 'keep' | 'raise' | 'lower';
  readonly limit: Bytes;
  readonly reason: string;
}

/** Decides a container's memory limit. It may be less than the request; the caller then lowers the request to it. */
export function memoryLimitFor(inputs: MemoryLimitInputs): MemoryLimitDecision {
  const { current, ratio, evidence } = inputs;
  const keep = (reason: string): MemoryLimitDecision => ({ kind: 'keep', limit: current, reason });
  const wanted = wantedLimit(inputs);
  if (wanted > current && isReclaimed(evidence, current)) return keep(RECLAIMED);
  if (wanted > current) return { kind: 'raise', limit: wanted, reason: raiseReason(wanted, inputs) };
  if (ratio === null) return keep('kept: only an OOM kill raises it, and nothing lowers it (rule Keep)');
  const { runtime } = evidence ?? {};
  if (runtime !== undefined && runtime.heapShare !== null) return keep(heapLimitMessage(runtime));
  const floor = memoryLimitFloor(evidence);
  if (floor === null) return keep(missingFloorReason(evidence));
  if (evidence !== null && evidence.peakEver < current * MIN_USED_RATIO) {
    return keep('kept: usage has never reached a tenth of the limit, so the load that it was set for may not have occurred yet');
  }
  const safe = Math.max(wanted, wholeMiB(floor));
  if (safe > current * (1 - MIN_FALL_RATIO)) return keep('kept: within 10 % of the smallest limit that past peaks allow');
  const step = wholeMiB(Math.max(safe, current - (current - safe) * STEP_SHARE));
  const blocker = findBlocker(inputs, step);
  if (blocker !== null) return keep(blocker);
  return { kind: 'lower', limit: step, reason: 'a step towards the smallest limit that the peaks of the whole history allow' };
}

function raiseReason(wanted: Bytes, { minLimitByKills }: MemoryLimitInputs): string {
  return wholeMiB(minLimitByKills) >= wanted
    ? 'raised after an OOM kill at a lower limit'
    : 'raised to the request × the ratio of limit to request';
}

/** The limit that request and OOM kills require, within the bounds; rounded up to a whole MiB. */
function wantedLimit({ current, request, ratio, max, maxByRequest = null, minLimitByKills }: MemoryLimitInputs): Bytes {
  const byRequest = ratio === null ? current : Math.max(request, wholeMiB(request * Math.max(1, ratio)));
  const byKills = wholeMiB(minLimitByKills);
  const required = Math.max(maxByRequest === null ? byRequest : Math.min(byRequest, maxByRequest), byKills);
  return max === null ? required : Math.min(required, max);
}

/** Smallest safe limit by the evidence; null where the evidence is not sufficient. It grows with every peak. */
export function memoryLimitFloor(evidence: MemoryEvidence | null): Bytes | null {
  if (evidence === null || evidence.historyMs < MIN_HISTORY_MS || evidence.leakSuspected) return null;
  const spread = spreadOf(evidence);
  if (evidence.typical <= 0 || spread > STEADY_SPREAD) return null;
  const headroom = MIN_HEADROOM + HEADROOM_PER_SPREAD * (spread - 1);
  const heapNeed = evidence.runtime === undefined ? null : fullHeapNeed(evidence.runtime);
  return Math.max(evidence.peakEver * Math.max(1 + headroom, evidence.worstRecordRatio), evidence.minMemoryByKills, heapNeed ?? 0);
}

// The runtime sized its heap when the process started, so a lower limit would be smaller than the heap that it may still fill.
function heapLimitMessage({ name, option, heapShare }: ContainerRuntime): string {
  const share = `${Math.round((heapShare ?? 0) * 100)} % of the limit`;
  return `kept: ${name} sized its heap to ${share} when it started (${option}), so a lower limit requires a restart`;
}

function isReclaimed(evidence: MemoryEvidence | null, limit: Bytes): boolean {
  return (
    evidence !== null && evidence.lastOomAt === null && evidence.minMemoryByKills <= limit && evidence.typical >= limit * AT_LIMIT_RATIO
  );
}

function findBlocker(inputs: MemoryLimitInputs, next: Bytes): string | null {
  const { now, evidence, lastLoweredAt } = inputs;
  if (evidence === null) return 'kept: memory was never measured';
  if (evidence.lastOomAt !== null && now - evidence.lastOomAt < AFTER_OOM_MS) return 'kept: an OOM kill within the last 3 days';
  if (now - evidence.peakEverAt < AFTER_RECORD_MS) return 'kept: the highest peak of the history was within the last day';
  if (evidence.latest > next * MAX_USED_RATIO) return 'kept: present usage is more than 80 % of the lower limit';
  if (evidence.peakHour === null) return 'kept: memory was not measured within the last hour';
  if (evidence.slopeBytesPerHour > 0 && evidence.peakHour >= (evidence.peak24h ?? 0)) return 'kept: memory usage is growing';
  if (lastLoweredAt !== null && now - lastLoweredAt < STEP_EVERY_MS) return 'kept: lowered within the last day, one step per day';
  return null;
}

function missingFloorReason(evidence: MemoryEvidence | null): string {
  if (evidence === null) return 'kept: memory was never measured';
  if (evidence.leakSuspected) return 'kept: a memory leak is suspected';
  if (evidence.historyMs < MIN_HISTORY_MS) return 'kept: less than 7 days of history';
  if (evidence.typical <= 0) return 'kept: hardly any memory was ever used';
  return `kept: the highest peak is ${spreadOf(evidence).toFixed(1)} × typical usage, which varies too much to predict the next peak`;
}

function spreadOf(evidence: MemoryEvidence): Ratio {
  return evidence.peakEver / Math.max(1, evidence.typical);
}

function wholeMiB(bytes: Bytes): Bytes {
  return Math.ceil(bytes / MiB) * MiB;
}
