// Fields that the admission plug-ins of a real cluster set on a new pod: requests from limits, tolerations, service account, priority.

import { ApiStatusError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { StrategyContext } from '../../api/strategy.ts';
import type { Pod, PodSpec, WireContainer, WireToleration } from '../../controllers/wire/pod.ts';
import { placedContainers } from './pod-containers.ts';

/** Tolerations by which a pod stays on an unreachable node for a while, unless it has its own. */
const LOST_NODE_SECONDS = 300;
const LOST_NODE_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Classes that every cluster has, even without their objects. */
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export function defaultPodSpec(spec: PodSpec): void {
  for (const { container } of placedContainers(spec)) {
    defaultRequests(container);
  }
  spec.serviceAccountName ??= spec.serviceAccount ?? 'default';
  spec.serviceAccount = spec.serviceAccountName;
  spec.tolerations = withLostNodeTolerations(spec.tolerations ?? []);
}

/** A limit without a request sets the request. */
function defaultRequests(container: WireContainer): void {
  const limits = container.resources?.limits;
  if (limits === undefined || container.resources === undefined) return;
  container.resources.requests = { ...limits, ...container.resources.requests };
}

function withLostNodeTolerations(tolerations: readonly WireToleration[]): WireToleration[] {
  const isTolerated = (key: string): boolean =>
    tolerations.some(
      (each) => (each.key === undefined || each.key === '' || each.key === key) && (each.effect ?? 'NoExecute') === 'NoExecute',
    );
  const missing = LOST_NODE_TAINTS.filter((key) => !isTolerated(key));
  return [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: LOST_NODE_SECONDS })),
  ];
}

/** Throws ApiStatusError 403 when the pod's class does not exist. */
export function resolvePriority(pod: Pod, { cluster }: StrategyContext): void {
  const { spec } = pod;
  const name = spec.priorityClassName ?? '';
  const given = spec.priority;
  const systemPriority = SYSTEM_PRIORITIES[name];
  const found = name === '' ? globalDefault(cluster.list('priorityclasses.scheduling.k8s.io')) : findClass(name, cluster);
  if (name !== '' && found === undefined && systemPriority === undefined) {
    throw podForbidden(pod, `no PriorityClass with name ${name} was found`);
  }
  if (found !== undefined) spec.priorityClassName = found.metadata.name;
  spec.priority = Number(found?.['value'] ?? systemPriority ?? 0);
  if (given !== undefined && given !== spec.priority) {
    const why = `the integer value of priority (${String(given)}) must not be provided in pod spec; priority admission controller computed ${spec.priority} from the given PriorityClass name`;
    throw podForbidden(pod, why);
  }
  spec.preemptionPolicy ??= typeof found?.['preemptionPolicy'] === 'string' ? found['preemptionPolicy'] : 'PreemptLowerPriority';
}

/** Throws ApiStatusError 403 when the pod's service account does not exist; `default` always exists soon. */
export function checkServiceAccount(pod: Pod, { cluster }: StrategyContext): void {
  const name = pod.spec.serviceAccountName ?? 'default';
  if (name === 'default' || cluster.get('serviceaccounts', pod.metadata.namespace ?? '', name) !== undefined) return;
  throw podForbidden(pod, `error looking up service account ${pod.metadata.namespace ?? ''}/${name}: serviceaccount "${name}" not found`);
}

function podForbidden(pod: Pod, why: string): ApiStatusError {
  const { name } = pod.metadata;
  return new ApiStatusError(403, 'Forbidden', `pods "${name}" is forbidden: ${why}`, { name, kind: 'pods' });
}

function findClass(name: string, cluster: StrategyContext['cluster']): KubeObject | undefined {
  return cluster.get('priorityclasses.scheduling.k8s.io', null, name);
}

/** Of several, the lowest, as in Kubernetes. */
function globalDefault(classes: readonly KubeObject[]): KubeObject | undefined {
  return classes.filter((each) => each['globalDefault'] === true).sort((a, b) => Number(a['value']) - Number(b['value']))[0];
}
