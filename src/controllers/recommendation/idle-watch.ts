// Watches how long workloads have been quiet: those alone whose policy makes idle ones small. Fed by live samples; what was
// known before this process is read once from the store and from the graphs.

import { requiredIdleMs, wakeThreshold, type IdleRules } from '../../core/resize/policy/idle-rules.ts';
import { IdleTracker, type Activity, type PastPoint } from '../../core/resize/model/idle-tracker.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { withoutStartUp } from '../../core/recommender/start-up.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { UsageRollupReader } from '../../ports/usage-rollups.ts';
import type { Logger } from '../../ports/logger.ts';
import type { UsageModel } from '../../state/usage-model.ts';

/** Far enough back to see the time before a long quiet spell: whether it was ever in use. */
const PAST_MS: DurationMs = 15 * DAY_MS;
/** More than this into one pod is more than probes and scrapes ask: somebody uses it, whatever its CPU. */
const RECEIVED_BY_USE_BYTES_PER_SECOND = 4096;
/** Points of a container within the same step belong together. */
const STEP_MS: DurationMs = 300 * SECOND_MS;

export interface IdleWatchDependencies {
  readonly cluster: Pick<ClusterReader, 'podsOf'>;
  readonly usage: Pick<UsageModel, 'onSample' | 'networkOf'> & { readonly graphs: Pick<UsageModel['graphs'], 'series' | 'seriesOf'> };
  readonly rollups: UsageRollupReader;
  readonly logger: Logger;
  /** A sample shows a workload in use: whoever made it small is to look at once. */
  readonly onInUse: (workload: WorkloadKey) => void;
}

interface Watched {
  readonly tracker: IdleTracker;
  seeded: boolean;
  readonly received: Map<string, { readonly at: Instant; readonly bytes: number }>;
}

export class IdleWatch {
  readonly #dependencies: IdleWatchDependencies;
  readonly #watched = new Map<WorkloadKey, Watched>();
  readonly #stop: () => void;

  constructor(dependencies: IdleWatchDependencies) {
    this.#dependencies = dependencies;
    this.#stop = dependencies.usage.onSample((workload, container, pod, sample) => {
      const tracker = this.#watched.get(workload)?.tracker;
      if (tracker === undefined) return;
      const counted = withoutStartUp(pod, container, sample);
      const used = counted?.cpuMillicores ?? null;
      if (used !== null && tracker.take(pod.name, container, sample.at, used)) dependencies.onInUse(workload);
    });
  }

  close(): void {
    this.#stop();
    this.#watched.clear();
  }

  /**
   * Begins to watch, or goes on; where the policy makes none small (`rules` null), ends it. What can be known of the past is
   * known when it resolves; a store that is out of reach costs the past, and is asked again the next time.
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
    const backMs = Math.max(PAST_MS, requiredIdleMs(rules, 16) + HOUR_MS);
    const past = await this.#past(key, now - backMs, now);
    if (!past.complete) watched.seeded = false;
    watched.tracker.seed(past.points);
  }

  /** null: it is not watched. */
  activityOf(key: WorkloadKey): Activity | null {
    const watched = this.#watched.get(key);
    if (watched === undefined) return null;
    if (this.#isSpokenTo(key, watched)) watched.tracker.interrupt();
    return watched.tracker.activity();
  }

  forget(key: WorkloadKey): void {
    this.#watched.delete(key);
  }

  /** Whether a pod was sent more since it was last looked at than probes send. Not told of pods on their node's own network. */
  #isSpokenTo(key: WorkloadKey, { received }: Watched): boolean {
    const { cluster, usage } = this.#dependencies;
    let spokenTo = false;
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
      if (perSecond > RECEIVED_BY_USE_BYTES_PER_SECOND) spokenTo = true;
    }
    for (const uid of received.keys()) if (!pods.has(uid)) received.delete(uid);
    return spokenTo;
  }

  async #past(
    key: WorkloadKey,
    from: Instant,
    to: Instant,
  ): Promise<{ readonly points: readonly PastPoint[]; readonly complete: boolean }> {
    const { usage, rollups, logger } = this.#dependencies;
    /** By step and container: the store and the graphs may both know it. */
    const steps = new Map<number, Map<string, number>>();
    const put = (container: string, at: Instant, cpuMillicores: number | null): void => {
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
        put(point.key.slice(prefix.length), point.at, point.cpuMillicores);
      }
    } catch (err) {
      complete = false;
      logger.debug('Past usage of a workload could not be read', { object: key, err });
    }
    for (const container of usage.graphs.seriesOf(key)) {
      for (const { at, cpuMillicores } of usage.graphs.series(key, container, from, to)) put(container, at, cpuMillicores);
    }
    const points = [...steps].sort(([a], [b]) => a - b);
    return {
      points: points.map(([at, containers]) => ({ at, cpuMillicores: [...containers.values()].reduce((sum, each) => sum + each, 0) })),
      complete,
    };
  }
}
