// The way to a real cluster: kubeconfig or in-cluster credentials, transports, kubelets, and whose time counts.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { HttpTransport } from '../../adapters/kubernetes/http-transport.ts';
import { type ResolvedKubeConfig, resolveKubeConfig } from '../../adapters/kubernetes/kube-config.ts';
import { ProxyKubeletFetcher } from '../../adapters/kubelet/kubelet-fetcher.ts';
import { KubeletToken } from '../../adapters/kubelet/kubelet-token.ts';
import { TextPages } from '../../adapters/kubelet/text-pages.ts';
import { ThreadPageReader } from '../../adapters/kubelet/thread-page-reader.ts';
import { SECOND_MS, type DurationMs } from '../../core/model/units.ts';
import type { ApiTransport } from '../../ports/api-transport.ts';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import { isLoopbackHost } from '../../runtime/loopback.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { NO_ACTIVITY, SystemClock } from '../../runtime/system-clock.ts';
import { type ClockReading, ScaledClock } from '../../simulator/clock/scaled-clock.ts';
import { evenkeelVersion } from '../version.ts';
import { kubeletAccess } from './kubelet-access.ts';
import type { ControllerWorld } from './world.ts';

/** A bulk of 500, each looked at once more, and another at its heels; the API server's own fairness is behind it. */
const COMMANDS = { qps: 300, burst: 1200, maxSockets: 32 } as const;
/** 5,000 raises of one minute are in force within 30 s; reductions have a budget of their own, far below. */
export const EFFECT_RATE = { qps: 300, burst: 600 } as const;
const EFFECT_SOCKETS = 32;
const DEFAULT_NAMESPACE = 'evenkeel-system';
/** How often a virtual clock is read again: clocks of two processes drift apart by little in this time. */
const FOLLOW_EVERY_MS: DurationMs = 5 * SECOND_MS;

export interface ReachedCluster extends ControllerWorld {
  close(): Promise<void>;
}

export interface ReachParts {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Throws with what is missing: no kubeconfig, a wrong context, an API server that does not answer; with the signal's
 * reason when it aborts first.
 */
export async function reachCluster(
  settings: Settings,
  { timer, logger, metrics }: ReachParts,
  signal?: AbortSignal,
): Promise<ReachedCluster> {
  const path = settings['kubernetes.kubeconfig'];
  const connection = await resolveKubeConfig({ ...(path === '' ? {} : { path }), timer });
  const random = new SeededRandom(randomBytes(4).readUInt32LE());
  const identity = `${process.env['POD_NAME'] ?? process.env['EVENKEEL_POD_NAME'] ?? hostname()}_${randomBytes(4).toString('hex')}`;
  // The audit log of the API server tells by it which replica wrote, and in which of its lives.
  const userAgent = `evenkeel-controller/${evenkeelVersion()} (${identity.replaceAll(/[^\w.-]/g, '-')})`;
  const transport = new HttpTransport({ connection, timer, random, metrics, userAgent });
  const commandTransport = new HttpTransport({ connection, timer, random, metrics, userAgent, ...COMMANDS });
  const effectTransport = new HttpTransport({ connection, timer, random, metrics, userAgent, maxSockets: EFFECT_SOCKETS, ...EFFECT_RATE });
  const leaseTransport = new HttpTransport({
    connection,
    timer,
    random,
    metrics,
    userAgent,
    maxSockets: 2,
  });
  const following = await clockOf(transport, timer, logger, signal);
  const namespace = namespaceOf(settings, connection);
  const own: HttpTransport[] = [];
  const access = await kubeletAccess(
    {
      transport,
      connection,
      token: new KubeletToken({ transport, namespace, timer }),
      transportOf: (ofReader) => {
        const asReader = new HttpTransport({ connection: ofReader, timer, random, metrics, userAgent, maxSockets: 1 });
        own.push(asReader);
        return asReader;
      },
      namespace,
      viaProxy: settings['kubelet.viaProxy'],
      inPod: inPod(),
      logger,
    },
    signal,
  );
  const addresses = {
    // Nodes of the embedded cluster differ by their ports alone.
    port: following.isEmbedded ? null : settings['kubelet.port'],
    loopback: isLoopbackHost(new URL(connection.server).hostname),
  };
  const { server, tls } = access.connection;
  const pages = new ThreadPageReader(
    settings['kubelet.viaProxy']
      ? { fetcher: new ProxyKubeletFetcher(transport) }
      : { reach: { server, tls, addresses }, headers: (ask) => access.connection.headers(ask) },
    { timer, logger, metrics },
  );
  return {
    transport,
    commandTransport,
    effectTransport,
    leaseTransport,
    apiServer: { url: connection.server, sendsCredentials: (await connection.headers())['authorization'] !== undefined },
    kubelets: new TextPages(pages),
    kubeletAccess: access,
    pastUsage: null,
    clock: following.clock,
    timer,
    activity: NO_ACTIVITY,
    random,
    namespace,
    clusterName: settings['cluster.name'] === '' ? connection.context || 'kubernetes' : settings['cluster.name'],
    identity,
    close: async () => {
      following.stop();
      await pages.stop();
      for (const each of own) each.close();
      transport.close();
      commandTransport.close();
      effectTransport.close();
      leaseTransport.close();
    },
  };
}

function namespaceOf(settings: Settings, connection: ResolvedKubeConfig): string {
  if (settings.namespace !== '') return settings.namespace;
  // A kubeconfig's namespace is where a person works, not where Evenkeel lives; in a pod it is the pod's own.
  return (inPod() ? connection.namespace : null) ?? process.env['EVENKEEL_POD_NAMESPACE'] ?? DEFAULT_NAMESPACE;
}

function inPod(): boolean {
  return process.env['KUBERNETES_SERVICE_HOST'] !== undefined;
}

interface FollowedClock {
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  stop(): void;
}

/** The embedded cluster tells its own time, which may run faster than ours; a real cluster has the world's. */
async function clockOf(
  transport: ApiTransport,
  timer: MachineTimer,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<FollowedClock> {
  const version = await transport.request({ method: 'GET', path: '/version', ...(signal === undefined ? {} : { signal }) });
  const { gitVersion } = (version.body ?? {}) as { gitVersion?: unknown };
  if (typeof gitVersion !== 'string' || !gitVersion.endsWith('+evenkeel')) {
    return { clock: new SystemClock(), isEmbedded: false, stop: () => undefined };
  }
  const first = await readClock(transport);
  const clock = new ScaledClock(timer, first);
  logger.info('Following the virtual clock of an embedded cluster', { speed: first.speed, now: new Date(first.now).toISOString() });
  let stopped = false;
  let cancel: () => void = () => undefined;
  const follow = (): void => {
    readClock(transport)
      .then((reading) => clock.follow(reading))
      .catch((err: unknown) => logger.warn('Reading the virtual clock failed; going on at the speed known', { err }))
      .finally(() => {
        if (!stopped) cancel = timer.setTimer(FOLLOW_EVERY_MS, follow);
      });
  };
  cancel = timer.setTimer(FOLLOW_EVERY_MS, follow);
  return {
    clock,
    isEmbedded: true,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

async function readClock(transport: ApiTransport): Promise<ClockReading> {
  const { status, body } = await transport.request({ method: 'GET', path: '/evenkeel/clock' });
  const reading = body as Partial<ClockReading> | null;
  if (status !== 200 || typeof reading?.now !== 'number' || reading.speed === undefined)
    throw new Error(`/evenkeel/clock answered HTTP ${status}`);
  return { now: reading.now, speed: reading.speed };
}
