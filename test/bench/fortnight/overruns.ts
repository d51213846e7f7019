import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';

/** Measures how often running containers use more than their request in force, which is capacity that the node does not reserve. */
export class Overruns {
  #samples = 0;
  #cpu = 0;
  #memory = 0;

  /** Samples every container with usage. */
  add(cluster: EmbeddedCluster): void {
    const pods = new Map((cluster.server.accessAs('ledger').list('pods') as Pod[]).map((pod) => [keyOf(pod.metadata), pod]));
    for (const { namespace, name, containers } of cluster.nodes.metrics.podMetrics()) {
      const pod = pods.get(keyOf({ namespace, name }));
      if (pod === undefined) continue;
      for (const container of containers) this.#addContainer(pod, container.name, container.usage);
    }
  }

  ratios(): { readonly cpuOverrunRatio: number; readonly memoryOverrunRatio: number } {
    const ratio = (count: number): number => Math.round((count / Math.max(1, this.#samples)) * 1e4) / 1e4;
    return { cpuOverrunRatio: ratio(this.#cpu), memoryOverrunRatio: ratio(this.#memory) };
  }

  #addContainer(pod: Pod, name: string, usage: { readonly cpuNanocores: number; readonly memoryBytes: number }): void {
    const status = pod.status.containerStatuses?.find((candidate) => candidate.name === name) as
      { readonly resources?: { readonly requests?: Readonly<Record<string, string>> } } | undefined;
    const requests = status?.resources?.requests ?? pod.spec.containers.find((candidate) => candidate.name === name)?.resources?.requests;
    const [cpu, memory] = [parseCpuMillicores(requests?.['cpu'] ?? '0'), parseMemoryBytes(requests?.['memory'] ?? '0')];
    if (!cpu.ok || !memory.ok) return;
    this.#samples += 1;
    if (usage.cpuNanocores / 1e6 > cpu.value) this.#cpu += 1;
    if (usage.memoryBytes > memory.value) this.#memory += 1;
  }
}

function keyOf({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
