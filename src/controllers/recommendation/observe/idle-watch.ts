// Tracks for how long workloads have not been used, only where their policy enables idle mode. Live samples update the trackers; usage
// from before this process started is read once from the store and the graphs.

import { requiredIdleMs, wakeThreshold, type IdleRules } from '../../../core/resize/policy/idle-rules.ts';
import { IdleTracker, type Activity, type PastPoint } from '../../../core/resize/model/evidence/idle-tracker.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { stripStartUp } from '../../../core/recommender/start-up.ts';
import type { ClusterReader } from '../../../ports/cluster/cluster-reader.ts';
import type { UsageRollupReader } from '../../../ports/usage/usage-rollups.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { UsageModel } from '../../../state/usage/usage-model.ts';

/** Long enough to include usage from before a long idle period: a workload that was never in use is not idled. */
const PAST_MS: DurationMs = 15 * DAY_MS;
/** Probes and scrapes send less to one pod; a pod that receives more is in use, whatever its CPU usage. */
const RECEIVED_BY_USE_BYTES_PER_SECOND = 4096;
/** Points of all containers within one step are summed. */
const STEP_MS: DurationMs = 300 * SECOND_MS;

export interface IdleWatchDependencies {
  readonly cluster: Pick<ClusterReader, 'podsOf'>;
  readonly usage: Pick<UsageModel, 'onSample' | 'networkOf'> & { readonly graphs: Pick<UsageModel['graphs'], 'series' | 'seriesOf'> };
  readonly rollups: UsageRollupReader;
  readonly logger: Logger;
  /** Called when a sample shows a tracked workload in use, so that an idled one is woken at once. */
  readonly onInUse: (workload: WorkloadKey) => void;
}

interface TrackedWorkload {
  readonly tracker: IdleTracker;
  /** Whether past usage was read completely. */
  seeded: boolean;
  /** Bytes received, by pod uid. */
  readonly received: Map<string, { readonly at: Instant; readonly bytes: number }>;
}

export class IdleWatch {
  readonly #dependencies: IdleWatchDependencies;
  readonly #watched = new Map<WorkloadKey, TrackedWorkload>();
  readonly #stop: () => void;

  constructor(dependencies: IdleWatchDependencies) {
    this.#dependencies = dependencies;
    this.#stop = dependencies.usage.onSample((workload, container, pod, sample) => {
      const tracker = this.#watched.get(workload)?.tracker;
      if (tracker === undefined) return;
      const counted = stripStartUp(pod, container, sample);
      const used = counted?.cpuMillicores ?? null;
      if (used !== null && tracker.take(pod.name, container, sample.at, used)) dependencies.onInUse(workload);
    });
  }

  close(): void {
    this.#stop();
    this.#watched.clear();
  }

  /**
   * Starts or continues to track a workload; with `rules` null, stops. Resolves once past usage has been read. Where the store cannot
   * be reached, past usage is missing and the next call reads it again.
   */
  async watch(workload: WorkloadRecord, rules: IdleRules | null, now: Instant): Promise<void> {
    const key = workloadKey(workload);
    if (rules === null) {
      this.#watched.delete(key);
      return;
    }
    const thresholds = { idle: rules.cpuThreshold, wake: wakeThreshold(rules) };
    let watched = this.#watched.get(key);
    if (watched?.tracker.thresholds.idle !== thresholds.idle) {
      watched = { tracker: new IdleTracker(thresholds, now), seeded: false, received: new Map() };
      this.#watched.set(key, watched);
    }
    if (watched.seeded) return;
    watched.seeded = true;
    const pastMs = Math.max(PAST_MS, requiredIdleMs(rules, 16) + HOUR_MS);
    const past = await this.#readPast(key, now - pastMs, now);
    if (!past.complete) watched.seeded = false;
    watched.tracker.seed(past.points);
  }

  /** null where the workload is not tracked. */
  activityOf(key: WorkloadKey): Activity | null {
    const watched = this.#watched.get(key);
    if (watched === undefined) return null;
    if (this.#hasReceivedTraffic(key, watched)) watched.tracker.interrupt();
    return watched.tracker.activity();
  }

  forget(key: WorkloadKey): void {
    this.#watched.delete(key);
  }

  /** Whether a pod has received more than probes send since the last call. Pods with hostNetwork have no counter of their own. */
  #hasReceivedTraffic(key: WorkloadKey, { received }: TrackedWorkload): boolean {
    const { cluster, usage } = this.#dependencies;
    let hasTraffic = false;
    const pods = new Set<string>();
    for (const pod of cluster.podsOf(key)) {
      pods.add(pod.uid);
      const network = pod.hostNetwork ? undefined : usage.networkOf(pod.namespace, pod.name);
      if (network === undefined) continue;
      const before = received.get(pod.uid);
      if (before?.at === network.at) continue;
      received.set(pod.uid, { at: network.at, bytes: network.receiveBytes });
      if (before === undefined || network.receiveBytes < before.bytes) continue;
      const perSecond = ((network.receiveBytes - before.bytes) * SECOND_MS) / (network.at - before.at);
      if (perSecond > RECEIVED_BY_USE_BYTES_PER_SECOND) hasTraffic = true;
    }
    for (const uid of received.keys()) if (!pods.has(uid)) received.delete(uid);
    return hasTraffic;
  }

  async #readPast(
    key: WorkloadKey,
    from: Instant,
    to: Instant,
  ): Promise<{ readonly points: readonly PastPoint[]; readonly complete: boolean }> {
    const { usage, rollups, logger } = this.#dependencies;
    /** CPU by step and container: a point of the graphs replaces the same one of the store. */
    const steps = new Map<number, Map<string, number>>();
    const setPoint = (container: string, at: Instant, cpuMillicores: number | null): void => {
      if (cpuMillicores === null) return;
      const step = Math.floor(at / STEP_MS) * STEP_MS;
      let containers = steps.get(step);
      if (containers === undefined) steps.set(step, (containers = new Map<string, number>()));
      containers.set(container, cpuMillicores);
    };
    let complete = true;
    try {
      const prefix = `${key}/`;
      for (const point of await rollups.readUsage({ keyPrefix: prefix, from, to })) {
        setPoint(point.key.slice(prefix.length), point.at, point.cpuMillicores);
      }
    } catch (err) {
      complete = false;
      logger.debug('Reading past usage of a workload failed', { object: key, err });
    }
    for (const container of usage.graphs.seriesOf(key)) {
      for (const { at, cpuMillicores } of usage.graphs.series(key, container, from, to)) setPoint(container, at, cpuMillicores);
    }
    const points = [...steps].sort(([a], [b]) => a - b);
    return {
      points: points.map(([at, containers]) => ({ at, cpuMillicores: [...containers.values()].reduce((sum, cpu) => sum + cpu, 0) })),
      complete,
    };
  }
}
