// What the kubelets tell. CPU and memory are kwok's simulated metrics, passed on as they are; the volumes of
// /stats/summary, which kwok does not have, are as large as their claims and as full as the claim's annotation says.

import { parseCpu, parseMemory } from './quantities.ts';
import type { ApiTransport } from '../../../src/ports/api-transport.ts';

export interface KubeletPagesParts {
  readonly transport: ApiTransport;
  /** Address of kwok's server. */
  readonly kwok: string;
}

interface Page {
  readonly contentType: string;
  readonly text: string;
}

const USED_BYTES = 'evenkeel.dev/used-bytes';

export class KubeletPages {
  readonly #parts: KubeletPagesParts;

  constructor(parts: KubeletPagesParts) {
    this.#parts = parts;
  }

  /** null: a kubelet has no such page, or this one does not. */
  async page(node: string, path: string): Promise<Page | null> {
    if (path === '/metrics/resource') return this.#resourceMetrics(node);
    if (path === '/stats/summary') return { contentType: 'application/json', text: JSON.stringify(await this.#summary(node)) };
    if (path === '/healthz') return { contentType: 'text/plain', text: 'ok' };
    return null;
  }

  async #resourceMetrics(node: string): Promise<Page> {
    const answer = await fetch(`${this.#parts.kwok}/metrics/nodes/${encodeURIComponent(node)}/metrics/resource`);
    if (!answer.ok) throw new Error(`kwok's metrics of node ${node}: HTTP ${answer.status}`);
    return { contentType: answer.headers.get('content-type') ?? 'text/plain', text: await answer.text() };
  }

  async #summary(node: string): Promise<object> {
    const pods = await this.#list<PodWire>('/api/v1/pods', { fieldSelector: `spec.nodeName=${node}` });
    const mounted = pods.some((pod) => claimsOf(pod).length > 0);
    const claims = mounted ? await this.#list<ClaimWire>('/api/v1/persistentvolumeclaims', {}) : [];
    const byName = new Map(claims.map((claim) => [`${claim.metadata.namespace}/${claim.metadata.name}`, claim]));
    return {
      node: { nodeName: node },
      pods: pods.map((pod) => ({
        podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
        containers: pod.spec.containers.map(({ name }) => ({ name, ...usageOf(pod) })),
        volume: claimsOf(pod).map(({ name, claim }) => volumeStats(name, claim, pod, byName)),
      })),
    };
  }

  async #list<T>(path: string, query: Readonly<Record<string, string>>): Promise<readonly T[]> {
    // From the watch cache: every node asks, and a moment's age does no harm.
    const answer = await this.#parts.transport.request({ method: 'GET', path, query: { ...query, resourceVersion: '0' } });
    if (answer.status !== 200) throw new Error(`listing ${path}: HTTP ${answer.status}`);
    return (answer.body as { readonly items: readonly T[] }).items;
  }
}

function usageOf(pod: PodWire): object {
  const annotations = pod.metadata.annotations ?? {};
  const time = new Date().toISOString();
  return {
    cpu: { time, usageNanoCores: Math.round(parseCpu(annotations['kwok.x-k8s.io/usage-cpu'] ?? '1m') * 1e6) },
    memory: { time, workingSetBytes: parseMemory(annotations['kwok.x-k8s.io/usage-memory'] ?? '1Mi') },
  };
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
    readonly containers: readonly { readonly name: string }[];
    readonly volumes?: readonly { readonly name: string; readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
}

interface ClaimWire {
  readonly metadata: MetadataWire;
  readonly spec: { readonly resources: { readonly requests?: { readonly storage?: string } } };
  readonly status?: { readonly capacity?: { readonly storage?: string } };
}
