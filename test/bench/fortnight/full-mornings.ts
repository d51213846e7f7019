// A batch queue: each morning, when other workloads get busy, its pods take almost all free capacity of every node, so that raises are
// Deferred and new pods stay Pending. The times do not depend on the controller that sizes the pods.

import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type Instant } from '#kube/units';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import type { ClusterAccess } from '#embedded-cluster/api/cluster-access';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { USAGE_ANNOTATION } from '#embedded-cluster/usage/usage-annotation';

export const FULL_FROM_HOUR = 7;
export const FULL_FOR_MS = 150 * MINUTE_MS;
const NAMESPACE = 'batch-queue';
/** Share of the free capacity; the rest is for system pods. */
const SHARE_TAKEN = 0.98;
const USAGE = JSON.stringify({ app: { profile: 'steady', cpu: '5m', memory: '8Mi' } });

interface WireNode {
  readonly metadata: { readonly name: string };
  readonly status: { readonly allocatable: { readonly cpu: string; readonly memory: string } };
}

/** Whether the nodes are full, or have just become free. */
export function isFullAt(at: Instant): boolean {
  const ofDay = at % DAY_MS;
  const from = FULL_FROM_HOUR * HOUR_MS;
  return ofDay >= from && ofDay <= from + FULL_FOR_MS + MINUTE_MS;
}

/** Schedules the batch pods of each morning until the end. */
export function planFullMornings(cluster: EmbeddedCluster, until: Instant): void {
  const { clock } = cluster;
  const queue = cluster.server.accessAs('batch-queue');
  queue.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const startOfDay = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  for (let at = startOfDay + FULL_FROM_HOUR * HOUR_MS; at < until; at += DAY_MS) {
    if (at < clock.now()) continue;
    clock.schedule(at, () => fillNodes(queue));
    clock.schedule(at + FULL_FOR_MS, () => emptyNodes(queue));
  }
}

function fillNodes(queue: ClusterAccess): void {
  const pods = (queue.list('pods') as Pod[]).filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed');
  for (const node of queue.list('nodes') as unknown as readonly WireNode[]) {
    const { name } = node.metadata;
    const onNode = pods.filter(({ spec }) => spec.nodeName === name);
    const free = (resource: 'cpu' | 'memory'): number =>
      amountOf(resource, node.status.allocatable[resource]) - onNode.reduce((sum, pod) => sum + requestOf(pod, resource), 0);
    const [cpu, memory] = [Math.floor(free('cpu') * SHARE_TAKEN), Math.floor((free('memory') * SHARE_TAKEN) / MiB)];
    if (cpu <= 0 || memory <= 0) continue;
    const requests = { cpu: `${cpu}m`, memory: `${memory}Mi` };
    queue.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: NAMESPACE, name: `fill-${name}`, annotations: { [USAGE_ANNOTATION]: USAGE } },
      spec: { nodeName: name, containers: [{ name: 'app', image: 'registry.example/batch:1', resources: { requests } }] },
    });
  }
}

function emptyNodes(queue: ClusterAccess): void {
  for (const { metadata } of queue.list('pods', { namespace: NAMESPACE }) as Pod[]) {
    queue.delete('pods', NAMESPACE, metadata.name, { gracePeriodSeconds: 0 });
  }
}

/** Request of a pod: the higher of its spec and of the resources that its node has allocated. */
function requestOf(pod: Pod, resource: 'cpu' | 'memory'): number {
  return pod.spec.containers.reduce((sum, { name, resources }) => {
    const allocated = pod.status.containerStatuses?.find((status) => status.name === name)?.['allocatedResources'] as
      Readonly<Record<string, string>> | undefined;
    return sum + Math.max(amountOf(resource, resources?.requests?.[resource]), amountOf(resource, allocated?.[resource]));
  }, 0);
}

function amountOf(resource: 'cpu' | 'memory', text: string | undefined): number {
  if (text === undefined) return 0;
  const parsed = resource === 'cpu' ? parseCpuMillicores(text) : parseMemoryBytes(text);
  return parsed.ok ? parsed.value : 0;
}
