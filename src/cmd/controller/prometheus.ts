import { connectPrometheus } from '../../adapters/prometheus/connection.ts';
import { PrometheusClient } from '../../adapters/prometheus/prometheus-client.ts';
import { PrometheusCounters } from '../../adapters/prometheus/prometheus-counters.ts';
import { PrometheusErrorRates } from '../../adapters/prometheus/prometheus-error-rates.ts';
import { PrometheusHistorySource } from '../../adapters/prometheus/prometheus-history-source.ts';
import { PastUsage } from '../../controllers/usage/past-usage.ts';
import type { RecommenderFeed } from '../../controllers/usage/recommender-feed.ts';
import { ownersByName } from '../../core/model/owner-by-name.ts';
import type { DurationMs } from '../../core/model/units.ts';
import { workloadKey, type WorkloadRef } from '../../core/model/workload.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { ContainerCounterSource } from '../../ports/kubelet-pages.ts';
import type { ErrorRates } from '../../ports/error-rates.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ControllerWorld } from './world.ts';

/** What Prometheus gives the controller, where there is one: the past, error rates, and the counters of containers. */
export class ControllerPrometheus {
  readonly errorRates: ErrorRates | null;
  readonly #client: PrometheusClient | null;
  readonly #logger: Logger;
  readonly #world: Pick<ControllerWorld, 'timer'>;
  /** Why it cannot be used as it is set. */
  readonly #wrong: string | null;
  #past: PastUsage | null = null;

  constructor(world: Pick<ControllerWorld, 'timer' | 'random'>, settings: Settings, logger: Logger) {
    this.#world = world;
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
    this.errorRates = client === null ? null : new PrometheusErrorRates(client, world.timer, logger);
  }

  /** Counters of containers as last scraped; null where there is no Prometheus. */
  counters(cluster: Pick<ClusterReader, 'podsOnNode'>, clock: Clock): ContainerCounterSource | null {
    return this.#client === null ? null : new PrometheusCounters(this.#client, (node) => cluster.podsOnNode(node), clock);
  }

  /** Begins to read the past, behind everything else. */
  startPast(feed: RecommenderFeed, cluster: ClusterReader, windowMs: DurationMs): void {
    const client = this.#client;
    if (client === null) return;
    const ownerOf = (namespace: string, pod: string): WorkloadRef | null => ownerInCluster(cluster, namespace, pod);
    const source = new PrometheusHistorySource({ client, ownerOf, withKills: true });
    this.#past = new PastUsage({
      source: `Prometheus at ${client.shown}`,
      read: (namespace, signal) => feed.readPast(source, windowMs, signal, [namespace]),
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

  /** Why the past is missing; null where it is not, or none is to be had. */
  problem(): string | null {
    return this.#wrong ?? this.#past?.problem() ?? null;
  }

  /** Null where there is none. */
  status(): { readonly status: 'ok' | 'degraded'; readonly message: string } | null {
    if (this.#wrong !== null) return { status: 'degraded', message: this.#wrong };
    if (this.#client === null) return null;
    return this.#past?.status() ?? { status: 'ok', message: 'not asked yet' };
  }
}

/** Whose a pod is, as the cluster knows it; of one that is gone, as its name says, where such a workload is there. */
function ownerInCluster(cluster: ClusterReader, namespace: string, pod: string): WorkloadRef | null {
  const live = cluster.findPod(namespace, pod);
  const owner = live === undefined ? undefined : cluster.workloadOf(live);
  if (owner !== undefined) return owner;
  return ownersByName(namespace, pod).find((guess) => cluster.findWorkload(workloadKey(guess)) !== undefined) ?? null;
}
