// OOM kills: those that the pods' statuses show, because every source of usage misses them (a container that was killed is not
// measured), and those that only the counters of a container that went on show.

import type { PodRecord } from '#kube/records/pod';
import type { Bytes, Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { CountedKill } from '../core/resize/model/counted-kill.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';
import { CountedKills } from './counted-kills.ts';

/** One container that the kernel killed, or a process of one that went on. */
export interface OomKill {
  readonly workload: WorkloadKey;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly at: Instant;
  /** When the run that was killed began; null: not known. */
  readonly startedAt: Instant | null;
  /** The limit in force when it was seen; null where there was none (the node itself was short). */
  readonly memoryLimitBytes: Bytes | null;
  /** The highest working set of the last hour, of a container that went on; absent: its last one counts. */
  readonly workingSetBytes?: Bytes;
}

export type OomKillListener = (kill: OomKill) => void;

const OOM_KILLED = 'OOMKilled';

/** Tells each kill once to every listener. What is remembered of a pod goes with it. */
export class OomWatch {
  readonly #reader: ClusterReader;
  readonly #clock: Clock;
  readonly #listeners = new Set<OomKillListener>();
  /** By pod key, then container: the kill that was told last, `uid/finishedAt`; what a status shows is always its last. */
  readonly #reported = new Map<string, Map<string, string>>();
  readonly #counted = new CountedKills();
  readonly #unsubscribe: () => void;

  constructor(parts: { readonly reader: ClusterReader; readonly clock: Clock }) {
    this.#reader = parts.reader;
    this.#clock = parts.clock;
    this.#unsubscribe = parts.reader.subscribe((change) => {
      if (change.kind === 'pod') this.#look(change.key);
    });
  }

  /** Begins with what the pods' statuses still show: whoever starts to listen after a restart must not miss it. */
  onOomKill(listener: OomKillListener): () => void {
    for (const pod of this.#reader.pods()) {
      for (const { kill, mark } of this.#killsOf(pod)) {
        this.#marksOf(`${pod.namespace}/${pod.name}`).set(kill.container, mark);
        listener(kill);
      }
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes a sample as it came: it may carry what the counter of OOM events has grown by. */
  observe(workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample): void {
    const counted = this.#counted.observe(pod, container, sample);
    if (counted === null) return;
    const { namespace, name } = pod;
    for (const listener of this.#listeners) listener({ workload, namespace, pod: name, startedAt: null, ...counted });
  }

  /** Kills of the last day that the pod's status does not show. */
  countedKillsOf(pod: PodRecord): readonly CountedKill[] {
    return this.#counted.of(pod);
  }

  close(): void {
    this.#unsubscribe();
  }

  #look(key: string): void {
    const slash = key.indexOf('/');
    const pod = this.#reader.findPod(key.slice(0, slash), key.slice(slash + 1));
    if (pod === undefined) {
      this.#reported.delete(key);
      this.#counted.forgetPod(key);
      return;
    }
    for (const { kill, mark } of this.#killsOf(pod)) {
      const reported = this.#marksOf(key);
      if (reported.get(kill.container) === mark) continue;
      reported.set(kill.container, mark);
      for (const listener of this.#listeners) listener(kill);
    }
  }

  /** None while the pod's owner is unknown: that it becomes known is a change of the pod, too. */
  *#killsOf(pod: PodRecord): Iterable<{ readonly kill: OomKill; readonly mark: string }> {
    for (const container of pod.containers) {
      const end = container.lastTermination;
      if (end?.reason !== OOM_KILLED) continue;
      if (end.finishedAt !== null && this.#counted.hasCounted(pod, container.name, end.finishedAt)) continue;
      const workload = this.#reader.workloadOf(pod);
      if (workload === undefined) return;
      const kill: OomKill = {
        workload: workloadKey(workload),
        namespace: pod.namespace,
        pod: pod.name,
        container: container.name,
        at: end.finishedAt ?? this.#clock.now(),
        startedAt: end.startedAt ?? null,
        memoryLimitBytes: container.actual?.limits.memoryBytes ?? container.limits.memoryBytes,
      };
      yield { kill, mark: `${pod.uid}/${end.finishedAt ?? container.restarts}` };
    }
  }

  #marksOf(key: string): Map<string, string> {
    let reported = this.#reported.get(key);
    if (reported === undefined) this.#reported.set(key, (reported = new Map<string, string>()));
    return reported;
  }
}
