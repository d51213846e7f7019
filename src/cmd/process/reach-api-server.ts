// Connects to a real API server: kubeconfig or in-cluster credentials, transports and clock.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import { HttpTransport, type HttpTransportOptions } from '../../adapters/kubernetes/transport/http-transport.ts';
import { type ResolvedKubeConfig, resolveKubeConfig } from '../../adapters/kubernetes/transport/kube-config.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { NO_ACTIVITY } from '../../runtime/system-clock.ts';
import { evenkeelVersion } from '../version.ts';
import { type ClusterClock, type OpenClock, openSystemClock } from './cluster-clock.ts';
import type { ProcessEnvironment } from './process-environment.ts';
import type { ProcessDependencies } from './run-binary.ts';

/** Enough for two bulk operations of 500 objects with a read each; API Priority and Fairness protects the API server. */
const COMMANDS = { qps: 300, burst: 1200, maxSockets: 32 } as const;
/** 5,000 raises of one minute are sent within 30 s; reductions have a much lower budget. */
export const EFFECT_RATE = { qps: 300, burst: 600 } as const;
const EFFECT_SOCKETS = 32;
const DEFAULT_NAMESPACE = 'evenkeel-system';

export interface ReachOptions {
  /** Name of the binary in the API server's audit log. */
  readonly program: string;
  /** Path of a kubeconfig; empty for KUBECONFIG, else ~/.kube/config, else the pod's ServiceAccount. */
  readonly kubeconfig: string;
  /** Evenkeel's namespace; empty for the pod's, else evenkeel-system. */
  readonly namespace: string;
  /** Empty for the kubeconfig context, else kubernetes. */
  readonly clusterName: string;
}

export interface ReachedApiServer extends Required<Omit<ProcessEnvironment, 'watches' | 'pod'>>, Pick<ProcessEnvironment, 'pod'> {
  readonly connection: ResolvedKubeConfig;
  /** Whether the API server is an embedded cluster. */
  readonly isEmbedded: boolean;
  /** Opens another transport with different options, which is closed with the others. */
  open(options: Partial<HttpTransportOptions>): HttpTransport;
  close(): Promise<void>;
}

/**
 * Connects to the API server.
 * @throws where the kubeconfig is missing, its context is unknown or the API server does not respond; with the signal's reason where it
 *   aborts first
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
  // Identifies the process in the API server's audit log.
  const userAgent = `${program}/${evenkeelVersion()} (${identity.replaceAll(/[^\w.-]/g, '-')})`;
  const opened: HttpTransport[] = [];
  const open = (transportOptions: Partial<HttpTransportOptions>): HttpTransport => {
    const transport = new HttpTransport({ connection, timer, random, metrics, userAgent, ...transportOptions });
    opened.push(transport);
    return transport;
  };
  const transport = open({});
  const commandTransport = open(COMMANDS);
  const effectTransport = open({ maxSockets: EFFECT_SOCKETS, ...EFFECT_RATE });
  const leaseTransport = open({ maxSockets: 2 });
  const closeAll = (): void => {
    for (const openedTransport of opened) openedTransport.close();
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
    electionThread: { connection: connection.source, userAgent },
    apiServer: { url: connection.server, sendsCredentials: (await connection.headers())['authorization'] !== undefined },
    clock: time.clock,
    timer,
    activity: NO_ACTIVITY,
    random,
    namespace: namespace === '' ? namespaceOf(connection) : namespace,
    clusterName: clusterName === '' ? connection.context || 'kubernetes' : clusterName,
    identity,
    ...podOf(process.env),
    close: () => {
      time.stop();
      closeAll();
      return Promise.resolve();
    },
  };
}

/** Whether the process runs in a pod, where the kubelet sets the API server's address in the environment. */
export function isInPod(): boolean {
  return process.env['KUBERNETES_SERVICE_HOST'] !== undefined;
}

function podOf({ POD_NAME: name, POD_UID: uid }: NodeJS.ProcessEnv): Pick<ProcessEnvironment, 'pod'> {
  return name === undefined || uid === undefined ? {} : { pod: { name, uid } };
}

function namespaceOf(connection: ResolvedKubeConfig): string {
  // The namespace of a kubeconfig is the user's, not Evenkeel's; in a pod it is the pod's.
  return (isInPod() ? connection.namespace : null) ?? process.env['EVENKEEL_POD_NAMESPACE'] ?? DEFAULT_NAMESPACE;
}
