import type { LabelSelector } from '../../core/model/cluster-records.ts';
import type { LabelRequirement } from '../../core/model/label-selector.ts';
import { parseCpuMillicores, parseMemoryBytes, parseQuantity } from '../../core/model/quantity.ts';
import type {
  ContainerStatus,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  ResourceList,
  WireContainer,
  WireResources,
  WireToleration,
} from '../actors/wire/pod.ts';
import type { Amounts, HostPort, NodeTerm, PodTerm, SchedulingPod, SpreadConstraint, Toleration, Weighted } from './scheduling-model.ts';

interface WirePodTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}
interface WirePodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly WirePodTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly weight: number; readonly podAffinityTerm: WirePodTerm }[];
}
interface WireAffinityParts {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeSelectorTerm;
    }[];
  };
  readonly podAffinity?: WirePodAffinity;
  readonly podAntiAffinity?: WirePodAffinity;
}
interface WireSpread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
}

/** A pod as the scheduler sees it. */
export function decodeSchedulingPod(pod: Pod): SchedulingPod {
  const { metadata, spec } = pod;
  const labels = metadata.labels ?? {};
  return {
    uid: metadata.uid,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    labels,
    priority: spec.priority ?? 0,
    createdAt: Date.parse(metadata.creationTimestamp),
    terminating: metadata.deletionTimestamp !== undefined,
    requests: schedulingRequests(pod),
    ports: hostPorts(spec),
    nodeName: spec.nodeName === undefined || spec.nodeName === '' ? null : spec.nodeName,
    nodeSelector: spec.nodeSelector ?? {},
    ...nodeRules(spec.affinity ?? {}),
    ...podRules(spec.affinity ?? {}, labels),
    tolerations: (spec.tolerations ?? []).map(decodeToleration),
    spread: ((spec['topologySpreadConstraints'] ?? []) as readonly WireSpread[]).map((constraint) => decodeSpread(constraint, labels)),
    ownerUid: metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid ?? null,
    claims: (spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []),
  };
}

function nodeRules({ nodeAffinity }: WireAffinityParts): Pick<SchedulingPod, 'nodeTerms' | 'preferredNodeTerms'> {
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    nodeTerms: nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms.map(decodeNodeTerm) ?? null,
    preferredNodeTerms: preferred.map(({ weight, preference }) => ({ weight, term: decodeNodeTerm(preference) })),
  };
}

type PodRules = Pick<SchedulingPod, 'affinity' | 'antiAffinity' | 'preferredAffinity' | 'preferredAntiAffinity'>;

function podRules({ podAffinity, podAntiAffinity }: WireAffinityParts, labels: Readonly<Record<string, string>>): PodRules {
  const required = (part: WirePodAffinity | undefined): PodTerm[] =>
    (part?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => decodePodTerm(term, labels));
  const preferred = (part: WirePodAffinity | undefined): Weighted<PodTerm>[] =>
    (part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      weight,
      term: decodePodTerm(podAffinityTerm, labels),
    }));
  return {
    affinity: required(podAffinity),
    antiAffinity: required(podAntiAffinity),
    preferredAffinity: preferred(podAffinity),
    preferredAntiAffinity: preferred(podAntiAffinity),
  };
}

/** A term of a node affinity, of a pod or of a volume. */
export function decodeNodeTerm(term: NodeSelectorTerm): NodeTerm {
  const requirements = (list: readonly NodeSelectorRequirement[] = []): LabelRequirement[] =>
    list.map(({ key, operator, values }) => ({ key, operator, values: values ?? [] }));
  return { labels: requirements(term.matchExpressions), fields: requirements(term.matchFields) };
}

function decodePodTerm(term: WirePodTerm, labels: Readonly<Record<string, string>>): PodTerm {
  return {
    topologyKey: term.topologyKey,
    selector: withKeys(term.labelSelector ?? null, labels, term.matchLabelKeys ?? [], term.mismatchLabelKeys ?? []),
    namespaces: term.namespaces ?? [],
    namespaceSelector: term.namespaceSelector ?? null,
  };
}

function decodeSpread(constraint: WireSpread, labels: Readonly<Record<string, string>>): SpreadConstraint {
  return {
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    hard: constraint.whenUnsatisfiable !== 'ScheduleAnyway',
    selector: withKeys(constraint.labelSelector ?? null, labels, constraint.matchLabelKeys ?? [], []),
    minDomains: constraint.minDomains ?? 1,
    honorAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
    honorTaints: constraint.nodeTaintsPolicy === 'Honor',
  };
}

