// What the stream tells: the cluster record when it changes, and recommendations as they change. One hub serves every
// listener; it works only while someone listens (and a little longer, so that a reconnect finds what it missed).

import type { Cluster, Recommendation } from '../../apis/http/types.generated.ts';
import type { WorkloadKey, WorkloadRef } from '../../core/model/workload.ts';
import { parseWorkloadKey } from '../../core/model/workload.ts';
import type { ChangeSource } from '../../application/index.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { ClusterChange } from '../../ports/cluster-reader.ts';

export type StreamTopic = 'cluster' | 'recommendations' | 'scaling';

/** One event as it is kept; what a listener may not see of it is left out when it is sent. */
export type StreamEvent =
  | { readonly seq: number; readonly topic: 'cluster'; readonly record: Cluster }
  | {
      readonly seq: number;
      readonly topic: 'recommendations';
      readonly changed: readonly Recommendation[];
      readonly removed: readonly WorkloadRef[];
    }
  /** Workloads of which the timeline has something new to tell. */
  | { readonly seq: number; readonly topic: 'scaling'; readonly workloads: readonly WorkloadRef[] };

/** Two seconds: an eye sees no difference, and a thousand changes become one event. */
const TICK_MS = 2000;
/** At most a twentieth of the time goes into looking for changes, however large the cluster. */
const IDLE_PER_WORK = 19;
/** So often the cluster is looked at though nothing was told: what has fallen silent grows old, and that is news too. */
const SILENCE_MS = 15_000;
/** Kept for those who come back: so many events … */
const MAX_EVENTS = 500;
/** … and so many recommendations in them, about 4 MiB. Those who have missed more read everything again. */
const MAX_RECORDS = 2000;
/** How long the hub goes on without a listener. */
const LINGER_MS = 300_000;

export class ChangeHub {
  /** Tells this hub's ids from those of another process or of an earlier run. */
  readonly epoch: string;
  readonly #sources: ChangeSource;
  readonly #timer: MachineTimer;
  readonly #listeners = new Set<(event: StreamEvent) => void>();
  readonly #dirty = new Set<WorkloadKey>();
  readonly #known = new Map<WorkloadKey, string>();
  /** What was last put into force, by workload. */
  readonly #scaled = new Map<WorkloadKey, string>();
  #events: StreamEvent[] = [];
  /** Recommendations in them. */
  #records = 0;
  #seq = 0;
  #allDirty = false;
  #clusterDirty = false;
  #lastCluster = '';
  #lastUsageAt: number | null = null;
  #clusterSeenMs = 0;
  #running: { cancel: () => void; unsubscribe: () => void } | null = null;
  #idleSinceMs: number | null = null;

  constructor(sources: ChangeSource, timer: MachineTimer, epoch: string) {
    this.#sources = sources;
    this.#timer = timer;
    this.epoch = epoch;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Sequence number of the latest event. */
  get seq(): number {
    return this.#seq;
  }

  listen(listener: (event: StreamEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#idleSinceMs = this.#timer.nowMs();
    };
  }

  /** Everything after `seq`; null where that is longer ago than is kept, or never was. */
  since(seq: number): readonly StreamEvent[] | null {
    if (seq > this.#seq) return null;
    const missed = this.#seq - seq;
    return missed > this.#events.length ? null : this.#events.slice(this.#events.length - missed);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  #start(): void {
    this.#idleSinceMs = null;
    if (this.#running !== null) return;
    this.#known.clear();
    this.#scaled.clear();
    // What changed before anyone listened is not told: whoever comes reads everything first.
    this.#remember();
    const unsubscribe = this.#sources.subscribe((change) => this.#mark(change));
    this.#running = { cancel: this.#timer.setTimer(TICK_MS, () => this.#tick()), unsubscribe };
  }

  #stop(): void {
    this.#running?.cancel();
    this.#running?.unsubscribe();
    this.#running = null;
    // Events missed while stopped are not known, so no one may resume across it.
    this.#events = [];
    this.#records = 0;
    this.#seq += 1;
  }

  #remember(): void {
    if (!this.#sources.ready()) {
      this.#allDirty = true;
      return;
    }
    for (const key of this.#sources.workloadKeys()) {
      const record = this.#sources.recommendation(key);
      if (record === undefined) continue;
      this.#known.set(key, JSON.stringify(record));
      this.#scaled.set(key, inForce(record));
    }
    this.#lastCluster = JSON.stringify(this.#sources.cluster());
    this.#clusterSeenMs = this.#timer.nowMs();
  }

  #mark(change: ClusterChange): void {
    // No record shows them; what a recommendation makes of them comes as a change of the recommendation.
    if (change.kind === 'vpa' || change.kind === 'scaledobject') return;
    this.#clusterDirty = true;
    switch (change.kind) {
      case 'recommendation':
        this.#dirty.add(change.workload);
        break;
      case 'workload':
        this.#dirty.add(change.key);
        break;
      case 'pod':
        if (change.workload !== null) this.#dirty.add(change.workload);
        break;
      case 'hpa':
        for (const key of change.workloads) this.#dirty.add(key);
        break;
      case 'podresizepolicy':
        this.#allDirty = true;
        break;
      default:
        break;
    }
  }

