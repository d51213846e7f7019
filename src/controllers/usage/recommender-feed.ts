// Feeds the recommender with live samples, OOM kills, new versions of workloads, and past usage.

import { fnv1a } from '#kube/fnv1a';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import { parseWorkloadKey, type WorkloadKey, type WorkloadRecord, workloadKey } from '#kube/records/workload';
import type { PodRecord } from '#kube/records/pod';
import { nodeTimeOf, type UsageSample, type UsageSeries } from '#kube/records/usage';
import { classedName, classOfNode, isKeyByNodeClass } from '../../core/resize/layers/node-classes/class-name.ts';
import { jobFamily } from '../../core/recommender/runs/job-family.ts';
import { stripStartUp } from '../../core/recommender/start-up.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { UsageRecommender } from '../../ports/usage/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';
import type { UsageHistorySource } from '../../ports/usage/usage-source.ts';
import type { OomKill } from '../../state/evidence/oom-watch.ts';
import type { UsageModel } from '../../state/usage/usage-model.ts';
import { inTurns } from './in-turns.ts';

/** History of a deleted workload stays this long, so that a workload that is deleted and created again (a redeploy) keeps it. */
const DELETED_RETENTION_MS: DurationMs = 7 * DAY_MS;
/** A workload that existed for less keeps its history for its own lifetime, but at least this long: previews and tests come by the thousand. */
const MIN_RETENTION_MS: DurationMs = HOUR_MS;
/** An older working set is no evidence of the memory in use at a kill. */
const LAST_WORKING_SET_MS: DurationMs = 5 * MINUTE_MS;
/** Step of past usage, equal to the recommender's. */
const BACKFILL_STEP_SECONDS = 300;

export interface RecommenderFeedDependencies {
  readonly cluster: ClusterReader;
  readonly usage: Pick<UsageModel, 'onSample' | 'onOomKill' | 'graphs' | 'containersOf'>;
  readonly recommender: UsageRecommender;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Called with the checkpoints of forgotten workloads, to be deleted.
   * @param checkpoints their keys
   */
  readonly onForgotten: (checkpoints: readonly string[]) => void;
  /** Called with the checkpoints of killed containers, to be saved soon. @param checkpoints their keys */
  readonly onKill: (checkpoints: readonly string[]) => void;
}

export class RecommenderFeed {
  readonly #dependencies: RecommenderFeedDependencies;
  /** Other images are another version of a workload. */
  readonly #known = new Map<WorkloadKey, { readonly images: string; readonly createdAt: Instant }>();
  readonly #forgetAt = new Map<WorkloadKey, Instant>();
  readonly #stops: (() => void)[] = [];
  #cancelSweep: () => void = () => undefined;

  constructor(dependencies: RecommenderFeedDependencies) {
    this.#dependencies = dependencies;
  }

