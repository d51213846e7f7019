import { connectPrometheus } from '../../adapters/prometheus/connection.ts';
import { CheckedQueries } from '../../adapters/prometheus/checked-queries.ts';
import { ClusterCheck } from '../../adapters/prometheus/cluster-check.ts';
import { PrometheusClient, type PrometheusQueries } from '../../adapters/prometheus/prometheus-client.ts';
import { PrometheusCounters } from '../../adapters/prometheus/prometheus-counters.ts';
import { PrometheusErrorRates } from '../../adapters/prometheus/prometheus-error-rates.ts';
import { PrometheusHistorySource } from '../../adapters/prometheus/prometheus-history-source.ts';
import { PastUsage } from '../../controllers/usage/past-usage.ts';
import type { RecommenderFeed } from '../../controllers/usage/recommender-feed.ts';
import { ownersByName } from '../../core/model/owner-by-name.ts';
import { DAY_MS, type DurationMs } from '#kube/units';
import { workloadKey, type WorkloadRef } from '#kube/records/workload';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { ContainerCounterSource } from '#kube/kubelet/kubelet-pages';
import type { ErrorRates } from '../../ports/error-rates.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ControllerEnvironment } from './world.ts';

/** How much of the past is asked for at a start, where a source knows it: the longest window of a policy's default. */
export const PAST_MS: DurationMs = 14 * DAY_MS;

/** What Prometheus gives the controller, where there is one: the past, error rates, and the counters of containers. */
export class ControllerPrometheus {
  readonly errorRates: ErrorRates | null;
  /** Counters of containers as last scraped. */
  readonly counters: ContainerCounterSource | null;
  readonly #client: PrometheusClient | null;
  readonly #check: ClusterCheck | null;
  /** All that is asked for goes through the check. */
  readonly #queries: PrometheusQueries | null;
  readonly #logger: Logger;
  readonly #world: Pick<ControllerEnvironment, 'timer'>;
  readonly #cluster: ClusterReader;
  /** Why it cannot be used as it is set. */
  readonly #wrong: string | null;
  #past: PastUsage | null = null;

  constructor(
    world: Pick<ControllerEnvironment, 'clock' | 'timer' | 'random'>,
    settings: Settings,
    cluster: ClusterReader,
    logger: Logger,
  ) {
    this.#world = world;
    this.#cluster = cluster;
    this.#logger = logger;
    const url = settings['prometheus.url'];
    let wrong: string | null = null;
    let client: PrometheusClient | null = null;
    try {
      if (url !== '') {
        const address = {
          url,
          tokenFile: settings['prometheus.tokenFile'],
          caFile: settings['prometheus.caFile'],
          headers: settings['prometheus.headers'],
          tenant: settings['prometheus.tenant'],
          matchers: settings['prometheus.matchers'],
        };
        const onWarning = (warning: string): void => logger.warn('Prometheus answered in part', { warning });
        const connection = connectPrometheus(address, 'prometheus.url');
        client = new PrometheusClient({ connection, timer: world.timer, random: world.random, onWarning });
      }
    } catch (err) {
      // A past is good to have; nothing else waits for it.
      wrong = err instanceof Error ? err.message : String(err);
      logger.error('Prometheus cannot be used as it is set; going on without it', { err });
    }
    this.#wrong = wrong;
    this.#client = client;
    const check = client === null ? null : new ClusterCheck({ client, cluster, clock: world.clock, pastMs: PAST_MS, logger });
    const queries = client === null || check === null ? null : new CheckedQueries(client, check);
    this.#check = check;
    this.#queries = queries;
    this.errorRates = queries === null ? null : new PrometheusErrorRates(queries, world.timer, logger);
    this.counters = queries === null ? null : new PrometheusCounters(queries, (node) => cluster.podsOnNode(node), world.clock);
  }

  /** Begins to read the past, behind everything else. */
  startPast(feed: Pick<RecommenderFeed, 'readPast'>): void {
    const client = this.#queries;
    const cluster = this.#cluster;
    if (client === null) return;
    const ownerOf = (namespace: string, pod: string): WorkloadRef | null => ownerInCluster(cluster, namespace, pod);
    const source = new PrometheusHistorySource({ client, ownerOf, withKills: true });
    this.#past = new PastUsage({
      source: `Prometheus at ${client.shown}`,
      read: (namespace, signal) => feed.readPast(source, PAST_MS, signal, [namespace]),
      namespaces: () => new Set([...cluster.workloads()].map((workload) => workload.namespace)),
      timer: this.#world.timer,
      logger: this.#logger,
    });
    this.#past.start();
  }

  async stop(): Promise<void> {
    await this.#past?.stop();
    this.#client?.close();
  }

  /** Why it is not used, or the past is missing; null where neither is so, or none is to be had. */
  problem(): string | null {
    return this.refusal() ?? this.#past?.problem() ?? null;
  }

  /** Null where there is none. */
  status(): { readonly status: 'ok' | 'degraded'; readonly message: string } | null {
    const refusal = this.refusal();
    if (refusal !== null) return { status: 'degraded', message: refusal };
    if (this.#client === null) return null;
    return this.#past?.status() ?? { status: 'ok', message: 'not asked yet' };
  }

  /** Why nothing of it is used now. */
  refusal(): string | null {
    return this.#wrong ?? this.#check?.problem() ?? null;
  }
}

/** Whose a pod is, as the cluster knows it; of one that is gone, as its name says, where such a workload is there. */
function ownerInCluster(cluster: ClusterReader, namespace: string, pod: string): WorkloadRef | null {
  const live = cluster.findPod(namespace, pod);
  const owner = live === undefined ? undefined : cluster.workloadOf(live);
  if (owner !== undefined) return owner;
  return ownersByName(namespace, pod).find((guess) => cluster.findWorkload(workloadKey(guess)) !== undefined) ?? null;
}
