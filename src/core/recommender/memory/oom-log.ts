// OOM kills as evidence: a kill at a limit requires a higher limit, until three days of peaks well below it expire the kill.

import { DAY_MS, MiB } from '#kube/units';
import type { Bytes, DurationMs, Instant, Ratio } from '#kube/units';
import type { OomAdvice, RecommenderRules } from '../advice.ts';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';

/** Stored kills; older ones are dropped. */
const MAX_KILLS = 32;
/** A kill expires after this long with peaks below `UNNEEDED_RATIO` of the bumped value. */
const EXPIRY_MS: DurationMs = 3 * DAY_MS;
const UNNEEDED_RATIO = 0.8;
/** A last working set of at least this share of the limit counts as reaching it. */
export const LIMIT_REACHED_RATIO: Ratio = 0.7;
/** Two unmeasured kills within this time count as kills at the limit. */
const REPEATED_WITHIN_MS: DurationMs = DAY_MS;
/** Age up to which the pod of a kill is looked for. */
const RECENT_MS: DurationMs = DAY_MS;

/**
 * Cause of an OOM kill: `limit`, or `node` when the node ran out of memory, which says nothing about the limit. `unmeasured`:
 * killed before its working set was read; a second one within a day counts as a kill at the limit.
 */
export const KILL_CAUSES = ['limit', 'node', 'unmeasured'] as const;
/** One of `KILL_CAUSES`. */
export type KillCause = (typeof KILL_CAUSES)[number];

/** One OOM kill. */
export interface OomKill {
  readonly at: Instant;
  /** The limit in force at the kill; 0: there was none. */
  readonly limitBytes: Bytes;
  readonly cause: KillCause;
  /** Last working set before the kill; 0: not measured. */
  readonly workingSetBytes: Bytes;
}

/** Cause of a kill. @param workingSetBytes the last one before the kill; null: not measured */
export function classifyKill(limitBytes: Bytes | null, workingSetBytes: Bytes | null): KillCause {
  if (limitBytes === null) return 'node';
  if (workingSetBytes === null) return 'unmeasured';
  return workingSetBytes >= limitBytes * LIMIT_REACHED_RATIO ? 'limit' : 'node';
}

/** The newest OOM kills of one container. */
export class OomLog {
  #kills: OomKill[] = [];

  /** Adds a kill. A kill at the same time replaces the stored one only if its cause is `limit`. */
  add(kill: OomKill): void {
    const known = this.#kills.find(({ at }) => at === kill.at);
    if (known !== undefined && (known.cause === kill.cause || kill.cause !== 'limit')) return;
    const others = this.#kills.filter(({ at }) => at !== kill.at);
    this.#kills = [...others, kill].sort((a, b) => a.at - b.at).slice(-MAX_KILLS);
  }

  /** Stored kills, ascending in time. */
  get kills(): readonly OomKill[] {
    return this.#kills;
  }

  get isEmpty(): boolean {
    return this.#kills.length === 0;
  }

  /** Time of the last kill at a limit; null: none. */
  get lastAt(): Instant | null {
    return this.#kills.findLast((kill) => this.#isLimitKill(kill))?.at ?? null;
  }

  /** Count of kills at or after `since`, of any cause. */
  countSince(since: Instant): number {
    return this.#kills.filter((kill) => kill.at >= since).length;
  }

  /**
   * Minimum memory by the kills. It depends on the limits at the kills and never on earlier advice, which would compound
   * (kubernetes/autoscaler#9521).
   *
   * @param peakSince highest working set since a time; NaN: not measured
   */
  advise(now: Instant, oom: RecommenderRules['oom'], peakSince: (since: Instant) => number): OomAdvice {
    const bumped = (bytes: Bytes): Bytes => Math.ceil(Math.max(bytes * oom.bumpRatio, bytes + oom.minBumpBytes) / MiB) * MiB;
    const unexpired = this.#kills
      .filter((kill) => this.#isLimitKill(kill))
      .map(({ at, limitBytes, workingSetBytes }) => ({ at, need: bumped(limitBytes), workingSetBytes }))
      .filter(({ at, need }) => now - at < EXPIRY_MS || peakSince(now - EXPIRY_MS) >= need * UNNEEDED_RATIO);
    const needs = unexpired.map(({ need }) => need).sort((a, b) => b - a);
    const peak = Math.max(0, ...unexpired.map(({ workingSetBytes }) => workingSetBytes), zeroIfUnknown(peakSince(now - EXPIRY_MS)));
    const lastNodeKill = this.#kills.findLast(({ cause }) => cause === 'node');
    return {
      limitNeed: needs[1] ?? 0,
      killedPodNeed: needs[0] ?? 0,
      requestNeed: needs.length === 0 || peak === 0 ? 0 : bumped(peak),
      recentKills: unexpired.filter(({ at }) => now - at < RECENT_MS).map(({ at, need }) => ({ at, need })),
      lastNodeKill:
        lastNodeKill === undefined
          ? null
          : { at: lastNodeKill.at, limitBytes: lastNodeKill.limitBytes, workingSetBytes: lastNodeKill.workingSetBytes },
    };
  }

  save(out: ByteWriter): void {
    out.u8(this.#kills.length);
    for (const { at, limitBytes, cause, workingSetBytes } of this.#kills) {
      out.f64(at);
      out.f64(limitBytes);
      out.f64(workingSetBytes);
      out.u8(KILL_CAUSES.indexOf(cause));
    }
  }

  load(from: ByteReader): void {
    this.#kills = Array.from({ length: from.u8() }, () => ({
      at: from.f64(),
      limitBytes: from.f64(),
      workingSetBytes: from.f64(),
      cause: KILL_CAUSES[from.u8()] ?? 'node',
    }));
  }

  /** Whether a kill counts as a kill at the limit. */
  #isLimitKill({ at, cause, limitBytes }: OomKill): boolean {
    if (cause !== 'unmeasured') return cause === 'limit' && limitBytes > 0;
    return this.#kills.some((other) => other.cause !== 'node' && other.at < at && at - other.at <= REPEATED_WITHIN_MS);
  }
}

function zeroIfUnknown(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Minimum request of every replica; 0 before a second kill. */
export function minRequestAfterKills({ limitNeed, requestNeed }: OomAdvice): Bytes {
  return limitNeed > 0 ? requestNeed : 0;
}
