import type { LabelRequirement, LabelSelector } from '../../core/model/label-selector.ts';
import type { HostPort, PodTerm, SchedulingPod, SpreadConstraint, Weighted } from '../../core/scheduling/scheduling-model.ts';
import type { NodeTerm } from '../../core/scheduling/node-term.ts';
import type { Toleration } from '../../core/model/node.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm, Pod, PodSpec, WireContainer, WireToleration } from '../actors/wire/pod.ts';
import { decodeVolumes } from './decode-volumes.ts';
import { schedulingRequests } from './pod-requests.ts';

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
    ...decodeRank(pod),
    requests: schedulingRequests(pod),
    ports: hostPorts(spec),
    nodeName: spec.nodeName === undefined || spec.nodeName === '' ? null : spec.nodeName,
    nodeSelector: spec.nodeSelector ?? {},
    ...nodeRules(spec.affinity ?? {}),
    ...podRules(spec.affinity ?? {}, labels),
    tolerations: (spec.tolerations ?? []).map(decodeToleration),
    spread: ((spec['topologySpreadConstraints'] ?? []) as readonly WireSpread[]).map((constraint) => decodeSpread(constraint, labels)),
    ownerUid: metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid ?? null,
    ...decodeVolumes(pod),
    features: neededFeatures(spec),
    gates: (spec.schedulingGates ?? []).map(({ name }) => name),
    unmodelled: ((spec['resourceClaims'] ?? []) as readonly unknown[]).length > 0 ? ['spec.resourceClaims'] : [],
  };
}

/** Who goes before whom, and who has to go. */
function decodeRank(pod: Pod): Pick<SchedulingPod, 'priority' | 'mayPreempt' | 'createdAt' | 'startedAt' | 'terminating'> {
  const { metadata, spec } = pod;
  return {
    priority: spec.priority ?? 0,
    mayPreempt: spec.preemptionPolicy !== 'Never',
    createdAt: Date.parse(metadata.creationTimestamp),
    startedAt: startOf(pod),
    terminating: metadata.deletionTimestamp !== undefined,
  };
}

function startOf({ status }: Pod): number | null {
  const startTime = (status as Pod['status'] | undefined)?.startTime;
  return startTime === undefined ? null : Date.parse(startTime);
}

/** What a node must declare that it can do (KEP-5328), by what Kubernetes 1.36 infers from a pod. */
function neededFeatures(spec: PodSpec): string[] {
  const features: string[] = [];
  if (spec.hostNetwork === true && spec['hostUsers'] === false) features.push('UserNamespacesHostNetworkSupport');
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  if (containers.some(restartsAll)) features.push('RestartAllContainersOnContainerExits');
  return features;
}

function restartsAll(container: WireContainer): boolean {
  const rules = (container['restartPolicyRules'] ?? []) as readonly { readonly action?: string }[];
  return rules.some(({ action }) => action === 'RestartAllContainers');
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
    key: toleration.key === '' ? null : (toleration.key ?? null),
    operator: operatorOf(toleration.operator ?? ''),
    value: toleration.value ?? '',
    effect: toleration.effect === '' ? null : (toleration.effect ?? null),
  };
}

function operatorOf(operator: string): Toleration['operator'] {
  if (operator === 'Exists') return 'Exists';
  return operator === '' || operator === 'Equal' ? 'Equal' : 'Other';
}

function hostPorts(spec: PodSpec): HostPort[] {
  return [...(spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always'), ...spec.containers].flatMap(
    (container) =>
      (container.ports ?? []).flatMap((port) => {
        const number = port.hostPort ?? (spec.hostNetwork === true ? port.containerPort : 0);
        if (number === 0) return [];
        const { hostIP: ip = '0.0.0.0' } = port as { readonly hostIP?: string };
        return [{ port: number, protocol: port.protocol ?? 'TCP', ip: ip === '' ? '0.0.0.0' : ip }];
      }),
  );
}
