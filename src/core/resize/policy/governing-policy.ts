// Which PodResizePolicy governs a workload: the most specific one that selects it, and among equals the older.

import type { PodResizePolicy } from '../../../apis/v1alpha1/index.ts';
import { matchesGlob } from '../../model/glob.ts';
import { matchesLabelSelector } from '#kube/match-labels';

/** What selection looks at of a workload. */
export interface Selectable {
  readonly namespace: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

/** Who governs, and who selects too but yields. */
export interface Governance {
  /** null: none selects it. */
  readonly governing: PodResizePolicy | null;
  readonly outranked: readonly PodResizePolicy[];
}

/** Namespaces that belong to the cluster itself: only a policy that names them literally reaches them. */
export function isReservedNamespace(namespace: string, ownNamespace: string): boolean {
  return namespace === 'kube-system' || namespace === ownNamespace;
}

/**
 * Why requests of users for a workload are refused, whatever their role; null: they are taken. What no policy governs, and no policy
 * excludes, is treated as under one with all defaults.
 */
export function protectionOf(policies: Iterable<PodResizePolicy>, workload: Selectable, ownNamespace: string): string | null {
  const { namespace } = workload;
  if (isReservedNamespace(namespace, ownNamespace)) {
    return `Namespace ${namespace} belongs to the ${namespace === ownNamespace ? 'Evenkeel installation' : 'cluster'} itself.`;
  }
  const all = [...policies];
  const excluding = all.find((policy) => isInForce(policy) && excludes(policy, namespace));
  if (excluding === undefined || all.some((policy) => selects(policy, workload, ownNamespace))) return null;
  return `PodResizePolicy ${excluding.metadata.name} excludes namespace ${namespace}.`;
}

/** Whether a policy selects only reserved namespaces, so that users may trigger no cycle of it. */
export function isProtectedPolicy(policy: PodResizePolicy, ownNamespace: string): boolean {
  const { namespaces } = policy.spec;
  // Globs and label selectors never select a reserved namespace, so only literal names count.
  const selected = namespaces?.filter((namespace) => isGlob(namespace) || !excludes(policy, namespace));
  return selected?.every((namespace) => isReservedNamespace(namespace, ownNamespace)) === true;
}

/** @param ownNamespace the namespace that Evenkeel itself runs in */
export function governanceOf(policies: Iterable<PodResizePolicy>, workload: Selectable, ownNamespace: string): Governance {
  const selecting = [...policies].filter((policy) => selects(policy, workload, ownNamespace));
  if (selecting.length > 1) selecting.sort(byPrecedence);
  const [governing = null, ...outranked] = selecting;
  return { governing, outranked };
}

/** Whether a policy selects a workload, others aside. */
export function selects(policy: PodResizePolicy, workload: Selectable, ownNamespace: string): boolean {
  const { spec } = policy;
  if (!isInForce(policy)) return false;
  if (spec.kinds !== undefined && spec.kinds.length > 0 && !spec.kinds.includes(workload.kind)) return false;
  if (excludes(policy, workload.namespace)) return false;
  if (spec.workloadSelector !== undefined && !matchesLabelSelector(spec.workloadSelector, workload.labels)) return false;
  if (isReservedNamespace(workload.namespace, ownNamespace)) return spec.namespaces?.includes(workload.namespace) === true;
  if (spec.namespaceSelector !== undefined) return matchesLabelSelector(spec.namespaceSelector, workload.namespaceLabels);
  return spec.namespaces === undefined || spec.namespaces.some((glob) => matchesGlob({ text: glob }, workload.namespace));
}

function isInForce({ metadata }: PodResizePolicy): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

function excludes({ spec }: PodResizePolicy, namespace: string): boolean {
  return spec.excludeNamespaces?.some((glob) => matchesGlob({ text: glob }, namespace)) === true;
}

/** The one that governs comes first. */
function byPrecedence(a: PodResizePolicy, b: PodResizePolicy): number {
  return specificity(b) - specificity(a) || createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function specificity({ spec }: PodResizePolicy): number {
  const byWorkload = spec.workloadSelector !== undefined ? 2 : 0;
  const byNamespace = spec.namespaces !== undefined || spec.namespaceSelector !== undefined ? 1 : 0;
  return byWorkload + byNamespace;
}

// One that is not stored yet is the youngest.
function createdAt(policy: PodResizePolicy): number {
  const { creationTimestamp } = policy.metadata;
  return creationTimestamp === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(creationTimestamp);
}
