import { connectPrometheus } from '../../../adapters/prometheus/client/connection.ts';
import { CheckedQueries } from '../../../adapters/prometheus/client/checked-queries.ts';
import { ClusterCheck } from '../../../adapters/prometheus/cluster-check.ts';
import { PrometheusClient, type PrometheusQueries } from '../../../adapters/prometheus/client/prometheus-client.ts';
import { PrometheusCounters } from '../../../adapters/prometheus/prometheus-counters.ts';
import { PrometheusErrorRates } from '../../../adapters/prometheus/prometheus-error-rates.ts';
import { PrometheusHistorySource } from '../../../adapters/prometheus/prometheus-history-source.ts';
import { PastUsage } from '../../../controllers/usage/past-usage.ts';
import type { RecommenderFeed } from '../../../controllers/usage/recommender-feed.ts';
import { inferOwners } from '../../../core/model/infer-owner.ts';
import { DAY_MS, type DurationMs } from '#kube/units';
import { workloadKey, type WorkloadRef } from '#kube/records/workload';
import type { ClusterReader } from '../../../ports/cluster/cluster-reader.ts';
import type { ContainerCounterSource } from '#kube/kubelet/kubelet-pages';
import type { ErrorRates } from '../../../ports/usage/error-rates.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Settings } from '../../../runtime/options/settings-schema.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';

/** Range of past usage that is read at start: the longest default window of a policy. */
export const PAST_MS: DurationMs = 14 * DAY_MS;

/** Past usage, error rates and container counters from Prometheus, where one is configured. */
export class ControllerPrometheus {
  readonly errorRates: ErrorRates | null;
  /** Last scraped counters of containers; null where no Prometheus is configured. */
  readonly counters: ContainerCounterSource | null;
  readonly #client: PrometheusClient | null;
  readonly #check: ClusterCheck | null;
  /** Queries that run only while the cluster check passes. */
  readonly #queries: PrometheusQueries | null;
  readonly #logger: Logger;
  readonly #environment: Pick<ControllerEnvironment, 'timer'>;
  readonly #cluster: ClusterReader;
  /** Why its configuration cannot be used. */
  readonly #configProblem: string | null;
  #past: PastUsage | null = null;

  constructor(
    environment: Pick<ControllerEnvironment, 'clock' | 'timer' | 'random'>,
    settings: Settings,
    cluster: ClusterReader,
    logger: Logger,
  ) {
    this.#environment = environment;
    this.#cluster = cluster;
    this.#logger = logger;
    const url = settings['prometheus.url'];
    let configProblem: string | null = null;
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
        const onWarning = (warning: string): void => logger.warn('Prometheus returned a partial response', { warning });
        const connection = connectPrometheus(address, 'prometheus.url');
        client = new PrometheusClient({ connection, timer: environment.timer, random: environment.random, onWarning });
      }
    } catch (err) {
      // Prometheus is optional, so the start continues.
      configProblem = err instanceof Error ? err.message : String(err);
      logger.error('Configuration of Prometheus cannot be used; continuing without Prometheus', { err });
    }
    this.#configProblem = configProblem;
    this.#client = client;
    const check = client === null ? null : new ClusterCheck({ client, cluster, clock: environment.clock, pastMs: PAST_MS, logger });
    const queries = client === null || check === null ? null : new CheckedQueries(client, check);
    this.#check = check;
    this.#queries = queries;
    this.errorRates = queries === null ? null : new PrometheusErrorRates(queries, environment.timer, logger);
    this.counters = queries === null ? null : new PrometheusCounters(queries, (node) => cluster.podsOnNode(node), environment.clock);
  }

  /** Starts to read past usage in the background. */
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
      timer: this.#environment.timer,
      logger: this.#logger,
    });
    this.#past.start();
  }

  async stop(): Promise<void> {
    await this.#past?.stop();
    this.#client?.close();
  }

  /** Why Prometheus is not used or past usage is missing; null where there is no problem or no Prometheus. */
  problem(): string | null {
    return this.refusal() ?? this.#past?.problem() ?? null;
  }

  /** null where no Prometheus is configured. */
  status(): { readonly status: 'ok' | 'degraded'; readonly message: string } | null {
    const refusal = this.refusal();
    if (refusal !== null) return { status: 'degraded', message: refusal };
    if (this.#client === null) return null;
    return this.#past?.status() ?? { status: 'ok', message: 'not queried yet' };
  }

  /** Why Prometheus is not used; null where it is. */
  refusal(): string | null {
    return this.#configProblem ?? this.#check?.problem() ?? null;
  }
}

/** The workload of a pod; of a deleted pod, an existing workload that matches the pod's name. */
function ownerInCluster(cluster: ClusterReader, namespace: string, pod: string): WorkloadRef | null {
  const live = cluster.findPod(namespace, pod);
  const owner = live === undefined ? undefined : cluster.workloadOf(live);
  if (owner !== undefined) return owner;
  return inferOwners(namespace, pod).find((guess) => cluster.findWorkload(workloadKey(guess)) !== undefined) ?? null;
}
