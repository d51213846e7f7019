// Finds the PodResizePolicy that governs a workload: the most specific one that selects it, and the oldest of equally specific ones.

import type { PodResizePolicy } from '../../../apis/v1alpha1/index.ts';
import { isGlobMatch } from '../../model/names/glob.ts';
import { isLabelSelectorMatch } from '#kube/match-labels';

/** Fields of a workload that policies select by. */
export interface Selectable {
  readonly namespace: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

/** The governing policy, and the outranked policies that select the same workload. */
export interface Governance {
  /** null: no policy selects the workload. */
  readonly governing: PodResizePolicy | null;
  readonly outranked: readonly PodResizePolicy[];
}

/** Whether a namespace belongs to the cluster or to Evenkeel: a policy selects it only by its literal name. */
export function isReservedNamespace(namespace: string, ownNamespace: string): boolean {
  return namespace === 'kube-system' || namespace === ownNamespace;
}

/**
 * Why user requests for a workload are refused for every role; null: they are accepted. A workload that no policy selects or excludes
 * is treated as under a policy with all defaults.
 */
export function protectionOf(policies: Iterable<PodResizePolicy>, workload: Selectable, ownNamespace: string): string | null {
  const { namespace } = workload;
  if (isReservedNamespace(namespace, ownNamespace)) {
    return `Namespace ${namespace} belongs to the ${namespace === ownNamespace ? 'Evenkeel installation' : 'cluster'} itself.`;
  }
  const all = [...policies];
  const excluding = all.find((policy) => isInForce(policy) && isExcluded(policy, namespace));
  if (excluding === undefined || all.some((policy) => isSelected(policy, workload, ownNamespace))) return null;
  return `PodResizePolicy ${excluding.metadata.name} excludes namespace ${namespace}.`;
}

/** Whether a policy selects only reserved namespaces, so that users may trigger no cycle of it. */
export function isProtectedPolicy(policy: PodResizePolicy, ownNamespace: string): boolean {
  const { namespaces } = policy.spec;
  // Globs and label selectors never select a reserved namespace, so only literal names count.
  const selected = namespaces?.filter((namespace) => isGlob(namespace) || !isExcluded(policy, namespace));
  return selected?.every((namespace) => isReservedNamespace(namespace, ownNamespace)) === true;
}

/** Ranks the policies that select a workload. @param ownNamespace namespace in which Evenkeel runs */
export function governanceOf(policies: Iterable<PodResizePolicy>, workload: Selectable, ownNamespace: string): Governance {
  const selecting = [...policies].filter((policy) => isSelected(policy, workload, ownNamespace));
  if (selecting.length > 1) selecting.sort(byPrecedence);
  const [governing = null, ...outranked] = selecting;
  return { governing, outranked };
}

/** Whether a policy selects a workload, also where another policy outranks it. */
export function isSelected(policy: PodResizePolicy, workload: Selectable, ownNamespace: string): boolean {
  const { spec } = policy;
  if (!isInForce(policy)) return false;
  if (spec.kinds !== undefined && spec.kinds.length > 0 && !spec.kinds.includes(workload.kind)) return false;
  if (isExcluded(policy, workload.namespace)) return false;
  if (spec.workloadSelector !== undefined && !isLabelSelectorMatch(spec.workloadSelector, workload.labels)) return false;
  if (isReservedNamespace(workload.namespace, ownNamespace)) return spec.namespaces?.includes(workload.namespace) === true;
  if (spec.namespaceSelector !== undefined) return isLabelSelectorMatch(spec.namespaceSelector, workload.namespaceLabels);
  return spec.namespaces === undefined || spec.namespaces.some((glob) => isGlobMatch({ text: glob }, workload.namespace));
}

function isInForce({ metadata }: PodResizePolicy): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

function isExcluded({ spec }: PodResizePolicy, namespace: string): boolean {
  return spec.excludeNamespaces?.some((glob) => isGlobMatch({ text: glob }, namespace)) === true;
}

/** Whether the age alone decides which of two policies governs: probably neither author expects the other policy. */
export function areEquallySpecific(a: PodResizePolicy, b: PodResizePolicy): boolean {
  return specificity(a) === specificity(b);
}

/** Comparator: the governing policy sorts first. */
function byPrecedence(a: PodResizePolicy, b: PodResizePolicy): number {
  return specificity(b) - specificity(a) || createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function specificity({ spec }: PodResizePolicy): number {
  const byWorkload = spec.workloadSelector !== undefined ? 2 : 0;
  const byNamespace = spec.namespaces !== undefined || spec.namespaceSelector !== undefined ? 1 : 0;
  return byWorkload + byNamespace;
}

// A policy that is not stored yet, in a preview, sorts as the youngest.
function createdAt(policy: PodResizePolicy): number {
  const { creationTimestamp } = policy.metadata;
  return creationTimestamp === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(creationTimestamp);
}
