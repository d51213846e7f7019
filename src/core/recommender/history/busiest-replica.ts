import { fnv1a } from '#kube/fnv1a';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { Ratio } from '#kube/units';
import { hourOf } from './slots.ts';

/** Half-life of the share of hours with an unchanged busiest replica. */
const HALF_LIFE_HOURS = 24;
const HOURLY_DISCOUNT = Math.pow(0.5, 1 / HALF_LIFE_HOURS);
/** Below this share the load rotates: a request for the busiest replica would size all replicas for a load that each rarely has. */
const MIN_SAME_SHARE: Ratio = 0.5;

/** Tracks which replica uses most CPU in each hour: a lasting hot replica sizes all replicas, a rotating one does not. */
export class BusiestReplica {
  #hour = -1;
  #sums = new Map<string, number>();
  /** Hash of its name: a checkpoint has it. */
  #busiest: number | null = null;
  /** Discounted share of hours whose busiest replica is that of the hour before. */
  #sameShare = 1;

  /** Whether the busiest replica differs from hour to hour. */
  get isRotating(): boolean {
    return this.#sameShare < MIN_SAME_SHARE;
  }

  /** Adds the CPU of a slot, by pod. */
  add(slot: number, pods: ReadonlyMap<string, number>): void {
    const hour = hourOf(slot);
    if (hour !== this.#hour) this.#closeHour(hour);
    for (const [pod, cpu] of pods) this.#sums.set(pod, (this.#sums.get(pod) ?? 0) + cpu);
  }

  save(out: ByteWriter): void {
    out.f64(this.#sameShare);
    out.f64(this.#busiest ?? NaN);
  }

  load(from: ByteReader): void {
    this.#sameShare = from.f64();
    const busiest = from.f64();
    this.#busiest = Number.isNaN(busiest) ? null : busiest;
  }

  #closeHour(hour: number): void {
    let busiest: string | null = null;
    for (const [pod, sum] of this.#sums) if (busiest === null || sum > (this.#sums.get(busiest) ?? 0)) busiest = pod;
    if (this.#sums.size > 1 && this.#busiest !== null) {
      const isSame = busiest !== null && fnv1a(busiest) === this.#busiest ? 1 : 0;
      this.#sameShare = this.#sameShare * HOURLY_DISCOUNT + isSame * (1 - HOURLY_DISCOUNT);
    }
    this.#busiest = busiest === null ? this.#busiest : fnv1a(busiest);
    this.#hour = hour;
    this.#sums = new Map();
  }
}
