import { DAY_MS, MINUTE_MS, SECOND_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import type { ContainerRef, UsageSample, UsageSeries } from '#kube/records/usage';
import type { WorkloadRef } from '#kube/records/workload';
import { UsageRing, type UsageBucket } from './usage-ring.ts';

const ARCHIVE_BUCKET_MS: DurationMs = 5 * MINUTE_MS;
const ARCHIVE_SPAN_MS: DurationMs = 30 * DAY_MS;

/** Series of one container in the archive. Usage since the last full bucket is summed here, without allocation. */
export class ArchivedSeries {
  readonly ref: ContainerRef;
  readonly workload: WorkloadRef;
  readonly oomKills: { readonly at: Instant; readonly memoryLimitBytes: Bytes | null }[] = [];
  readonly #ring = new UsageRing(ARCHIVE_BUCKET_MS, ARCHIVE_SPAN_MS / ARCHIVE_BUCKET_MS);
  #bucket = -1;
  #weightMs = 0;
  #cpuWeighted = 0;
  #cpuPeak = 0;
  #memoryPeak = 0;
  #limitedMs = 0;
  #throttledMs = 0;

  constructor(ref: ContainerRef, workload: WorkloadRef) {
    this.ref = ref;
    this.workload = workload;
  }

  /** Usage of the container over the `spanMs` that end at `at`. `throttledMs` null: it had no CPU limit. */
  record(at: Instant, spanMs: DurationMs, cpuMillicores: number, memoryBytes: Bytes, throttledMs: DurationMs | null): void {
    const bucket = Math.ceil(at / ARCHIVE_BUCKET_MS) - 1;
    if (bucket !== this.#bucket) {
      this.#close();
      this.#bucket = bucket;
    }
    this.#weightMs += spanMs;
    this.#cpuWeighted += cpuMillicores * spanMs;
    if (throttledMs !== null) {
      this.#limitedMs += spanMs;
      this.#throttledMs += throttledMs;
    }
    if (cpuMillicores > this.#cpuPeak) this.#cpuPeak = cpuMillicores;
    if (memoryBytes > this.#memoryPeak) this.#memoryPeak = memoryBytes;
  }

  recordOomKill(at: Instant, memoryLimitBytes: Bytes | null): void {
    this.oomKills.push({ at, memoryLimitBytes });
  }

  get lastAt(): Instant {
    return this.#weightMs > 0 ? (this.#bucket + 1) * ARCHIVE_BUCKET_MS : this.#ring.lastAt;
  }

  /** Full buckets that end after `from` and not after `to`. */
  read(from: Instant, to: Instant): Iterable<UsageBucket> {
    return this.#ring.read(from, to);
  }

  /** Completes the open bucket, if its end has passed. */
  closeBefore(at: Instant): void {
    if (this.#weightMs > 0 && (this.#bucket + 1) * ARCHIVE_BUCKET_MS <= at) this.#close();
  }

  #close(): void {
    if (this.#weightMs > 0) {
      const cpu = this.#cpuWeighted / this.#weightMs;
      const throttledRatio = this.#limitedMs === 0 ? null : this.#throttledMs / this.#limitedMs;
      this.#ring.add(this.#bucket, cpu, this.#cpuPeak, this.#memoryPeak, throttledRatio);
    }
    this.#weightMs = this.#cpuWeighted = this.#cpuPeak = this.#memoryPeak = this.#limitedMs = this.#throttledMs = 0;
  }
}

/**
 * Usage of every container in the last 30 days, in buckets of 5 minutes: the embedded cluster's replacement of Prometheus. Deleted
 * containers remain until their last bucket is too old.
 */
export class UsageArchive {
  readonly #series = new Map<string, ArchivedSeries>();

  /** The series of a container; creates a new one when needed. Restarts of a container continue the series. */
  open(podUid: string, ref: ContainerRef, workload: WorkloadRef): ArchivedSeries {
    const key = `${podUid}/${ref.container}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new ArchivedSeries(ref, workload);
      this.#series.set(key, series);
    }
    return series;
  }

  series(): Iterable<ArchivedSeries> {
    return this.#series.values();
  }

  get size(): number {
    return this.#series.size;
  }

  /** Removes containers whose last bucket is older than the archive's span. */
  prune(now: Instant): void {
    for (const [key, series] of this.#series) if (series.lastAt < now - ARCHIVE_SPAN_MS) this.#series.delete(key);
  }
}

/** A range query of the archive. */
export interface UsageRange {
  readonly from: Instant;
  readonly to: Instant;
  readonly stepSeconds: number;
  /** Left out: every namespace. */
  readonly namespaces?: readonly string[];
}

/** Answers the range query of Prometheus from the archive. */
export class ArchiveUsageHistorySource {
  readonly name = 'embedded cluster';
  readonly #archive: UsageArchive;

  constructor(archive: UsageArchive) {
    this.#archive = archive;
  }

  /** Steps shorter than 5 minutes become 5 minutes; longer ones are rounded up to a multiple. */
  async *range(range: UsageRange, signal: AbortSignal): AsyncIterable<UsageSeries> {
    const stepMs = Math.max(1, Math.ceil((range.stepSeconds * SECOND_MS) / ARCHIVE_BUCKET_MS)) * ARCHIVE_BUCKET_MS;
    for (const series of [...this.#archive.series()]) {
      signal.throwIfAborted();
      if (range.namespaces !== undefined && !range.namespaces.includes(series.ref.namespace)) continue;
      series.closeBefore(range.to);
      const samples = samplesOf(series.read(range.from, range.to), stepMs);
      const oomKills = series.oomKills.filter(({ at }) => at > range.from && at <= range.to);
      if (samples.length === 0 && oomKills.length === 0) continue;
      yield { ...series.ref, workload: series.workload, stepSeconds: stepMs / SECOND_MS, samples, oomKills };
    }
  }
}

function samplesOf(buckets: Iterable<UsageBucket>, stepMs: DurationMs): readonly UsageSample[] {
  const groups: UsageBucket[][] = [];
  let until: Instant = -Infinity;
  for (const bucket of buckets) {
    if (bucket.at > until) {
      until = Math.ceil(bucket.at / stepMs) * stepMs;
      groups.push([]);
    }
    groups.at(-1)?.push(bucket);
  }
  return groups.map(merged);
}

function merged(buckets: readonly UsageBucket[]): UsageSample {
  let cpu = 0;
  let cpuPeakMillicores = 0;
  let memoryBytes = 0;
  const throttled = buckets.flatMap(({ throttledRatio }) => throttledRatio ?? []);
  for (const bucket of buckets) {
    cpu += bucket.cpuMillicores;
    cpuPeakMillicores = Math.max(cpuPeakMillicores, bucket.cpuPeakMillicores);
    memoryBytes = Math.max(memoryBytes, bucket.memoryPeakBytes);
  }
  return {
    at: buckets.at(-1)?.at ?? 0,
    cpuMillicores: cpu / buckets.length,
    cpuPeakMillicores,
    memoryBytes,
    memoryPeakBytes: memoryBytes,
    throttledRatio: throttled.length === 0 ? null : throttled.reduce((sum, ratio) => sum + ratio, 0) / throttled.length,
  };
}
