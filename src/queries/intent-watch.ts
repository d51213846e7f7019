import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { PodResizePolicy, Recommendation } from '../apis/v1alpha1/index.ts';
import { workloadKey } from '#kube/records/workload';
import { fingerprintIntent } from '../core/overrides/intent.ts';
import type { ClusterChange, ClusterReader } from '../ports/cluster/cluster-reader.ts';

type IntentReader = Pick<
  ClusterReader,
  'subscribe' | 'workloads' | 'findWorkload' | 'recommendations' | 'findRecommendation' | 'podResizePolicies'
>;

/**
 * Calls the listener for each new user request: an override of a workload, a request on a Recommendation, a change or a request of a policy,
 * through any replica or kubectl. Annotations of controllers do not count. Earlier requests are read once, not at each change, because a
 * cluster may have 20,000 workloads.
 */
export function onNewIntent(cluster: IntentReader, listener: () => void): void {
  const intents = new Map<string, string>();
  for (const workload of cluster.workloads()) {
    const intent = fingerprintIntent(workload.annotations);
    if (intent !== '') intents.set(`w/${workloadKey(workload)}`, intent);
  }
  for (const recommendation of cluster.recommendations()) {
    const { spec, metadata } = recommendation;
    const key = workloadKey({ namespace: metadata.namespace ?? '', kind: spec.targetRef.kind, name: spec.targetRef.name });
    const intent = recommendationIntent(recommendation);
    if (intent !== '') intents.set(`r/${key}`, intent);
  }
  for (const policy of cluster.podResizePolicies()) intents.set(`p/${policy.metadata.name}`, policyIntent(policy));
  cluster.subscribe((change) => {
    const current = currentIntent(cluster, change);
    if (current === null || (intents.get(current.key) ?? '') === current.intent) return;
    if (current.intent === '') intents.delete(current.key);
    else intents.set(current.key, current.intent);
    listener();
  });
}

function currentIntent(cluster: IntentReader, change: ClusterChange): { readonly key: string; readonly intent: string } | null {
  switch (change.kind) {
    case 'workload': {
      const workload = cluster.findWorkload(change.key);
      return { key: `w/${change.key}`, intent: workload === undefined ? '' : fingerprintIntent(workload.annotations) };
    }
    case 'recommendation': {
      const recommendation = cluster.findRecommendation(change.workload);
      return { key: `r/${change.workload}`, intent: recommendation === undefined ? '' : recommendationIntent(recommendation) };
    }
    case 'podresizepolicy': {
      const policy = [...cluster.podResizePolicies()].find(({ metadata }) => metadata.name === change.key);
      return { key: `p/${change.key}`, intent: policy === undefined ? '' : policyIntent(policy) };
    }
    default:
      return null;
  }
}

/** The requests in the spec, whose target and policy Evenkeel writes itself: a new Recommendation without a request has no intent. */
function recommendationIntent({ spec: { targetRef: _target, policyRef: _policy, ...requests } }: Recommendation): string {
  return Object.keys(requests).length === 0 ? '' : JSON.stringify(requests);
}

function policyIntent({ metadata }: PodResizePolicy): string {
  const { trigger, overrides } = OBJECT_ANNOTATIONS;
  return [metadata.uid, metadata.generation, metadata.annotations?.[trigger], metadata.annotations?.[overrides]].join('\n');
}
