import { SECOND_MS, type DurationMs } from '#kube/units';
import type { FeedStatus } from '../../ports/cluster/cluster-feed.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import { type ProbeChecks, startMetricsEndpoint, startProbes, startProbesAndMetrics } from '../../runtime/probes.ts';
import type { ApiServerHealth } from './api-server-health.ts';

/** Interval of the event loop's heartbeat. */
const HEARTBEAT_MS: DurationMs = 1 * SECOND_MS;
/** The event loop counts as stuck after this long without a heartbeat: only a restart helps. */
const STUCK_MS: DurationMs = 30 * SECOND_MS;

export interface OperationalDependencies {
  readonly apiServer: ApiServerHealth;
  /** null before the informers were started. */
  readonly feed: () => FeedStatus | null;
  readonly metrics: PrometheusMetrics;
  readonly timer: MachineTimer;
}

export interface OperationalEndpoints {
  readonly metricsPort: number;
  readonly probePort: number;
  close(): Promise<void>;
}

/** Addresses of probes and metrics: separate ones, or one for both. */
export type EndpointAddresses = { readonly probes: string; readonly metrics: string } | { readonly both: string };

/** Serves `/healthz`, `/readyz` and `/metrics`. */
export async function startOperationalEndpoints(
  addresses: EndpointAddresses,
  dependencies: OperationalDependencies,
): Promise<OperationalEndpoints> {
  const { apiServer, feed, timer } = dependencies;
  let beatAt = timer.nowMs();
  let cancelBeat: () => void = () => undefined;
  const beat = (): void => {
    beatAt = timer.nowMs();
    cancelBeat = timer.setTimer(HEARTBEAT_MS, beat);
  };
  const checks = {
    healthz: [
      {
        name: 'event-loop',
        check: () => ({ ok: timer.nowMs() - beatAt < STUCK_MS, message: 'the event loop was blocked for 30 s' }),
      },
    ],
    // The store does not affect readiness: reads work without it, and health reports its problem.
    readyz: [
      { name: 'api-server', check: () => ({ ok: apiServer.isReachable(), message: apiServer.status().message }) },
      { name: 'informers', check: () => ({ ok: feed()?.isSynced() ?? false, message: waitingFor(feed()) }) },
    ],
  };
  const listening = await listen(addresses, checks, dependencies);
  // Last, because a timer that remains after a failed listen would keep the process alive.
  beat();
  return {
    ...listening,
    close: async () => {
      cancelBeat();
      await listening.close();
    },
  };
}

async function listen(
  addresses: EndpointAddresses,
  checks: ProbeChecks,
  { metrics, timer }: OperationalDependencies,
): Promise<OperationalEndpoints> {
  if ('both' in addresses) {
    const both = await startProbesAndMetrics(addresses.both, checks, metrics, timer);
    return { metricsPort: both.port, probePort: both.port, close: () => both.close() };
  }
  const probes = await startProbes(addresses.probes, checks, metrics);
  const endpoint = await startMetricsEndpoint(addresses.metrics, metrics, timer).catch(async (err: unknown) => {
    await probes.close();
    throw err;
  });
  return {
    metricsPort: endpoint.port,
    probePort: probes.port,
    close: async () => {
      await Promise.all([probes.close(), endpoint.close()]);
    },
  };
}

function waitingFor(feed: FeedStatus | null): string {
  if (feed === null) return 'not started yet';
  const waiting = feed.informers().filter(({ synced }) => !synced);
  return `not listed yet: ${waiting.map(({ name, problem }) => (problem === null ? name : `${name} (${problem})`)).join(', ')}`;
}
