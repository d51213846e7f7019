// The kubelet of a node that was taken over. It serves at the node's own address with a certificate of the cluster's, records the
// tokens that it receives, and reports what could harm others: pods of other nodes, containers that do not exist, times ahead of now.

import { readFileSync } from 'node:fs';
import https from 'node:https';
import { once } from 'node:events';
import { signServing } from '../../hack/real-cluster/certificates.ts';
import { GiB, HOUR_MS } from '#kube/units';
import type { RealCluster } from './real-cluster.ts';

/** Of each page: as many as are read at all. A page with more containers than its node's pods account for is refused whole. */
const INVENTED = 100;

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export class HostileKubelet {
  readonly #server: https.Server;
  readonly #victims: () => readonly PodName[];
  /** Tokens that it received. */
  readonly tokens = new Set<string>();
  /** Pages that it served, by path. */
  readonly served = new Map<string, number>();

  /** @param victims pods of other nodes that it reports */
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

  /** All CPU and memory of a large machine, at timestamps one hour ahead. */
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

  /** Throttled in every period, and killed again and again. */
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
