// Times of container failures. A pod's status has only a count of restarts and the last termination, so that the failures of a day
// come from status changes since this process started.

import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import { hasFailedSince } from '../../core/resize/plan/verify/restart-rates.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';

/** Retention: the day before a change and the day of its roll-out. */
const RETENTION_MS: DurationMs = 2 * DAY_MS;
/** Maximum of times of one pod, which is a failure every three minutes for two days. Bounds the cost of each pod change. */
const MAX_TIMES = 1_000;

interface Failures {
  readonly uid: string;
  readonly times: Instant[];
}

/** Records failures of containers by pod. */
export class FailureLog {
  readonly #byPod = new Map<string, Failures>();
  readonly #unsubscribe: () => void;

  constructor(reader: Pick<ClusterReader, 'subscribe' | 'findPod'>) {
    this.#unsubscribe = reader.subscribe((change) => {
      if (change.kind !== 'pod') return;
      const slash = change.key.indexOf('/');
      const pod = reader.findPod(change.key.slice(0, slash), change.key.slice(slash + 1));
      if (pod === undefined) this.#byPod.delete(change.key);
      else this.#observe(pod);
    });
  }

  /** Observed failures of the last two days, including those of the pod's current status. */
  of(pod: PodRecord): readonly Instant[] {
    this.#observe(pod);
    const failures = this.#byPod.get(keyOf(pod));
    return failures?.uid === pod.uid ? failures.times : [];
  }

  close(): void {
    this.#unsubscribe();
  }

  #observe(pod: PodRecord): void {
    for (const { lastTermination } of pod.containers) {
      const finishedAt = lastTermination?.finishedAt ?? null;
      if (finishedAt !== null && hasFailedSince(lastTermination, finishedAt)) this.#record(pod, finishedAt);
    }
  }

  #record(pod: PodRecord, at: Instant): void {
    const key = keyOf(pod);
    let failures = this.#byPod.get(key);
    if (failures?.uid !== pod.uid) this.#byPod.set(key, (failures = { uid: pod.uid, times: [] }));
    const { times } = failures;
    if (times.includes(at) || (times.length >= MAX_TIMES && at < (times[0] ?? at))) return;
    times.push(at);
    if (times.length > MAX_TIMES) times.shift();
    while (at - (times[0] ?? at) > RETENTION_MS) times.shift();
  }
}

function keyOf({ namespace, name }: Pick<PodRecord, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
