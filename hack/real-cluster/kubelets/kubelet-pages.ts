// Pages of the kubelets. CPU and memory are kwok's simulated metrics, passed through. The volumes of /stats/summary, which kwok lacks, have
// the size of their claims and the usage of the claim's annotation. Pressure, and the CFS periods of /metrics/cadvisor, follow the pod's
// annotations from its start.

import { parseCpu, parseMemory } from './quantities.ts';
import type { ApiTransport } from '#kube/api-transport';

export interface KubeletPagesDependencies {
  readonly transport: ApiTransport;
  /** Address of kwok's server. */
  readonly kwok: string;
}

interface Page {
  readonly contentType: string;
  readonly text: string;
}

const USED_BYTES = 'evenkeel.dev/used-bytes';
/**
 * Pod annotations: the share of CFS periods in which its CPU-limited containers are throttled, and the share of time in which they wait for
 * CPU.
 */
const THROTTLED = 'evenkeel.dev/throttled-ratio';
const CPU_PRESSURE = 'evenkeel.dev/cpu-pressure-ratio';
/** `cpu.cfs_period_us` as kubelets set it: 100 ms. */
const CFS_PERIODS_PER_SECOND = 10;

export class KubeletPages {
  readonly #dependencies: KubeletPagesDependencies;

  constructor(dependencies: KubeletPagesDependencies) {
    this.#dependencies = dependencies;
  }

  /** A page; null when a kubelet does not have it, or this one does not support it. */
  async page(node: string, path: string): Promise<Page | null> {
    if (path === '/metrics/resource') return this.#resourceMetrics(node);
    if (path === '/metrics/cadvisor') return { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: await this.#cadvisor(node) };
    if (path === '/stats/summary') return { contentType: 'application/json', text: JSON.stringify(await this.#summary(node)) };
    if (path === '/healthz') return { contentType: 'text/plain', text: 'ok' };
    return null;
  }

  async #resourceMetrics(node: string): Promise<Page> {
    const answer = await fetch(`${this.#dependencies.kwok}/metrics/nodes/${encodeURIComponent(node)}/metrics/resource`);
    if (!answer.ok) throw new Error(`kwok's metrics of node ${node}: HTTP ${answer.status}`);
    return { contentType: answer.headers.get('content-type') ?? 'text/plain', text: await answer.text() };
  }

  async #cadvisor(node: string): Promise<string> {
    const running = (await this.#podsOn(node)).filter(({ status }) => status.startTime !== undefined);
    const [periods, throttled, kills]: [string[], string[], string[]] = [[], [], []];
    const now = Date.now();
    for (const pod of running) {
      const elapsed = Math.floor(((now - Date.parse(pod.status.startTime ?? '')) / 1000) * CFS_PERIODS_PER_SECOND);
      const ratio = Number(pod.metadata.annotations?.[THROTTLED] ?? 0);
      for (const { name, resources } of pod.spec.containers) {
        const labels = labelsOf(pod, name);
        kills.push(`container_oom_events_total{${labels}} 0 ${now}`);
        if (resources?.limits?.['cpu'] === undefined) continue;
        periods.push(`container_cpu_cfs_periods_total{${labels}} ${elapsed} ${now}`);
        throttled.push(`container_cpu_cfs_throttled_periods_total{${labels}} ${Math.floor(elapsed * ratio)} ${now}`);
      }
    }
    return [
      ...family('container_cpu_cfs_periods_total', 'Number of elapsed enforcement period intervals.', periods),
      ...family('container_cpu_cfs_throttled_periods_total', 'Number of throttled period intervals.', throttled),
      ...family('container_oom_events_total', 'Count of out of memory events observed for the container', kills),
      '',
    ].join('\n');
  }

  #podsOn(node: string): Promise<readonly PodWire[]> {
    return this.#list<PodWire>('/api/v1/pods', { fieldSelector: `spec.nodeName=${node}` });
  }

  async #summary(node: string): Promise<object> {
    const pods = await this.#podsOn(node);
    const mounted = pods.some((pod) => claimsOf(pod).length > 0);
    const claims = mounted ? await this.#list<ClaimWire>('/api/v1/persistentvolumeclaims', {}) : [];
    const byName = new Map(claims.map((claim) => [`${claim.metadata.namespace}/${claim.metadata.name}`, claim]));
    return {
      // The node itself has almost no pressure.
      node: { nodeName: node, cpu: { time: new Date().toISOString(), psi: psi(0.01) } },
      pods: pods.map((pod) => ({
        podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
        containers: pod.spec.containers.map(({ name }) => ({ name, ...usageOf(pod) })),
        volume: claimsOf(pod).map(({ name, claim }) => volumeStats(name, claim, pod, byName)),
      })),
    };
  }