/** Adds the pod's own value of each key to a selector, as `matchLabelKeys` and `mismatchLabelKeys` ask. */
function withKeys(
  selector: LabelSelector | null,
  labels: Readonly<Record<string, string>>,
  match: readonly string[],
  mismatch: readonly string[],
): LabelSelector | null {
  if (selector === null || match.length + mismatch.length === 0) return selector;
  const added = (keys: readonly string[], operator: 'In' | 'NotIn') =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added(match, 'In'), ...added(mismatch, 'NotIn')] };
}

function decodeToleration(toleration: WireToleration): Toleration {
  return {
    key: toleration.key ?? null,
    operator: toleration.operator === 'Exists' ? 'Exists' : 'Equal',
    value: toleration.value ?? '',
    effect: toleration.effect ?? null,
  };
}

function hostPorts(spec: PodSpec): HostPort[] {
  return [...(spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always'), ...spec.containers].flatMap(
    (container) =>
      (container.ports ?? []).flatMap((port) => {
        const number = port.hostPort ?? (spec.hostNetwork === true ? port.containerPort : 0);
        if (number === 0) return [];
        const ip = (port as { readonly hostIP?: string }).hostIP ?? '0.0.0.0';
        return [{ port: number, protocol: port.protocol ?? 'TCP', ip }];
      }),
  );
}

/** Amount of a resource in the units of `Amounts`; 0 for text that is no quantity. */
export function amountOf(resource: string, text: string): number {
  if (resource === 'cpu') return valueOf(parseCpuMillicores(text));
  if (resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-'))
    return valueOf(parseMemoryBytes(text));
  const parsed = parseQuantity(text);
  return parsed.ok ? Number(parsed.value.nano / 1_000_000_000n) : 0;
}

function valueOf(parsed: { readonly ok: true; readonly value: number } | { readonly ok: false }): number {
  return parsed.ok ? parsed.value : 0;
}

/**
 * What a pod takes of its node: main containers and sidecars together, or a plain init container with the sidecars before
 * it, or what is requested for the pod as a whole (KEP-2837), plus overhead. For a pod that was resized in place each container counts with the greatest of what its spec asks
 * for (unless that is Infeasible), what its node has allocated and what is in force (KEP-1287, "Scheduler and API Server
 * Interaction").
 */
export function schedulingRequests(pod: Pod): Amounts {
  const { spec, status } = pod;
  const infeasible = (status as Pod['status'] | undefined)?.conditions?.some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const statuses = new Map<string, ContainerStatus>();
  const initStatuses = ((status as Pod['status'] | undefined)?.['initContainerStatuses'] ?? []) as readonly ContainerStatus[];
  for (const each of [...initStatuses, ...((status as Pod['status'] | undefined)?.containerStatuses ?? [])]) statuses.set(each.name, each);
  const requestsOf = (container: WireContainer): Map<string, number> =>
    containerRequests(container, statuses.get(container.name), infeasible ?? false);

  const running = new Map<string, number>();
  const initPeak = new Map<string, number>();
  for (const init of spec.initContainers ?? []) {
    const requests = requestsOf(init);
    if (init.restartPolicy === 'Always') addAll(running, requests);
    else for (const [resource, amount] of requests) raise(initPeak, resource, amount + (running.get(resource) ?? 0));
  }
  for (const container of spec.containers) addAll(running, requestsOf(container));
  for (const [resource, amount] of initPeak) raise(running, resource, amount);
  if (spec.resources !== undefined) takeWhole(running, spec.resources);
  addAll(running, amounts(spec.overhead));
  return running;
}

/** What is stated for the pod as a whole instead of the sum of its containers; a limit where nobody requests anything. */
function takeWhole(sums: Map<string, number>, { requests, limits }: WireResources): void {
  for (const [resource, amount] of amounts(requests)) sums.set(resource, amount);
  for (const [resource, amount] of amounts(limits)) if (!sums.has(resource)) sums.set(resource, amount);
}

function containerRequests(container: WireContainer, status: ContainerStatus | undefined, infeasible: boolean): Map<string, number> {
  const desired = amounts(container.resources?.requests);
  if (status?.resources === undefined && status?.allocatedResources === undefined) return desired;
  const actual = amounts(status.resources?.requests);
  const allocated = amounts(status.allocatedResources);
  for (const resource of ['cpu', 'memory']) {
    const inForce = Math.max(actual.get(resource) ?? 0, allocated.get(resource) ?? 0);
    if (infeasible && inForce > 0) desired.set(resource, inForce);
    else raise(desired, resource, inForce);
  }
  return desired;
}

function amounts(list: ResourceList | undefined): Map<string, number> {
  return new Map(Object.entries(list ?? {}).map(([resource, text]) => [resource, amountOf(resource, text)]));
}

function addAll(into: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [resource, amount] of more) into.set(resource, (into.get(resource) ?? 0) + amount);
}

function raise(into: Map<string, number>, resource: string, amount: number): void {
  if (amount > (into.get(resource) ?? 0)) into.set(resource, amount);
}
