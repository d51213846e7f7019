// OOM kills from pod statuses, since usage sources do not report them, and from the counters of containers that continued after
// the kill of a process.

import type { PodRecord } from '#kube/records/pod';
import type { Bytes, Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { CountedKill } from '../../core/resize/model/evidence/counted-kill.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import { CountedKills } from './counted-kills.ts';

/** OOM kill of a container, or of a process of a container that continued. */
export interface OomKill {
  readonly workload: WorkloadKey;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly at: Instant;
  /** Start of the killed container; null: unknown. */
  readonly startedAt: Instant | null;
  /** The limit in force; null: none, so that the node was out of memory. */
  readonly memoryLimitBytes: Bytes | null;
  /** Highest working set of the last hour, of a container that continued; absent: the last sample counts. */
  readonly workingSetBytes?: Bytes;
}

/** Receives OOM kills synchronously. */
export type OomKillListener = (kill: OomKill) => void;

const OOM_KILLED = 'OOMKilled';

/** Reports each OOM kill once to every listener. The state of a pod is deleted with it. */
export class OomWatch {
  readonly #reader: ClusterReader;
  readonly #clock: Clock;
  readonly #listeners = new Set<OomKillListener>();
  /** The last reported kill (`uid/finishedAt`) by pod key and container; a status has only the last kill. */
  readonly #reported = new Map<string, Map<string, string>>();
  readonly #counted = new CountedKills();
  readonly #unsubscribe: () => void;

  constructor(dependencies: { readonly reader: ClusterReader; readonly clock: Clock }) {
    this.#reader = dependencies.reader;
    this.#clock = dependencies.clock;
    this.#unsubscribe = dependencies.reader.subscribe((change) => {
      if (change.kind === 'pod') this.#checkPod(change.key);
    });
  }

  /** Reports the kills in current pod statuses first, so that a listener misses none across a restart. Returns the cancel function. */
  onOomKill(listener: OomKillListener): () => void {
    for (const pod of this.#reader.pods()) {
      for (const { kill, killId } of this.#killsOf(pod)) {
        this.#reportedOf(`${pod.namespace}/${pod.name}`).set(kill.container, killId);
        listener(kill);
      }
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Processes a sample, which may carry OOM events. */
  observe(workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample): void {
    const counted = this.#counted.observe(pod, container, sample);
    if (counted === null) return;
    const { namespace, name } = pod;
    for (const listener of this.#listeners) listener({ workload, namespace, pod: name, startedAt: null, ...counted });
  }

  /** Counted kills of the last day that the pod's status does not have. */
  countedKillsOf(pod: PodRecord): readonly CountedKill[] {
    return this.#counted.of(pod);
  }

  close(): void {
    this.#unsubscribe();
  }

  #checkPod(key: string): void {
    const slash = key.indexOf('/');
    const pod = this.#reader.findPod(key.slice(0, slash), key.slice(slash + 1));
    if (pod === undefined) {
      this.#reported.delete(key);
      this.#counted.forgetPod(key);
      return;
    }
    for (const { kill, killId } of this.#killsOf(pod)) {
      const reported = this.#reportedOf(key);
      if (reported.get(kill.container) === killId) continue;
      reported.set(kill.container, killId);
      for (const listener of this.#listeners) listener(kill);
    }
  }

  /** Kills in a pod's status. None while its owner is unknown; the pod is checked again when the owner becomes known. */
  *#killsOf(pod: PodRecord): Iterable<{ readonly kill: OomKill; readonly killId: string }> {
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
      yield { kill, killId: `${pod.uid}/${end.finishedAt ?? container.restarts}` };
    }
  }

  #reportedOf(key: string): Map<string, string> {
    let reported = this.#reported.get(key);
    if (reported === undefined) this.#reported.set(key, (reported = new Map<string, string>()));
    return reported;
  }
}
