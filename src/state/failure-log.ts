// When containers failed. The status of a pod has a count of restarts and the latest end alone: how often a pod restarted in one
// day is known from its changes only, since this process started.

import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import { failedSince } from '../core/resize/plan/restart-rates.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';

/** The day before a change, and a day in which it spreads. */
const REMEMBERED_MS: DurationMs = 2 * DAY_MS;
/** Of one pod: one that fails each three minutes for two days. Each change of the pod is compared with all of them. */
const MAX_TIMES = 1_000;

interface Failures {
  readonly uid: string;
  readonly times: Instant[];
}

/** Holds something of pods with a failed container alone. */
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

  /** Of the last two days, as far as they were seen; what the pod's status shows now is among them. */
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
      if (finishedAt !== null && failedSince(lastTermination, finishedAt)) this.#record(pod, finishedAt);
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
    while (at - (times[0] ?? at) > REMEMBERED_MS) times.shift();
  }
}

function keyOf({ namespace, name }: Pick<PodRecord, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