  #tick(): void {
    if (this.#running === null) return;
    if (this.#idleSinceMs !== null && this.#timer.nowMs() - this.#idleSinceMs > LINGER_MS) {
      this.#stop();
      return;
    }
    const beganMs = this.#timer.nowMs();
    if (this.#sources.ready()) {
      this.#tellRecommendations();
      this.#tellCluster();
    }
    const workMs = this.#timer.nowMs() - beganMs;
    this.#running.cancel = this.#timer.setTimer(Math.max(TICK_MS, workMs * IDLE_PER_WORK), () => this.#tick());
  }

  #tellRecommendations(): void {
    const keys = this.#allDirty ? new Set([...this.#known.keys(), ...this.#sources.workloadKeys()]) : new Set(this.#dirty);
    this.#dirty.clear();
    this.#allDirty = false;
    const changed: Recommendation[] = [];
    const removed: WorkloadRef[] = [];
    const scaled: WorkloadRef[] = [];
    for (const key of keys) {
      const record = this.#sources.recommendation(key);
      if (record === undefined) {
        if (this.#known.delete(key)) removed.push(parseWorkloadKey(key));
        this.#scaled.delete(key);
        continue;
      }
      const text = JSON.stringify(record);
      if (this.#known.get(key) === text) continue;
      this.#known.set(key, text);
      changed.push(record);
      const [before, now] = [this.#scaled.get(key), inForce(record)];
      this.#scaled.set(key, now);
      if (before !== undefined && before !== now) scaled.push(parseWorkloadKey(key));
    }
    if (changed.length + removed.length > 0) this.#tell({ seq: this.#seq + 1, topic: 'recommendations', changed, removed });
    if (scaled.length > 0) this.#tell({ seq: this.#seq + 1, topic: 'scaling', workloads: scaled });
  }

  #tellCluster(): void {
    const usageAt = this.#sources.usageConfirmedAt();
    const nowMs = this.#timer.nowMs();
    const silent = nowMs - this.#clusterSeenMs >= SILENCE_MS;
    if (!this.#clusterDirty && usageAt === this.#lastUsageAt && !silent) return;
    this.#clusterDirty = false;
    this.#clusterSeenMs = nowMs;
    this.#lastUsageAt = usageAt;
    const record = this.#sources.cluster();
    const text = JSON.stringify(record);
    if (text === this.#lastCluster) return;
    this.#lastCluster = text;
    this.#tell({ seq: this.#seq + 1, topic: 'cluster', record });
  }

  #tell(event: StreamEvent): void {
    this.#seq = event.seq;
    this.#events.push(event);
    this.#records += recordsIn(event);
    while (this.#events.length > MAX_EVENTS || this.#records > MAX_RECORDS) this.#records -= recordsIn(this.#events.shift());
    for (const listener of this.#listeners) listener(event);
  }
}

function recordsIn(event: StreamEvent | undefined): number {
  return event?.topic === 'recommendations' ? event.changed.length : 0;
}

/** Values, replicas and an autoscaler's targets: what scaling moves, as every replica sees it. */
function inForce({ appliedAt, replicas, hpa }: Recommendation): string {
  return JSON.stringify([appliedAt, replicas, hpa?.cpuTargetRatio, hpa?.memoryTargetRatio, hpa?.minReplicas, hpa?.maxReplicas]);
}
