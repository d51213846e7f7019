import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { PodResizePolicy } from '../apis/v1alpha1/index.ts';
import { workloadKey } from '#kube/records/workload';
import { fingerprintIntent } from '../core/overrides/intent.ts';
import type { ClusterChange, ClusterReader } from '../ports/cluster-reader.ts';

type IntentReader = Pick<
  ClusterReader,
  'subscribe' | 'workloads' | 'findWorkload' | 'recommendations' | 'findRecommendation' | 'podResizePolicies'
>;

/**
 * Calls whenever anybody says something new: an override on a workload, a wish on a Recommendation, a change or a request on
 * a policy, through whichever replica or kubectl. Controllers' own notes are no news. What was said before is looked through
 * once, not at each change: there may be twenty thousand workloads.
 */
export function onNewIntent(cluster: IntentReader, told: () => void): void {
  const known = new Map<string, string>();
  for (const workload of cluster.workloads()) {
    const intent = fingerprintIntent(workload.annotations);
    if (intent !== '') known.set(`w/${workloadKey(workload)}`, intent);
  }
  for (const { spec, metadata } of cluster.recommendations()) {
    const key = `${metadata.namespace ?? ''}/${spec.targetRef.kind}/${spec.targetRef.name}`;
    known.set(`r/${key}`, String(metadata.generation ?? ''));
  }
  for (const policy of cluster.podResizePolicies()) known.set(`p/${policy.metadata.name}`, policyIntent(policy));
  cluster.subscribe((change) => {
    const now = intentNow(cluster, change);
    if (now === null || (known.get(now.key) ?? '') === now.intent) return;
    if (now.intent === '') known.delete(now.key);
    else known.set(now.key, now.intent);
    told();
  });
}

function intentNow(cluster: IntentReader, change: ClusterChange): { readonly key: string; readonly intent: string } | null {
  switch (change.kind) {
    case 'workload': {
      const workload = cluster.findWorkload(change.key);
      return { key: `w/${change.key}`, intent: workload === undefined ? '' : fingerprintIntent(workload.annotations) };
    }
    case 'recommendation': {
      const generation = cluster.findRecommendation(change.workload)?.metadata.generation;
      return { key: `r/${change.workload}`, intent: String(generation ?? '') };
    }
    case 'podresizepolicy': {
      const policy = [...cluster.podResizePolicies()].find(({ metadata }) => metadata.name === change.key);
      return { key: `p/${change.key}`, intent: policy === undefined ? '' : policyIntent(policy) };
    }
    default:
      return null;
  }
}

function policyIntent({ metadata }: PodResizePolicy): string {
  const { trigger, overrides } = OBJECT_ANNOTATIONS;
  return [metadata.uid, metadata.generation, metadata.annotations?.[trigger], metadata.annotations?.[overrides]].join('\n');
}
