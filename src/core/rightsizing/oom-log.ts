// OOM kills as evidence: each asks for more than the limit it hit, until days without need of it speak against it.

import { DAY_MS } from '../model/units.ts';
import type { Bytes, DurationMs, Instant } from '../model/units.ts';
import type { RecommenderRules } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';

/** Kills remembered; the newest count. */
const REMEMBERED = 32;
/** A kill's claim falls after this long with peaks under `UNNEEDED_RATIO` of it. */
const EXPIRY_MS: DurationMs = 3 * DAY_MS;
const UNNEEDED_RATIO = 0.8;

export interface OomKill {
  readonly at: Instant;
  /** The limit in force at the death: what was needed is above it. */
  readonly limitBytes: Bytes;
}

export class OomLog {
  #kills: OomKill[] = [];

  /** Notes one kill. The same kill told twice (same moment) counts once. */
  add(kill: OomKill): void {
    if (this.#kills.some((known) => known.at === kill.at)) return;
    this.#kills = [...this.#kills, kill].sort((a, b) => a.at - b.at).slice(-REMEMBERED);
  }

  /** All that are remembered, in time. */
  get kills(): readonly OomKill[] {
    return this.#kills;
  }

  get lastAt(): Instant | null {
    return this.#kills.at(-1)?.at ?? null;
  }

  /** Kills since a moment. */
  countSince(since: Instant): number {
    return this.#kills.filter((kill) => kill.at >= since).length;
  }

  /**
   * The least memory that kills still in evidence ask for; 0 where there are none. Reckoned from the limits at death,
   * never from an earlier answer, so that it cannot feed itself (kubernetes/autoscaler#9521). A kill loses its say when
   * three days pass in which the peaks stay under 80 % of what it asks for.
   *
   * @param peakSince highest working set since a moment, not counting the kills themselves; NaN where unknown
   */
  need(now: Instant, oom: RecommenderRules['oom'], peakSince: (since: Instant) => number): Bytes {
    let need = 0;
    for (const kill of this.#kills) {
      const asked = Math.ceil(Math.max(kill.limitBytes * oom.bumpRatio, kill.limitBytes + oom.minBumpBytes));
      const expired = now - kill.at >= EXPIRY_MS && !(peakSince(now - EXPIRY_MS) >= asked * UNNEEDED_RATIO);
      if (!expired && asked > need) need = asked;
    }
    return need;
  }

  save(out: ByteWriter): void {
    out.u8(this.#kills.length);
    for (const kill of this.#kills) {
      out.f64(kill.at);
      out.f64(kill.limitBytes);
    }
  }

  load(from: ByteReader): void {
    this.#kills = Array.from({ length: from.u8() }, () => ({ at: from.f64(), limitBytes: from.f64() }));
  }
}
