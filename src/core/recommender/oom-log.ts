// OOM kills as evidence: each kill at a limit asks for more than the limit that it hit, until days without need speak against it.

import { DAY_MS, MiB } from '#kube/units';
import type { Bytes, DurationMs, Instant, Ratio } from '#kube/units';
import type { OomAdvice, RecommenderRules } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';

/** Kills remembered; the newest count. */
const REMEMBERED = 32;
/** A kill expires after this long with peaks under `UNNEEDED_RATIO` of what it asks for. */
const EXPIRY_MS: DurationMs = 3 * DAY_MS;
const UNNEEDED_RATIO = 0.8;
/** A working set of at least this share of the limit was on its way to it. */
export const PROVING_RATIO: Ratio = 0.7;
/** Two kills within this time, neither of them measured, are no accident of the node. */
const REPEATED_WITHIN_MS: DurationMs = DAY_MS;
/** Kills whose pods are still to be found. */
const RECENT_MS: DurationMs = DAY_MS;

/**
 * What killed a container: its own limit, or the node that ran out of memory (a limit that was not hit says nothing about the
 * need). `unmeasured`: it died before its working set was read; a second one within a day counts as a kill at the limit.
 */
export const KILL_CAUSES = ['limit', 'node', 'unmeasured'] as const;
export type KillCause = (typeof KILL_CAUSES)[number];

export interface OomKill {
  readonly at: Instant;
  /** The limit in force at the death; 0: there was none. */
  readonly limitBytes: Bytes;
  readonly cause: KillCause;
  /** Last working set before the death; 0: not measured. */
  readonly workingSetBytes: Bytes;
}

/** @param workingSetBytes last one of the run that was killed; null: it was not measured */
export function causeOfKill(limitBytes: Bytes | null, workingSetBytes: Bytes | null): KillCause {
  if (limitBytes === null) return 'node';
  if (workingSetBytes === null) return 'unmeasured';
  return workingSetBytes >= limitBytes * PROVING_RATIO ? 'limit' : 'node';
}

export class OomLog {
  #kills: OomKill[] = [];

  /** Takes one kill. The same kill (same moment) counts once; evidence that it hit its limit replaces what was assumed. */
  add(kill: OomKill): void {
    const known = this.#kills.find(({ at }) => at === kill.at);
    if (known !== undefined && (known.cause === kill.cause || kill.cause !== 'limit')) return;
    const others = this.#kills.filter(({ at }) => at !== kill.at);
    this.#kills = [...others, kill].sort((a, b) => a.at - b.at).slice(-REMEMBERED);
  }

  /** All that are remembered, in time. */
  get kills(): readonly OomKill[] {
    return this.#kills;
  }

  get isEmpty(): boolean {
    return this.#kills.length === 0;
  }

  /** The last kill at a limit. */
  get lastAt(): Instant | null {
    return this.#kills.findLast((kill) => this.#isProof(kill))?.at ?? null;
  }

  /** Kills since a moment, of whatever cause. */
  countSince(since: Instant): number {
    return this.#kills.filter((kill) => kill.at >= since).length;
  }

  /**
   * What the kills ask for. Reckoned from the limits at death, never from an earlier answer, so that it cannot feed itself
   * (kubernetes/autoscaler#9521).
   *
   * @param peakSince highest working set since a moment; NaN where unknown
   */
  advise(now: Instant, oom: RecommenderRules['oom'], peakSince: (since: Instant) => number): OomAdvice {
    const bumped = (bytes: Bytes): Bytes => Math.ceil(Math.max(bytes * oom.bumpRatio, bytes + oom.minBumpBytes) / MiB) * MiB;
    const inEvidence = this.#kills
      .filter((kill) => this.#isProof(kill))
      .map(({ at, limitBytes, workingSetBytes }) => ({ at, need: bumped(limitBytes), workingSetBytes }))
      .filter(({ at, need }) => now - at < EXPIRY_MS || peakSince(now - EXPIRY_MS) >= need * UNNEEDED_RATIO);
    const needs = inEvidence.map(({ need }) => need).sort((a, b) => b - a);
    const peak = Math.max(0, ...inEvidence.map(({ workingSetBytes }) => workingSetBytes), zeroIfUnknown(peakSince(now - EXPIRY_MS)));
    const lastNodeKill = this.#kills.findLast(({ cause }) => cause === 'node');
    return {
      limitNeed: needs[1] ?? 0,
      killedPodNeed: needs[0] ?? 0,
      requestNeed: needs.length === 0 || peak === 0 ? 0 : bumped(peak),
      recentKills: inEvidence.filter(({ at }) => now - at < RECENT_MS).map(({ at, need }) => ({ at, need })),
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

  /** Whether a kill proves that the limit was hit. */
  #isProof({ at, cause, limitBytes }: OomKill): boolean {
    if (cause !== 'unmeasured') return cause === 'limit' && limitBytes > 0;
    return this.#kills.some((other) => other.cause !== 'node' && other.at < at && at - other.at <= REPEATED_WITHIN_MS);
  }
}

function zeroIfUnknown(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** The least request of every replica; 0 before a second kill. */
export function requestAfterKills({ limitNeed, requestNeed }: OomAdvice): Bytes {
  return limitNeed > 0 ? requestNeed : 0;
}
