import type { Bytes, Instant, Millicores, Ratio } from '#kube/units';

/** One bucket of one container. */
export interface UsageBucket {
  /** End of the bucket. */
  readonly at: Instant;
  readonly cpuMillicores: Millicores;
  readonly cpuPeakMillicores: Millicores;
  readonly memoryPeakBytes: Bytes;
  /** Share of the bucket in which CPU was throttled by the limit, 0–1; null: no limit. */
  readonly throttledRatio: Ratio | null;
}

const FIRST_CAPACITY = 16;
/** A byte for the throttled share: 0 to 254 of 254, or this value for none. */
const NO_LIMIT = 255;
const WHOLE = 254;

/** Consecutive buckets of one container in typed arrays: grows with its age, then drops the oldest. */
export class UsageRing {
  readonly #bucketMs: number;
  readonly #maxBuckets: number;
  #cpu = new Float32Array(FIRST_CAPACITY);
  #cpuPeak = new Float32Array(FIRST_CAPACITY);
  #memoryPeak = new Float32Array(FIRST_CAPACITY);
  #throttled = new Uint8Array(FIRST_CAPACITY);
  /** Number of the oldest stored bucket (time divided by the bucket's length); its slot is the number modulo capacity. */
  #first = 0;
  #count = 0;

  constructor(bucketMs: number, maxBuckets: number) {
    this.#bucketMs = bucketMs;
    this.#maxBuckets = maxBuckets;
  }

  get length(): number {
    return this.#count;
  }

  /** End of the newest bucket; −Infinity when there is none. */
  get lastAt(): Instant {
    return this.#count === 0 ? -Infinity : (this.#first + this.#count) * this.#bucketMs;
  }

  /** Adds the bucket that starts at `number` × its length. Skipped buckets count as absent. */
  add(number: number, cpu: Millicores, cpuPeak: Millicores, memoryPeak: Bytes, throttledRatio: Ratio | null): void {
    if (this.#count === 0) this.#first = number;
    while (this.#first + this.#count < number) this.#put(Number.NaN, Number.NaN, Number.NaN, NO_LIMIT);
    this.#put(cpu, cpuPeak, memoryPeak, throttledRatio === null ? NO_LIMIT : Math.round(throttledRatio * WHOLE));
  }

  /** Buckets that end after `from` and not after `to`, oldest first; absent ones are left out. */
  *read(from: Instant, to: Instant): Generator<UsageBucket> {
    const begin = Math.max(this.#first, Math.floor(from / this.#bucketMs));
    const end = Math.min(this.#first + this.#count, Math.floor(to / this.#bucketMs));
    for (let number = begin; number < end; number++) {
      const slot = number % this.#cpu.length;
      const cpu = this.#cpu[slot] ?? Number.NaN;
      const throttled = this.#throttled[slot] ?? NO_LIMIT;
      if (Number.isNaN(cpu)) continue;
      yield {
        at: (number + 1) * this.#bucketMs,
        cpuMillicores: cpu,
        cpuPeakMillicores: this.#cpuPeak[slot] ?? 0,
        memoryPeakBytes: this.#memoryPeak[slot] ?? 0,
        throttledRatio: throttled === NO_LIMIT ? null : throttled / WHOLE,
      };
    }
  }

  #put(cpu: number, cpuPeak: number, memoryPeak: number, throttled: number): void {
    if (this.#count === this.#maxBuckets) {
      this.#first++;
      this.#count--;
    } else if (this.#count === this.#cpu.length) this.#grow();
    const slot = (this.#first + this.#count) % this.#cpu.length;
    this.#cpu[slot] = cpu;
    this.#cpuPeak[slot] = cpuPeak;
    this.#memoryPeak[slot] = memoryPeak;
    this.#throttled[slot] = throttled;
    this.#count++;
  }

  #grow(): void {
    const old = { cpu: this.#cpu, cpuPeak: this.#cpuPeak, memoryPeak: this.#memoryPeak, throttled: this.#throttled };
    const capacity = Math.min(this.#maxBuckets, old.cpu.length * 2);
    this.#cpu = new Float32Array(capacity);
    this.#cpuPeak = new Float32Array(capacity);
    this.#memoryPeak = new Float32Array(capacity);
    this.#throttled = new Uint8Array(capacity);
    for (let number = this.#first; number < this.#first + this.#count; number++) {
      const from = number % old.cpu.length;
      const to = number % capacity;
      this.#cpu[to] = old.cpu[from] ?? 0;
      this.#cpuPeak[to] = old.cpuPeak[from] ?? 0;
      this.#memoryPeak[to] = old.memoryPeak[from] ?? 0;
      this.#throttled[to] = old.throttled[from] ?? 0;
    }
  }
}
