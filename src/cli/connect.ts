// The connection of a subcommand to the API server of a kubeconfig.

import { randomBytes } from 'node:crypto';
import { HttpTransport } from '../adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig, type ResolvedKubeConfig } from '../adapters/kubernetes/transport/kube-config.ts';
import type { ApiTransport } from '#kube/api-transport';
import { NO_METRICS } from '../runtime/metrics.ts';
import { SeededRandom } from '../runtime/random.ts';
import { SystemTimer } from '../runtime/system-clock.ts';

/** High, since a user waits for a short command; API Priority and Fairness limits it. */
const REQUESTS_PER_SECOND = 200;

/** Options by which every such subcommand chooses its cluster. */
export interface ClusterOptions {
  readonly kubeconfig: string | null;
  readonly context: string | null;
}

export interface ClusterConnection {
  readonly transport: ApiTransport;
  readonly timer: SystemTimer;
  readonly config: ResolvedKubeConfig;
  readonly close: () => void;
}

/** Resolves the kubeconfig and opens a transport. @throws ConfigurationError where there is no usable kubeconfig */
export async function connectToCluster({ kubeconfig, context }: ClusterOptions, userAgent: string): Promise<ClusterConnection> {
  const timer = new SystemTimer();
  const config = await resolveKubeConfig({
    timer,
    ...(kubeconfig === null ? {} : { path: kubeconfig }),
    ...(context === null ? {} : { context }),
  });
  const transport = new HttpTransport({
    connection: config,
    timer,
    random: new SeededRandom(randomBytes(4).readUInt32LE()),
    metrics: NO_METRICS,
    userAgent,
    qps: REQUESTS_PER_SECOND,
    burst: REQUESTS_PER_SECOND,
  });
  return { transport, timer, config, close: () => transport.close() };
}