  async #list<T>(path: string, query: Readonly<Record<string, string>>): Promise<readonly T[]> {
    // From the watch cache, because every node reads it, and slightly stale data is sufficient.
    const answer = await this.#dependencies.transport.request({ method: 'GET', path, query: { ...query, resourceVersion: '0' } });
    if (answer.status !== 200) throw new Error(`listing ${path}: HTTP ${answer.status}`);
    return (answer.body as { readonly items: readonly T[] }).items;
  }
}

function usageOf(pod: PodWire): object {
  const annotations = pod.metadata.annotations ?? {};
  const time = new Date().toISOString();
  return {
    cpu: {
      time,
      usageNanoCores: Math.round(parseCpu(annotations['kwok.x-k8s.io/usage-cpu'] ?? '1m') * 1e6),
      psi: psi(Number(annotations[CPU_PRESSURE] ?? 0)),
    },
    memory: { time, workingSetBytes: parseMemory(annotations['kwok.x-k8s.io/usage-memory'] ?? '1Mi'), psi: psi(0) },
  };
}

/** PSI in the format of k8s.io/kubelet 0.36: averages in percent. */
function psi(ratio: number): object {
  const data = { total: Math.round(ratio * 1e9), avg10: ratio * 100, avg60: ratio * 100, avg300: ratio * 100 };
  return { full: data, some: data };
}

/** Labels of a container as the kubelet's cAdvisor writes them. */
function labelsOf({ metadata, spec }: PodWire, container: string): string {
  const { image = '' } = spec.containers.find(({ name }) => name === container) ?? {};
  const id = `/kubepods/burstable/pod${metadata.uid}/${container}`;
  return `container="${container}",id="${id}",image="${image}",name="${container}",namespace="${metadata.namespace}",pod="${metadata.name}"`;
}

function family(name: string, help: string, samples: readonly string[]): readonly string[] {
  return samples.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} counter`, ...samples];
}

function claimsOf(pod: PodWire): readonly { readonly name: string; readonly claim: string }[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [{ name, claim: persistentVolumeClaim.claimName }],
  );
}

function volumeStats(name: string, claimName: string, pod: PodWire, claims: ReadonlyMap<string, ClaimWire>): object {
  const claim = claims.get(`${pod.metadata.namespace}/${claimName}`);
  const capacityBytes = parseMemory(claim?.status?.capacity?.storage ?? claim?.spec.resources.requests?.storage ?? '0');
  const usedBytes = Math.min(capacityBytes, parseMemory(claim?.metadata.annotations?.[USED_BYTES] ?? '0'));
  return {
    name,
    pvcRef: { name: claimName, namespace: pod.metadata.namespace },
    time: new Date().toISOString(),
    capacityBytes,
    usedBytes,
    availableBytes: capacityBytes - usedBytes,
  };
}

interface MetadataWire {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface PodWire {
  readonly metadata: MetadataWire;
  readonly spec: {
    readonly containers: readonly {
      readonly name: string;
      readonly image?: string;
      readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
    }[];
    readonly volumes?: readonly { readonly name: string; readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status: { readonly startTime?: string };
}

interface ClaimWire {
  readonly metadata: MetadataWire;
  readonly spec: { readonly resources: { readonly requests?: { readonly storage?: string } } };
  readonly status?: { readonly capacity?: { readonly storage?: string } };
}
