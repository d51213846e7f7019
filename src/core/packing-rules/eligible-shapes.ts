// Which shapes a pod may use: node selector, required node affinity, and taints with tolerations. Written apart from the filters of
// packages/kube, which prove the packing: nothing but the comparison of one label is common to both.

import type { Labels } from '#kube/label-selector';
import { isEveryRequirementMet } from '#kube/match-labels';
import type { NodeTerm } from '#kube/pod-spec/affinity';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { Toleration } from '#kube/pod-spec/toleration';
import type { Taint } from '#kube/records/node';
import type { PoolShape } from './pool-shape.ts';

type NodeRules = Pick<SchedulingRules, 'nodeSelector' | 'nodeTerms' | 'tolerations'>;

/** Names of the shapes on which a pod may run. */
export type EligibleShapes = { readonly shapes: readonly string[] } | { readonly problem: string };

/** Shapes that node selector, affinity and tolerations allow; a problem where there is none. */
export function eligibleShapes(rules: NodeRules, shapes: readonly PoolShape[]): EligibleShapes {
  const selected = shapes.filter(({ labels }) => isNodeSelected(rules, labels));
  if (selected.length === 0) return { problem: 'its node selector and affinity match no machine type; correct them, or add such a pool' };
  const tolerated = selected.filter(({ taints }) => isEveryTaintTolerated(rules.tolerations, taints));
  if (tolerated.length > 0) return { shapes: tolerated.map(({ name }) => name) };
  const taint = (selected[0]?.taints ?? [])
    .map(({ key, value, effect }) => `${key}${value === '' ? '' : `=${value}`}:${effect}`)
    .join(', ');
  return { problem: `does not tolerate the taints of the pools that it may use (${taint}); add a toleration, or a pool without them` };
}

/** Whether node selector and required node affinity match. An empty term matches nothing. */
export function isNodeSelected({ nodeSelector, nodeTerms }: Pick<NodeRules, 'nodeSelector' | 'nodeTerms'>, labels: Labels): boolean {
  const isEqual = Object.entries(nodeSelector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  return isEqual && (nodeTerms === null || nodeTerms.some((term) => isTermMet(term, labels)));
}

function isTermMet({ labels: requirements }: NodeTerm, labels: Labels): boolean {
  return requirements.length > 0 && isEveryRequirementMet(requirements, labels);
}

/** Whether nothing but a preference keeps the pod off nodes with the taints. */
export function isEveryTaintTolerated(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerations.some((toleration) => matches(toleration, taint)));
}

function matches({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  const isSame = (key ?? taint.key) === taint.key && (effect ?? taint.effect) === taint.effect;
  if (operator === 'Other' || !isSame) return false;
  return operator === 'Exists' || value === taint.value;
}
