import { SECOND_MS, type DurationMs } from '#kube/units';
import type { FeedStatus } from '../../ports/cluster-feed.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import { type ProbeChecks, startMetricsEndpoint, startProbes, startProbesAndMetrics } from '../../runtime/probes.ts';
import type { ApiServerHealth } from './api-server-health.ts';

/** The event loop looks at itself this often … */
const HEARTBEAT_MS: DurationMs = 1 * SECOND_MS;
/** … and is held for stuck when it has not come round for this long: only a restart helps then. */
const STUCK_MS: DurationMs = 30 * SECOND_MS;

export interface OperationalDependencies {
  readonly apiServer: ApiServerHealth;
  /** null until the informers are started. */
  readonly feed: () => FeedStatus | null;
  readonly metrics: PrometheusMetrics;
  readonly timer: MachineTimer;
}

export interface OperationalEndpoints {
  readonly metricsPort: number;
  readonly probePort: number;
  close(): Promise<void>;
}

/** Where probes and metrics are served: each at an address of its own, or both at one. */
export type EndpointAddresses = { readonly probes: string; readonly metrics: string } | { readonly both: string };

/** `/healthz`, `/readyz` and `/metrics`. */
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
        check: () => ({ ok: timer.nowMs() - beatAt < STUCK_MS, message: 'the event loop has not come round for 30 s' }),
      },
    ],
    // Not the store: reads go on without it, and health shows what is wrong with it.
    readyz: [
      { name: 'api-server', check: () => ({ ok: apiServer.reachable(), message: apiServer.status().message }) },
      { name: 'informers', check: () => ({ ok: feed()?.synced() ?? false, message: waitingFor(feed()) }) },
    ],
  };
  const listening = await listen(addresses, checks, dependencies);
  // Last, so that a port that is taken leaves no timer behind, which would keep the process alive.
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
