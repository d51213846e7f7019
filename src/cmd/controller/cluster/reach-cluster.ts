// Connects to a real cluster: its API server and the kubelets of its nodes.

import { ProxyKubeletFetcher } from '../../../adapters/kubelet/kubelet-fetcher.ts';
import { KubeletToken } from '../../../adapters/kubelet/kubelet-token.ts';
import { TextPages } from '../../../adapters/kubelet/pages/text-pages.ts';
import { ThreadPageReader } from '../../../adapters/kubelet/pages/thread-page-reader.ts';
import { isLoopbackHost } from '../../../runtime/loopback.ts';
import type { Settings } from '../../../runtime/options/settings-schema.ts';
import type { OpenClock } from '../../process/cluster-clock.ts';
import { isInPod, reachApiServer, type ReachedApiServer } from '../../process/reach-api-server.ts';
import type { ProcessDependencies } from '../../process/run-binary.ts';
import { kubeletAccess } from '../usage/kubelet-access.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';

export interface ReachedCluster extends ControllerEnvironment {
  close(): Promise<void>;
}

/**
 * Connects to the cluster of the settings.
 * @throws where the kubeconfig is missing, its context is unknown or the API server does not respond; with the signal's reason where it
 *   aborts first
 */
export async function reachCluster(
  settings: Settings,
  dependencies: ProcessDependencies,
  signal?: AbortSignal,
  openClock?: OpenClock,
): Promise<ReachedCluster> {
  const options = {
    program: 'evenkeel-controller',
    kubeconfig: settings['kubernetes.kubeconfig'],
    namespace: settings.namespace,
    clusterName: settings['cluster.name'],
  };
  const api = await reachApiServer(options, dependencies, signal, openClock);
  try {
    return await reachKubelets(api, settings, dependencies, signal);
  } catch (err) {
    await api.close();
    throw err;
  }
}

async function reachKubelets(
  api: ReachedApiServer,
  settings: Settings,
  { timer, logger, metrics }: ProcessDependencies,
  signal: AbortSignal | undefined,
): Promise<ReachedCluster> {
  const { connection, isEmbedded, transport, namespace } = api;
  const access = await kubeletAccess(
    {
      transport,
      connection,
      token: new KubeletToken({ transport, namespace, timer }),
      transportOf: (ofReader) => api.open({ connection: ofReader, maxSockets: 1 }),
      namespace,
      viaProxy: settings['kubelet.viaProxy'],
      inPod: isInPod(),
      logger,
    },
    signal,
  );
  const addresses = {
    // Nodes of the embedded cluster differ only in their ports.
    port: isEmbedded ? null : settings['kubelet.port'],
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
    ...api,
    kubelets: new TextPages(pages),
    kubeletAccess: access,
    pastUsage: null,
    close: async () => {
      await pages.stop();
      await api.close();
    },
  };
}
