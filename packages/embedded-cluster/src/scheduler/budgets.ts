import type { LabelSelector } from '#kube/label-selector';
import type { Budget } from '#kube/scheduling/preemption';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { KubeObject } from '../api/kube-object.ts';

interface WireBudget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly disruptionsAllowed?: number; readonly disruptedPods?: Readonly<Record<string, string>> };
}

/** Remaining allowances of the disruption budgets. */
export function budgetsOf(cluster: Pick<ClusterAccess, 'list'>): readonly Budget[] {
  return cluster.list('poddisruptionbudgets.policy').map(decodeBudget);
}

export function decodeBudget(object: KubeObject): Budget {
  const { metadata, spec, status } = object as WireBudget;
  return {
    namespace: metadata.namespace ?? '',
    selector: spec?.selector ?? null,
    disruptionsAllowed: status?.disruptionsAllowed ?? 0,
    disrupted: new Set(Object.keys(status?.disruptedPods ?? {})),
  };
}
