// Gives the recommender what it learns from: live samples, OOM kills, new versions, and the past where a source knows it.

import { DAY_MS, HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import { parseWorkloadKey, type WorkloadKey, type WorkloadRecord, workloadKey } from '#kube/records/workload';
import type { PodRecord } from '#kube/records/pod';
import { nodeTimeOf, type UsageSample, type UsageSeries } from '#kube/records/usage';
import { classedName, classOfNode, isKeyByNodeClass } from '../../core/resize/layers/node-classes/class-name.ts';
import { jobFamily } from '../../core/recommender/runs/job-family.ts';
import { withoutStartUp } from '../../core/recommender/start-up.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { UsageRecommender } from '../../ports/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';
import type { UsageHistorySource } from '../../ports/usage-source.ts';
import type { OomKill } from '../../state/oom-watch.ts';
import type { UsageModel } from '../../state/usage-model.ts';

/** A workload that is gone is remembered this long: what is deleted and made again (a redeploy) goes on where it was. */
const REMEMBER_GONE_MS: DurationMs = 7 * DAY_MS;
/** What lived for less is remembered for as long as it lived, but at least so long: previews and tests come by the thousand. */
const REMEMBER_AT_LEAST_MS: DurationMs = HOUR_MS;
/** An older working set says nothing about the moment of a kill. */
const LAST_WORKING_SET_MS: DurationMs = 5 * MINUTE_MS;
/** Step at which the past is asked for: the recommender's own. */
const BACKFILL_STEP_SECONDS = 300;

export interface RecommenderFeedDependencies {
  readonly cluster: ClusterReader;
  readonly usage: Pick<UsageModel, 'onSample' | 'onOomKill' | 'graphs' | 'containersOf'>;
  readonly recommender: UsageRecommender;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What was kept of workloads that are forgotten is to be thrown away. @param checkpoints their keys */
  readonly onForgotten: (checkpoints: readonly string[]) => void;
}

export class RecommenderFeed {
  readonly #dependencies: RecommenderFeedDependencies;
  /** By workload. Of `images` another set is another version. */
  readonly #known = new Map<WorkloadKey, { readonly images: string; readonly createdAt: Instant }>();
  readonly #forgetAt = new Map<WorkloadKey, Instant>();
  readonly #stops: (() => void)[] = [];
  #cancelSweep: () => void = () => undefined;

  constructor(dependencies: RecommenderFeedDependencies) {
    this.#dependencies = dependencies;
  }

  /** Begins to feed. */
  async start(): Promise<void> {
    const { cluster, usage, recommender, clock } = this.#dependencies;
    // What was deleted while nobody looked is known from the store alone, and would be kept there for ever.
    for (const key of await recommender.workloads()) {
      if (cluster.findWorkload(key) === undefined) this.#forgetAt.set(key, clock.now() + REMEMBER_GONE_MS);
    }
    for (const workload of cluster.workloads()) this.#note(workloadKey(workload), workload);
    this.#stops.push(
      usage.onSample((workload, container, pod, sample) => this.#observe(workload, container, pod, sample)),
      usage.onOomKill((kill) => {
        const { workload, container, at, memoryLimitBytes } = kill;
        if (!this.#isLearntFrom(workload)) return;
        const last = kill.workingSetBytes ?? workingSetOf(usage.containersOf(kill.namespace, kill.pod).get(container), kill);
        for (const name of this.#namesOf(workload, container, kill.pod)) recommender.observeOom(workload, name, at, memoryLimitBytes, last);
      }),
      cluster.subscribe((change) => {
        if (change.kind === 'workload') this.#noteWorkload(change.key);
      }),
    );
    this.#sweepHourly();
  }

  stop(): void {
    this.#cancelSweep();
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Takes in up to `windowMs` of the past, for decisions and for graphs. A source that fails costs the past and nothing else. */
  async backfill(source: UsageHistorySource, windowMs: DurationMs, signal: AbortSignal): Promise<void> {
    const { logger } = this.#dependencies;
    try {
      logger.info('Read past usage', { source: source.name, ...(await this.readPast(source, windowMs, signal)) });
    } catch (err) {
      if (signal.aborted) return;
      logger.warn('Reading past usage failed; beginning without it', { source: source.name, err });
    }
  }

  /**
   * The same, of some namespaces or (left out) of all, as often as it is asked for: what came live meanwhile stands, or is
   * part of a past that reaches further back. Throws where the source fails; nothing of it is taken in then.
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
    // Replicas of a workload are joined in time, so that all of it has to be at hand before any is taken in.
    const series: UsageSeries[] = [];
    for await (const each of source.range(range, signal)) {
      if (each.workload !== null && this.#isLearntFrom(workloadKey(each.workload))) series.push(each);
    }
    const { taken, dropped } = await recommender.backfill(series);
    await recommender.backfill(this.#byClass(series));
    for (const each of series) usage.graphs.load(each, to);
    return { series: series.length, samples: taken, dropped };
  }

  /**
   * Pods without a workload that can be right-sized (bare ones, those of a pipeline's own kind) come by the thousand, and nobody
   * tells when what was learnt of them is of no use any more. Runs of Jobs that are gone teach those to come.
   */
  #isLearntFrom(workload: WorkloadKey): boolean {
    return this.#dependencies.cluster.findWorkload(workload) !== undefined || jobFamily(workload) !== workload;
  }

  #observe(workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample): void {
    const { recommender } = this.#dependencies;
    if (!this.#isLearntFrom(workload)) return;
    const withoutStart = withoutStartUp(pod, container, sample);
    if (withoutStart === null) return;
    const startedAt = pod.containers.find((each) => each.name === container)?.startedAt ?? null;
    const counted = { ...withoutStart, startedAt };
    recommender.observe(workload, container, pod.name, counted);
    if (!isKeyByNodeClass(workload)) return;
    const classed = this.#classedName(container, pod);
    if (classed !== null) recommender.observe(workload, classed, pod.name, counted);
  }

  /** Under which a container's usage is learnt: its own, and where pods differ by node the class of the pod's node besides. */
  #namesOf(workload: WorkloadKey, container: string, pod: string): readonly string[] {
    if (!isKeyByNodeClass(workload)) return [container];
    const classed = this.#classedName(container, this.#dependencies.cluster.findPod(parseWorkloadKey(workload).namespace, pod));
    return classed === null ? [container] : [container, classed];
  }

  /** null where the class of the pod's node is not known. */
  #classedName(container: string, pod: PodRecord | undefined): string | null {
    const node = pod?.node ?? null;
    const name = node === null ? null : classOfNode(this.#dependencies.cluster.findNode(node));
    return name === null ? null : classedName(container, name);
  }

  /** What is to be learnt by class besides: of pods that are gone nobody knows the node. */
  #byClass(series: readonly UsageSeries[]): readonly UsageSeries[] {
    return series.flatMap((each) => {
      const names = each.workload === null ? [] : this.#namesOf(workloadKey(each.workload), each.container, each.pod);
      return names.filter((name) => name !== each.container).map((container) => ({ ...each, container }));
    });
  }

  #noteWorkload(key: WorkloadKey): void {
    const { cluster, clock, recommender } = this.#dependencies;
    const workload = cluster.findWorkload(key);
    if (workload === undefined) {
      this.#noteGone(key, clock.now());
      return;
    }
    this.#forgetAt.delete(key);
    const before = this.#known.get(key);
    this.#note(key, workload);
    if (before !== undefined && before.images !== imagesOf(workload)) recommender.noteChange(key, clock.now());
  }

  #note(key: WorkloadKey, workload: WorkloadRecord): void {
    // One run of many: what is learnt is its family's, which goes by its age.
    if (jobFamily(key) === key) this.#known.set(key, { images: imagesOf(workload), createdAt: workload.createdAt });
  }

  #noteGone(key: WorkloadKey, now: Instant): void {
    const lived = now - (this.#known.get(key)?.createdAt ?? Number.NEGATIVE_INFINITY);
    if (jobFamily(key) !== key) return;
    this.#forgetAt.set(key, now + Math.max(REMEMBER_AT_LEAST_MS, Math.min(lived, REMEMBER_GONE_MS)));
  }

  #sweepHourly(): void {
    const { clock } = this.#dependencies;
    this.#cancelSweep = clock.schedule(clock.now() + HOUR_MS, () => {
      void this.#forgetGone(clock.now());
      this.#sweepHourly();
    });
  }

  async #forgetGone(now: Instant): Promise<void> {
    const { recommender, logger, onForgotten } = this.#dependencies;
    for (const [key, forgetAt] of this.#forgetAt) {
      if (now < forgetAt) continue;
      try {
        onForgotten(await recommender.forget(key));
        this.#forgetAt.delete(key);
        this.#known.delete(key);
      } catch (err) {
        logger.warn('Forgetting a workload that is gone failed; it is tried again in an hour', { object: key, err });
      }
    }
  }
}

/** The last working set of the run that was killed; null: the run was not measured, or not lately. */
function workingSetOf(sample: UsageSample | undefined, { at, startedAt }: Pick<OomKill, 'at' | 'startedAt'>): Bytes | null {
  if (sample === undefined) return null;
  const measuredAt = nodeTimeOf(sample);
  if (measuredAt > at || measuredAt < (startedAt ?? Number.NEGATIVE_INFINITY)) return null;
  return at - measuredAt > LAST_WORKING_SET_MS ? null : (sample.memoryPeakBytes ?? sample.memoryBytes);
}

function imagesOf(workload: Pick<WorkloadRecord, 'containers'>): string {
  return workload.containers.map(({ name, image }) => `${name}=${image}`).join(' ');
}
