import type { PodRecord } from '#kube/records/pod';
import { HOUR_MS, type Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { ChangedKeys } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import type { Slices } from '../lists/slices.ts';
import type { ReadSources } from '../sources.ts';

/** Numbers of a namespace's workloads, pods, and pods with problems. */
export interface NamespaceTally {
  readonly workloads: number;
  readonly pods: number;
  readonly critical: number;
  readonly attention: number;
}

interface PodRow {
  readonly namespace: string;
  readonly critical: boolean;
  readonly attention: boolean;
  /** When an OOM kill is an hour ago. */
  readonly until: Instant;
}

const NONE: NamespaceTally = { workloads: 0, pods: 0, critical: 0, attention: 0 };

/** Counts by namespace, kept by adding and subtracting changed workloads and pods. */
export class NamespaceTallies {
  readonly #now: () => Instant;
  readonly #pods: KeptRows<PodRecord, PodRow>;
  readonly #workloads: KeptRows<WorkloadRecord, string>;
  readonly #byNamespace = new Map<string, NamespaceTally>();
  /** The row of healthy pods, shared by all of a namespace. */
  readonly #healthy = new Map<string, PodRow>();

  constructor({ cluster, clock }: Pick<ReadSources, 'cluster' | 'clock'>) {
    this.#now = () => clock.now();
    const changedPods = new ChangedKeys();
    changedPods.follow(cluster, (change) => (change.kind === 'pod' ? change.key : null));
    this.#pods = new KeptRows({
      all: () => cluster.pods(),
      find: (key) => cluster.findPod(key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)),
      keyOf: ({ namespace, name }) => `${namespace}/${name}`,
      rowOf: (pod) => this.#rowOf(pod),
      until: ({ until }) => until,
      replace: (before, after) => {
        if (before !== null) this.#addPod(before, -1);
        if (after !== null) this.#addPod(after, 1);
      },
      now: this.#now,
      changed: changedPods,
    });
    const changedWorkloads = new ChangedKeys();
    changedWorkloads.follow(cluster, (change) => (change.kind === 'workload' ? change.key : null));
    this.#workloads = new KeptRows({
      all: () => cluster.workloads(),
      find: (key) => cluster.findWorkload(key),
      keyOf: (workload) => workloadKey(workload),
      rowOf: ({ namespace }) => namespace,
      replace: (before, after) => {
        if (before !== null) this.#add(before, { ...NONE, workloads: -1 });
        if (after !== null) this.#add(after, { ...NONE, workloads: 1 });
      },
      now: this.#now,
      changed: changedWorkloads,
    });
  }

  /** Applies all changes; the first time in slices. */
  async update(slices: Slices): Promise<void> {
    await this.#pods.updateInSlices(slices);
    await this.#workloads.updateInSlices(slices);
  }

  /** As of the last update. */
  of(namespace: string): NamespaceTally {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  #rowOf(pod: PodRecord): PodRow {
    const now = this.#now();
    let critical = pod.phase === 'Pending' && pod.node === null && !pod.schedulable;
    let attention = pod.resize.state === 'infeasible' || pod.resize.state === 'error';
    let until = Number.POSITIVE_INFINITY;
    for (const { waitingReason, lastTermination: last } of pod.containers) {
      if (waitingReason === 'CrashLoopBackOff' || waitingReason === 'ImagePullBackOff') critical = true;
      if (last?.reason !== 'OOMKilled' || last.finishedAt === null || now - last.finishedAt >= HOUR_MS) continue;
      attention = true;
      until = Math.min(until, last.finishedAt + HOUR_MS);
    }
    if (critical || attention) return { namespace: pod.namespace, critical, attention, until };
    const healthy = this.#healthy.get(pod.namespace) ?? { namespace: pod.namespace, critical, attention, until };
    this.#healthy.set(pod.namespace, healthy);
    return healthy;
  }

  #addPod({ namespace, critical, attention }: PodRow, sign: 1 | -1): void {
    this.#add(namespace, { workloads: 0, pods: sign, critical: critical ? sign : 0, attention: attention ? sign : 0 });
  }

  #add(namespace: string, change: NamespaceTally): void {
    const { workloads, pods, critical, attention } = this.of(namespace);
    const tally: NamespaceTally = {
      workloads: workloads + change.workloads,
      pods: pods + change.pods,
      critical: critical + change.critical,
      attention: attention + change.attention,
    };
    if (tally.pods > 0 || tally.workloads > 0) {
      this.#byNamespace.set(namespace, tally);
      return;
    }
    // Namespaces come and go for ever.
    this.#byNamespace.delete(namespace);
    this.#healthy.delete(namespace);
  }
}
