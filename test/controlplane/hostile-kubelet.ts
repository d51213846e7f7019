// Kubelet of a compromised node. It serves at the node's address with a certificate of the cluster's authority, records the tokens that it
// receives, and reports false data: usage of pods of other nodes, containers that do not exist, timestamps in the future.

import { readFileSync } from 'node:fs';
import https from 'node:https';
import { once } from 'node:events';
import { signServing } from '../../hack/real-cluster/certificates.ts';
import { GiB, HOUR_MS } from '#kube/units';
import type { RealCluster } from './real-cluster.ts';

/** Invented containers per page: as many as are read. A page with more containers than the pods of its node is refused as a whole. */
const INVENTED = 100;

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** Serves the pages of a compromised node, and records its requests. */
export class HostileKubelet {
  readonly #server: https.Server;
  readonly #victims: () => readonly PodName[];
  /** Tokens that it received. */
  readonly tokens = new Set<string>();
  /** Number of served pages, by path. */
  readonly served = new Map<string, number>();

  /** @param victims pods of other nodes whose usage it reports */
  static async start(cluster: RealCluster, node: string, address: string, victims: () => readonly PodName[]): Promise<HostileKubelet> {
    const { layout, ports } = cluster;
    const authority = { certificate: readFileSync(layout.certificate('ca'), 'utf8'), key: readFileSync(layout.key('ca'), 'utf8') };
    const { key, certificate } = await signServing(authority, `system:node:${node}`, [node], [address]);
    const server = https.createServer({ key, cert: certificate });
    server.listen(ports.kubelet, address);
    await once(server, 'listening');
    return new HostileKubelet(server, victims);
  }

  private constructor(server: https.Server, victims: () => readonly PodName[]) {
    this.#server = server;
    this.#victims = victims;
    server.on('request', ({ url = '', headers }, response) => {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
      if (token !== undefined) this.tokens.add(token);
      this.served.set(url, (this.served.get(url) ?? 0) + 1);
      response.end(this.#page(url));
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #page(path: string): string {
    if (path === '/metrics/resource') return this.#metrics();
    if (path === '/metrics/cadvisor') return this.#counters();
    return path === '/stats/summary' ? JSON.stringify(this.#summary()) : '';
  }

  /** Reports all CPU and memory of a large machine, with timestamps one hour in the future. */
  #metrics(): string {
    const ahead = Date.now() + HOUR_MS;
    const seconds = Date.now() / 100;
    const lines = this.#claimed().flatMap(({ namespace, name, container }) => {
      const labels = `container="${container}",namespace="${namespace}",pod="${name}"`;
      return [
        `container_cpu_usage_seconds_total{${labels}} ${seconds} ${ahead}`,
        `container_memory_working_set_bytes{${labels}} ${64 * GiB} ${ahead}`,
      ];
    });
    return `${lines.join('\n')}\n`;
  }

  /** Reports throttling in every period and repeated OOM kills. */
  #counters(): string {
    const periods = Math.floor(Date.now() / 100);
    const lines = this.#claimed().flatMap(({ namespace, name, container }) => {
      const labels = `container="${container}",namespace="${namespace}",pod="${name}"`;
      return [
        `container_cpu_cfs_periods_total{${labels}} ${periods}`,
        `container_cpu_cfs_throttled_periods_total{${labels}} ${periods}`,
        `container_oom_events_total{${labels}} ${periods}`,
      ];
    });
    return `${lines.join('\n')}\n`;
  }

  #summary(): object {
    const data = { total: 1e12, avg10: 100, avg60: 100, avg300: 100 };
    const psi = { full: data, some: data };
    const volume = Array.from({ length: INVENTED }, (_, at) => ({
      name: `v${at}`,
      pvcRef: { name: `c${at}` },
      usedBytes: 9e15,
      capacityBytes: 1,
    }));
    return {
      node: { nodeName: 'x', cpu: { psi } },
      pods: this.#victims().map(({ namespace, name }) => ({
        podRef: { namespace, name, uid: 'x' },
        containers: [{ name: 'app', cpu: { psi }, memory: { psi, rssBytes: 64 * GiB } }],
        volume,
        network: { rxBytes: 9e15 },
      })),
    };
  }

  #claimed(): readonly (PodName & { readonly container: string })[] {
    const victims = this.#victims().map((pod) => ({ ...pod, container: 'app' }));
    const invented = Array.from({ length: INVENTED }, (_, at) => ({ namespace: 'honest', name: `no-pod-${at}`, container: 'app' }));
    return [...victims, ...invented];
  }
}
