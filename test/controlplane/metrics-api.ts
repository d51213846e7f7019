// metrics.k8s.io of a real control plane, through the aggregation layer: an APIService that leads to a server of the test on loopback. The
// test sets the usage of pods, and the cluster's HPA controller reads it.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RealCluster } from './real-cluster.ts';

interface ListedPod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
  readonly status: { readonly phase: string };
}

/** CPU usage of each container of a pod, in millicores. */
export type UsageOf = (pod: ListedPod, pods: readonly ListedPod[]) => number;

const GROUP = 'metrics.k8s.io';

/** Serves the usage of pods until it is stopped. */
export class MetricsApi {
  readonly #cluster: RealCluster;
  readonly #usageOf: UsageOf;
  readonly #server: Server;
  /** Number of requests for pods. */
  asked = 0;

  private constructor(cluster: RealCluster, usageOf: UsageOf) {
    this.#cluster = cluster;
    this.#usageOf = usageOf;
    const tls = { cert: readFileSync(cluster.layout.certificate('apiserver')), key: readFileSync(cluster.layout.key('apiserver')) };
    this.#server = createServer(tls, (request, response) => {
      void this.#answer(new URL(request.url ?? '/', 'https://localhost'))
        .then((body) => {
          response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
        })
        .catch((err: unknown) => response.writeHead(500).end(String(err)));
    });
  }

  static async start(cluster: RealCluster, usageOf: UsageOf): Promise<MetricsApi> {
    const api = new MetricsApi(cluster, usageOf);
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    const { port } = api.#server.address() as AddressInfo;
    // The aggregator connects to an ExternalName; it would refuse an endpoint on loopback.
    await cluster.api.expect({
      method: 'POST',
      path: '/api/v1/namespaces/kube-system/services',
      body: { metadata: { name: 'metrics-of-the-test' }, spec: { type: 'ExternalName', externalName: 'localhost' } },
    });
    await cluster.api.expect({
      method: 'POST',
      path: '/apis/apiregistration.k8s.io/v1/apiservices',
      body: {
        metadata: { name: `v1beta1.${GROUP}` },
        spec: {
          group: GROUP,
          version: 'v1beta1',
          groupPriorityMinimum: 100,
          versionPriority: 100,
          insecureSkipTLSVerify: true,
          service: { namespace: 'kube-system', name: 'metrics-of-the-test', port },
        },
      },
    });
    return api;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer({ pathname, searchParams }: URL): Promise<object | null> {
    const root = `/apis/${GROUP}/v1beta1`;
    if (pathname === root) {
      const resources = [{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] }];
      return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1beta1`, resources };
    }
    const namespace = new RegExp(`^${root}/namespaces/([^/]+)/pods$`).exec(pathname)?.[1];
    if (namespace === undefined) return null;
    this.asked += 1;
    const selector = encodeURIComponent(searchParams.get('labelSelector') ?? '');
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`;
    const { items } = await this.#cluster.api.expect<{ readonly items: readonly ListedPod[] }>({ path });
    const running = items.filter(({ status }) => status.phase === 'Running');
    return {
      kind: 'PodMetricsList',
      apiVersion: `${GROUP}/v1beta1`,
      metadata: {},
      items: running.map((pod) => ({
        metadata: { ...pod.metadata, creationTimestamp: new Date().toISOString() },
        timestamp: new Date().toISOString(),
        window: '15s',
        containers: pod.spec.containers.map(({ name }) => ({ name, usage: { cpu: `${this.#usageOf(pod, running)}m`, memory: '100Mi' } })),
      })),
    };
  }
}
