// The way to a real API server: kubeconfig or in-cluster credentials, transports, and whose time counts.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import { HttpTransport, type HttpTransportOptions } from '../../adapters/kubernetes/http-transport.ts';
import { type ResolvedKubeConfig, resolveKubeConfig } from '../../adapters/kubernetes/kube-config.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { NO_ACTIVITY } from '../../runtime/system-clock.ts';
import { evenkeelVersion } from '../version.ts';
import { type ClusterClock, type OpenClock, openSystemClock } from './cluster-clock.ts';
import type { ProcessEnvironment } from './process-world.ts';
import type { ProcessDependencies } from './run-binary.ts';

/** A bulk of 500, each looked at once more, and another at its heels; the API server's own fairness is behind it. */
const COMMANDS = { qps: 300, burst: 1200, maxSockets: 32 } as const;
/** 5,000 raises of one minute are in force within 30 s; reductions have a budget of their own, far below. */
export const EFFECT_RATE = { qps: 300, burst: 600 } as const;
const EFFECT_SOCKETS = 32;
const DEFAULT_NAMESPACE = 'evenkeel-system';

export interface ReachOptions {
  /** Of the binary, as the audit log of the API server shows it. */
  readonly program: string;
  /** Path of a kubeconfig. Empty: KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the pod. */
  readonly kubeconfig: string;
  /** Evenkeel's own. Empty: the pod's, else evenkeel-system. */
  readonly namespace: string;
  /** Empty: the kubeconfig context, else kubernetes. */
  readonly clusterName: string;
}

export interface ReachedApiServer extends Required<Omit<ProcessEnvironment, 'watches'>> {
  readonly connection: ResolvedKubeConfig;
  /** The API server is that of an embedded cluster. */
  readonly isEmbedded: boolean;
  /** Another transport, with what differs from `transport`; closed with the rest. */
  open(options: Partial<HttpTransportOptions>): HttpTransport;
  close(): Promise<void>;
}

/**
 * Throws with what is missing: no kubeconfig, a wrong context, an API server that does not answer; with the signal's
 * reason when it aborts first.
 */
export async function reachApiServer(
  options: ReachOptions,
  { timer, logger, metrics }: ProcessDependencies,
  signal?: AbortSignal,
  openClock: OpenClock = openSystemClock,
): Promise<ReachedApiServer> {
  const { program, kubeconfig, namespace, clusterName } = options;
  const connection = await resolveKubeConfig({ ...(kubeconfig === '' ? {} : { path: kubeconfig }), timer });
  const random = new SeededRandom(randomBytes(4).readUInt32LE());
  const identity = `${process.env['POD_NAME'] ?? process.env['EVENKEEL_POD_NAME'] ?? hostname()}_${randomBytes(4).toString('hex')}`;
  // The audit log of the API server shows by it which replica wrote, and in which of its lives.
  const userAgent = `${program}/${evenkeelVersion()} (${identity.replaceAll(/[^\w.-]/g, '-')})`;
  const opened: HttpTransport[] = [];
  const open = (of: Partial<HttpTransportOptions>): HttpTransport => {
    const transport = new HttpTransport({ connection, timer, random, metrics, userAgent, ...of });
    opened.push(transport);
    return transport;
  };
  const transport = open({});
  const commandTransport = open(COMMANDS);
  const effectTransport = open({ maxSockets: EFFECT_SOCKETS, ...EFFECT_RATE });
  const leaseTransport = open({ maxSockets: 2 });
  const closeAll = (): void => {
    for (const each of opened) each.close();
  };
  const time: ClusterClock = await openClock(transport, { timer, logger }, signal).catch((err: unknown) => {
    closeAll();
    throw err;
  });
  return {
    connection,
    isEmbedded: time.isEmbedded,
    open,
    transport,
    commandTransport,
    effectTransport,
    leaseTransport,
    apiServer: { url: connection.server, sendsCredentials: (await connection.headers())['authorization'] !== undefined },
    clock: time.clock,
    timer,
    activity: NO_ACTIVITY,
    random,
    namespace: namespace === '' ? namespaceOf(connection) : namespace,
    clusterName: clusterName === '' ? connection.context || 'kubernetes' : clusterName,
    identity,
    close: () => {
      time.stop();
      closeAll();
      return Promise.resolve();
    },
  };
}

/** The kubelet sets the API server's address in the environment of every pod. */
export function isInPod(): boolean {
  return process.env['KUBERNETES_SERVICE_HOST'] !== undefined;
}

function namespaceOf(connection: ResolvedKubeConfig): string {
  // A kubeconfig's namespace is where a person works, not where Evenkeel lives; in a pod it is the pod's own.
  return (isInPod() ? connection.namespace : null) ?? process.env['EVENKEEL_POD_NAMESPACE'] ?? DEFAULT_NAMESPACE;
}
