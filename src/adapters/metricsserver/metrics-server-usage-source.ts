// Usage from metrics.k8s.io: coarser and later than the kubelets', but permitted nearly everywhere.

import { parseQuantity } from '#kube/quantity';
import type { DurationMs, Instant } from '#kube/units';
import type { ContainerUsage, NodeUsage } from '#kube/records/usage';
import type { ApiTransport } from '#kube/api-transport';
import type { Activity, Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { UsageSink, UsageSource } from '../../ports/usage/usage-source.ts';
import { collectionPath, NODE_METRICS, POD_METRICS, type ApiResource } from '../kubernetes/resources.ts';
import { failureOf, isForbidden, isNotFound } from '../kubernetes/status.ts';
import { asObject, objectAt, objectsAt, optionalInstantAt, textAt, WireError, type Wire } from '../kubernetes/wire.ts';

export interface MetricsServerUsageSourceDependencies {
  readonly transport: ApiTransport;
  readonly reader: Pick<ClusterReader, 'findPod'>;
  readonly clock: Clock;
  readonly activity: Activity;
}

/** Lists PodMetrics and NodeMetrics each interval. A failure is reported for the source as a whole (`node: null`). */
export class MetricsServerUsageSource implements UsageSource {
  readonly name = 'metrics.k8s.io';
  readonly #dependencies: MetricsServerUsageSourceDependencies;

  constructor(dependencies: MetricsServerUsageSourceDependencies) {
    this.#dependencies = dependencies;
  }

  async run(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void> {
    const { clock, activity } = this.#dependencies;
    let cancel = (): void => undefined;
    let busy = false;
    const tick = (): void => {
      cancel = clock.schedule(clock.now() + intervalMs, tick);
      if (busy) return;
      busy = true;
      const idle = activity.begin();
      void this.#read(sink, signal)
        .catch((err: unknown) => {
          if (!signal.aborted) sink.onFailure({ node: null, at: clock.now(), message: err instanceof Error ? err.message : String(err) });
        })
        .finally(() => {
          busy = false;
          idle();
        });
    };
    if (!signal.aborted) {
      tick();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    cancel();
  }

  /** Returns why metrics.k8s.io cannot be read now, with the remedy; null: it can be read. */
  async problem(signal: AbortSignal): Promise<string | null> {
    try {
      await this.#list(POD_METRICS, signal);
      await this.#list(NODE_METRICS, signal);
      return null;
    } catch (err) {
      return err instanceof Error ? err.message : String(err);
    }
  }

  async #read(sink: UsageSink, signal: AbortSignal): Promise<void> {
    const pods = await this.#list(POD_METRICS, signal);
    const nodes = await this.#list(NODE_METRICS, signal);
    const byNode = new Map<string, ContainerUsage[]>();
    const malformed = { count: 0 };
    let unknown = 0;
    for (const pod of pods) {
      countMalformed(malformed, () => {
        if (!this.#takePod(pod, byNode)) unknown += 1;
      });
    }
    const usageByNode = new Map<string, NodeUsage>();
    for (const node of nodes) {
      countMalformed(malformed, () => {
        const name = textAt(objectAt(node, 'metadata'), 'name');
        usageByNode.set(name, { node: name, at: this.#timeOf(node), ...usageOf(objectAt(node, 'usage')) });
      });
    }
    sink.onDropped('nan', malformed.count);
    sink.onDropped('unknown-pod', unknown);
    for (const node of new Set([...usageByNode.keys(), ...byNode.keys()])) {
      sink.onUsage({ node, containers: byNode.get(node) ?? [], nodeUsage: usageByNode.get(node) ?? null });
    }
  }

  /**
   * PodMetrics has no node, so the pod's own is used. Returns false where it is unknown: the pod is deleted, or its event has not arrived.
   */
  #takePod(pod: Wire, byNode: Map<string, ContainerUsage[]>): boolean {
    const metadata = objectAt(pod, 'metadata');
    const namespace = textAt(metadata, 'namespace');
    const name = textAt(metadata, 'name');
    const node = this.#dependencies.reader.findPod(namespace, name)?.node;
    if (node === undefined || node === null) return false;
    const at = this.#timeOf(pod);
    const usages = objectsAt(pod, 'containers').map((container) => ({
      namespace,
      pod: name,
      container: textAt(container, 'name'),
      at,
      ...usageOf(objectAt(container, 'usage')),
    }));
    byNode.set(node, [...(byNode.get(node) ?? []), ...usages]);
    return true;
  }

  #timeOf(metrics: Wire): Instant {
    return optionalInstantAt(metrics, 'timestamp') ?? this.#dependencies.clock.now();
  }

  async #list(resource: ApiResource, signal: AbortSignal): Promise<readonly Wire[]> {
    const response = await this.#dependencies.transport.request({ method: 'GET', path: collectionPath(resource, null), signal });
    const failure = failureOf(response);
    if (failure === null) return objectsAt(asObject(response.body, resource.plural), 'items');
    const remedy = isNotFound(failure)
      ? ': metrics-server is not installed: install it, or make the kubelets readable'
      : isForbidden(failure)
        ? `: grant list on ${resource.plural} of metrics.k8s.io`
        : '';
    throw new Error(`reading ${resource.plural} of metrics.k8s.io: ${failure.message}${remedy}`);
  }
}

function usageOf(usage: Wire): { cpuMillicores: number | null; memoryBytes: number | null } {
  return { cpuMillicores: amountAt(usage, 'cpu', 1e6), memoryBytes: amountAt(usage, 'memory', 1e9) };
}

// Nanocores are not rounded: rounding an idle container up to a millicore would multiply its usage.
function amountAt(usage: Wire, key: string, nanoPerUnit: number): number | null {
  const text = usage[key];
  if (text === undefined || text === null) return null;
  const parsed = typeof text === 'string' || typeof text === 'number' ? parseQuantity(text) : null;
  if (parsed?.ok !== true) throw new WireError(`usage.${key}`, 'a quantity', text);
  return Number(parsed.value.nano) / nanoPerUnit;
}

function countMalformed(malformed: { count: number }, read: () => void): void {
  try {
    read();
  } catch (err) {
    if (!(err instanceof WireError)) throw err;
    malformed.count += 1;
  }
}
