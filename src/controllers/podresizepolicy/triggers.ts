import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';

/** Enqueues a policy when its spec or a request on it changed, or when it is gone; its own status does not wake it. Returns the cancel. */
export function watchPolicies(
  cluster: Pick<ClusterReader, 'subscribe' | 'podResizePolicies'>,
  enqueue: (policy: string) => void,
): () => void {
  const seen = new Map<string, string>();
  return cluster.subscribe((change) => {
    if (change.kind !== 'podresizepolicy') return;
    const policy = [...cluster.podResizePolicies()].find(({ metadata }) => metadata.name === change.key);
    const { trigger, overrides } = OBJECT_ANNOTATIONS;
    const asked = [trigger, overrides].map((annotation) => policy?.metadata.annotations?.[annotation] ?? '').join('/');
    const version = policy === undefined ? '' : `${policy.metadata.uid ?? ''}/${policy.metadata.generation ?? 0}/${asked}`;
    if (seen.get(change.key) === version) return;
    if (version === '') seen.delete(change.key);
    else seen.set(change.key, version);
    enqueue(change.key);
  });
}
