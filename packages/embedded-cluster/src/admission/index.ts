// Strategies and actions of single resources of the embedded cluster, by resource.

import type { ResourceStrategy, SubresourceAction } from '../api/strategy.ts';
import { evictPod } from './eviction/evict-pod.ts';
import { eventStrategy } from './event-strategy.ts';
import { serviceStrategy } from './network/service-strategy.ts';
import { nodeStrategy } from './node-strategy.ts';
import { bindPod } from './pod/binding.ts';
import { podStrategy } from './pod/pod-strategy.ts';
import { autoscalerStrategy } from './policy/autoscaler-strategy.ts';
import { disruptionBudgetStrategy } from './policy/disruption-budget-strategy.ts';
import { limitRangeStrategy } from './policy/limit-range-strategy.ts';
import { priorityClassStrategy } from './policy/priority-class-strategy.ts';
import { resourceQuotaStrategy } from './policy/resource-quota-strategy.ts';
import { checkQuotas } from './resource-quota.ts';
import { roleBindingStrategy, roleStrategy } from './role-strategies.ts';
import { claimStrategy } from './storage/claim-strategy.ts';
import { configMapStrategy, secretStrategy } from './storage/data-strategies.ts';
import { cronJobStrategy } from './workloads/cronjob-strategy.ts';
import { daemonSetStrategy } from './workloads/daemonset-strategy.ts';
import { deploymentStrategy } from './workloads/deployment-strategy.ts';
import { jobStrategy } from './workloads/job-strategy.ts';
import { replicaSetStrategy } from './workloads/replicaset-strategy.ts';
import { WITHOUT_EFFECT } from './without-effect.ts';
import { statefulSetStrategy } from './workloads/statefulset-strategy.ts';

/** Namespaced resources that a quota can count as objects; pods have a more precise check. */
const COUNTED: Readonly<Record<string, ResourceStrategy>> = {
  'deployments.apps': deploymentStrategy,
  'replicasets.apps': replicaSetStrategy,
  'statefulsets.apps': statefulSetStrategy,
  'daemonsets.apps': daemonSetStrategy,
  'jobs.batch': jobStrategy,
  'cronjobs.batch': cronJobStrategy,
  'horizontalpodautoscalers.autoscaling': autoscalerStrategy,
  'poddisruptionbudgets.policy': disruptionBudgetStrategy,
  services: serviceStrategy,
  persistentvolumeclaims: claimStrategy,
  configmaps: configMapStrategy,
  secrets: secretStrategy,
  serviceaccounts: {},
};

const UNCOUNTED: Readonly<Record<string, ResourceStrategy>> = {
  pods: podStrategy,
  events: eventStrategy,
  nodes: nodeStrategy,
  limitranges: limitRangeStrategy,
  resourcequotas: resourceQuotaStrategy,
  'priorityclasses.scheduling.k8s.io': priorityClassStrategy,
  'roles.rbac.authorization.k8s.io': roleStrategy,
  'clusterroles.rbac.authorization.k8s.io': roleStrategy,
  'rolebindings.rbac.authorization.k8s.io': roleBindingStrategy,
  'clusterrolebindings.rbac.authorization.k8s.io': roleBindingStrategy,
  ...WITHOUT_EFFECT,
};

/** By resource: `pods`, `deployments.apps`. */
export function embeddedStrategies(): ReadonlyMap<string, ResourceStrategy> {
  const counted = Object.entries(COUNTED).map(([resource, strategy]) => [resource, withQuota(resource, strategy)] as const);
  return new Map([...Object.entries(UNCOUNTED), ...counted]);
}

/** By resource and subresource: `pods/eviction`. */
export function embeddedActions(): ReadonlyMap<string, SubresourceAction> {
  return new Map([
    ['pods/binding', bindPod],
    ['pods/eviction', evictPod],
  ]);
}

function withQuota(resource: string, strategy: ResourceStrategy): ResourceStrategy {
  return {
    ...strategy,
    admit(object, old, context, subresource) {
      strategy.admit?.(object, old, context, subresource);
      if (subresource === '') checkQuotas(resource, object, old, context);
    },
  };
}
