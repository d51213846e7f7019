import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';

/**
 * Enqueues a policy when its spec, its trigger or its overrides change, or when it is deleted; a change of its status enqueues nothing.
 * @returns a function that ends the subscription
 */
export function watchPolicies(
  cluster: Pick<ClusterReader, 'subscribe' | 'podResizePolicies'>,
  enqueue: (policy: string) => void,
): () => void {
  const versions = new Map<string, string>();
  return cluster.subscribe((change) => {
    if (change.kind !== 'podresizepolicy') return;
    const policy = [...cluster.podResizePolicies()].find(({ metadata }) => metadata.name === change.key);
    const { trigger, overrides } = OBJECT_ANNOTATIONS;
    const requests = [trigger, overrides].map((annotation) => policy?.metadata.annotations?.[annotation] ?? '').join('/');
    const version = policy === undefined ? '' : `${policy.metadata.uid ?? ''}/${policy.metadata.generation ?? 0}/${requests}`;
    if (versions.get(change.key) === version) return;
    if (version === '') versions.delete(change.key);
    else versions.set(change.key, version);
    enqueue(change.key);
  });
}

/** A reconcile walks all workloads, and short-lived ones such as Jobs come and go all the time. */
const SELECTION_DELAY_MS: DurationMs = 30 * SECOND_MS;

/**
 * Enqueues every policy half a minute after namespaces or the number of workloads have changed, so that its counts and its parts that match
 * nothing are reported without waiting for its interval.
 * @returns a function that ends the subscription
 */
export function watchSelections(
  cluster: Pick<ClusterReader, 'subscribe' | 'podResizePolicies' | 'totals'>,
  enqueueAfter: (policy: string, afterMs: DurationMs) => void,
): () => void {
  let { workloads } = cluster.totals();
  return cluster.subscribe((change) => {
    if (change.kind !== 'namespace' && change.kind !== 'workload') return;
    const before = workloads;
    workloads = cluster.totals().workloads;
    if (change.kind === 'workload' && workloads === before) return;
    for (const { metadata } of cluster.podResizePolicies()) enqueueAfter(metadata.name, SELECTION_DELAY_MS);
  });
}