  async start(): Promise<void> {
    const { cluster, usage, recommender, clock, onKill } = this.#dependencies;
    // Workloads deleted while no controller ran exist in the store alone, and would stay there for ever.
    for (const key of await recommender.workloads()) {
      if (cluster.findWorkload(key) === undefined) this.#forgetAt.set(key, clock.now() + DELETED_RETENTION_MS);
    }
    // Before the pass over the workloads, which serves other events meanwhile.
    this.#stops.push(
      cluster.subscribe((change) => {
        if (change.kind === 'workload') this.#handleChange(change.key);
      }),
    );
    await inTurns(cluster.workloads(), (workload) => this.#track(workloadKey(workload), workload));
    this.#stops.push(
      usage.onSample((workload, container, pod, sample) => this.#observe(workload, container, pod, sample)),
      usage.onOomKill((kill) => {
        const { workload, container, at, memoryLimitBytes } = kill;
        if (!this.#hasHistory(workload)) return;
        const last = kill.workingSetBytes ?? workingSetOf(usage.containersOf(kill.namespace, kill.pod).get(container), kill);
        const names = this.#namesOf(workload, container, kill.pod);
        for (const name of names) recommender.observeOom(workload, name, at, memoryLimitBytes, last);
        onKill(names.map((name) => `${workload}/${name}`));
      }),
    );
    this.#sweepHourly();
  }

  stop(): void {
    this.#cancelSweep();
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Reads up to `windowMs` of past usage, for decisions and graphs. A failure is only logged: decisions then start without past usage. */
  async backfill(source: UsageHistorySource, windowMs: DurationMs, signal: AbortSignal): Promise<void> {
    const { logger } = this.#dependencies;
    try {
      logger.info('Read past usage', { source: source.name, ...(await this.readPast(source, windowMs, signal)) });
    } catch (err) {
      if (signal.aborted) return;
      logger.warn('Reading past usage failed; starting without it', { source: source.name, err });
    }
  }

  /**
   * Reads up to `windowMs` of past usage of some namespaces, or of all where `namespaces` is absent. It may be called repeatedly: live
   * samples of the same time are not counted twice.
   * @throws where the source fails; no sample is added then
   */
  async readPast(
    source: UsageHistorySource,
    windowMs: DurationMs,
    signal: AbortSignal,
    namespaces?: readonly string[],
  ): Promise<{ readonly series: number; readonly samples: number; readonly dropped: number }> {
    const { clock, recommender, usage } = this.#dependencies;
    const to = clock.now();
    const range = { from: to - windowMs, to, stepSeconds: BACKFILL_STEP_SECONDS, ...(namespaces === undefined ? {} : { namespaces }) };
    // The recommender merges the replicas of a workload by time, so it needs all series at once.
    const series: UsageSeries[] = [];
    for await (const podSeries of source.range(range, signal)) {
      if (podSeries.workload !== null && this.#hasHistory(workloadKey(podSeries.workload))) series.push(podSeries);
    }
    const { taken, dropped } = await recommender.backfill(series);
    await recommender.backfill(this.#byClass(series));
    for (const podSeries of series) usage.graphs.load(podSeries, to);
    return { series: series.length, samples: taken, dropped };
  }

  /**
   * Whether usage of a workload is recorded. Pods without a workload that can be resized (bare pods, pods of a pipeline's own kind) come
   * by the thousand, and no event marks when their history can be deleted. Deleted Jobs count: their runs are evidence for later ones.
   */
  #hasHistory(workload: WorkloadKey): boolean {
    return this.#dependencies.cluster.findWorkload(workload) !== undefined || jobFamily(workload) !== workload;
  }

  #observe(workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample): void {
    const { recommender } = this.#dependencies;
    if (!this.#hasHistory(workload)) return;
    const withoutStart = stripStartUp(pod, container, sample);
    if (withoutStart === null) return;
    const startedAt = pod.containers.find(({ name }) => name === container)?.startedAt ?? null;
    const counted = { ...withoutStart, startedAt };
    recommender.observe(workload, container, pod.name, counted);
    if (!isKeyByNodeClass(workload)) return;
    const classed = this.#classedName(container, pod);
    if (classed !== null) recommender.observe(workload, classed, pod.name, counted);
  }

  /** Names under which a container's usage is recorded: its own, and for workloads sized by node class the one with the class. */
  #namesOf(workload: WorkloadKey, container: string, pod: string): readonly string[] {
    if (!isKeyByNodeClass(workload)) return [container];
    const classed = this.#classedName(container, this.#dependencies.cluster.findPod(parseWorkloadKey(workload).namespace, pod));
    return classed === null ? [container] : [container, classed];
  }

  /** null where the class of the pod's node is unknown. */
  #classedName(container: string, pod: PodRecord | undefined): string | null {
    const node = pod?.node ?? null;
    const name = node === null ? null : classOfNode(this.#dependencies.cluster.findNode(node));
    return name === null ? null : classedName(container, name);
  }

  /** The series renamed by node class; without those of deleted pods, whose nodes are unknown. */
  #byClass(series: readonly UsageSeries[]): readonly UsageSeries[] {
    return series.flatMap((podSeries) => {
      const { workload, container, pod } = podSeries;
      const names = workload === null ? [] : this.#namesOf(workloadKey(workload), container, pod);
      return names.filter((name) => name !== container).map((name) => ({ ...podSeries, container: name }));
    });
  }

  #handleChange(key: WorkloadKey): void {
    const { cluster, clock } = this.#dependencies;
    const workload = cluster.findWorkload(key);
    if (workload === undefined) {
      this.#handleDeletion(key, clock.now());
      return;
    }
    this.#forgetAt.delete(key);
    this.#track(key, workload);
  }

  #track(key: WorkloadKey, workload: WorkloadRecord): void {
    // A Job's history belongs to its family, which is dropped by its age.
    if (jobFamily(key) !== key) return;
    const images = imagesOf(workload);
    // Also the first ones: they may differ from those before a restart.
    if (this.#known.get(key)?.images !== images) this.#observeVersion(key, images);
    this.#known.set(key, { images, createdAt: workload.createdAt });
  }

  #observeVersion(key: WorkloadKey, images: string): void {
    const { recommender, clock } = this.#dependencies;
    recommender.observeVersion(key, fnv1a(images) || 1, clock.now());
  }

  #handleDeletion(key: WorkloadKey, now: Instant): void {
    const lifetimeMs = now - (this.#known.get(key)?.createdAt ?? Number.NEGATIVE_INFINITY);
    if (jobFamily(key) !== key) return;
    this.#forgetAt.set(key, now + Math.max(MIN_RETENTION_MS, Math.min(lifetimeMs, DELETED_RETENTION_MS)));
  }

  #sweepHourly(): void {
    const { clock } = this.#dependencies;
    this.#cancelSweep = clock.schedule(clock.now() + HOUR_MS, () => {
      void this.#forgetDeleted(clock.now());
      this.#sweepHourly();
    });
  }

  async #forgetDeleted(now: Instant): Promise<void> {
    const { recommender, logger, onForgotten } = this.#dependencies;
    for (const [key, forgetAt] of this.#forgetAt) {
      if (now < forgetAt) continue;
      try {
        onForgotten(await recommender.forget(key));
        this.#forgetAt.delete(key);
        this.#known.delete(key);
      } catch (err) {
        logger.warn('Deleting the history of a deleted workload failed; retrying in an hour', { object: key, err });
      }
    }
  }
}

/** The last working set of the killed container run; null where the run has no recent sample. */
function workingSetOf(sample: UsageSample | undefined, { at, startedAt }: Pick<OomKill, 'at' | 'startedAt'>): Bytes | null {
  if (sample === undefined) return null;
  const measuredAt = nodeTimeOf(sample);
  if (measuredAt > at || measuredAt < (startedAt ?? Number.NEGATIVE_INFINITY)) return null;
  return at - measuredAt > LAST_WORKING_SET_MS ? null : (sample.memoryPeakBytes ?? sample.memoryBytes);
}

function imagesOf(workload: Pick<WorkloadRecord, 'containers'>): string {
  return workload.containers.map(({ name, image }) => `${name}=${image}`).join(' ');
}
