// Whether one node can take one pod, by each rule of kube-scheduler that looks at that node alone. A filter answers null
// for yes, else the reasons in the scheduler's own words.

import { matchesRequirements } from '../../core/model/label-selector.ts';
import type { Taint } from '../../core/model/node.ts';
import type { HostPort, NodeTerm, SchedulingNode, SchedulingPod, Toleration } from './scheduling-model.ts';

export type FilterAnswer = readonly string[] | null;

const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

export function filterUnschedulable(pod: SchedulingPod, node: SchedulingNode): FilterAnswer {
  if (!node.unschedulable || tolerates(pod.tolerations, UNSCHEDULABLE_TAINT)) return null;
  return ['node(s) were unschedulable'];
}

export function filterTaints(pod: SchedulingPod, node: SchedulingNode): FilterAnswer {
  const taint = node.taints.find(
    ({ effect, ...rest }) => effect !== 'PreferNoSchedule' && !tolerates(pod.tolerations, { effect, ...rest }),
  );
  return taint === undefined ? null : [`node(s) had untolerated taint {${taint.key}: ${taint.value}}`];
}

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key, operator, value, effect }) => {
    if (effect !== null && effect !== taint.effect) return false;
    if (key === null) return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === taint.value);
  });
}

export function filterNodeAffinity(pod: SchedulingPod, node: SchedulingNode): FilterAnswer {
  return matchesNodeAffinity(pod, node) ? null : ["node(s) didn't match Pod's node affinity/selector"];
}

/** Node selector and required node affinity together. */
export function matchesNodeAffinity(pod: SchedulingPod, node: SchedulingNode): boolean {
  for (const key in pod.nodeSelector) if (node.labels[key] !== pod.nodeSelector[key]) return false;
  return pod.nodeTerms === null || pod.nodeTerms.some((term) => matchesNodeTerm(term, node));
}

export function matchesNodeTerm(term: NodeTerm, node: SchedulingNode): boolean {
  if (term.labels.length + term.fields.length === 0) return false;
  return matchesRequirements(term.labels, node.labels) && matchesRequirements(term.fields, { 'metadata.name': node.name });
}

export function filterPorts(pod: SchedulingPod, node: SchedulingNode): FilterAnswer {
  if (pod.ports.length === 0) return null;
  for (const other of node.pods.values()) {
    if (other.ports.some((taken) => pod.ports.some((wanted) => clash(taken, wanted)))) {
      return ["node(s) didn't have free ports for the requested pod ports"];
    }
  }
  return null;
}

function clash(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
}

/** Every resource that is short is named, as is a full node. */
export function filterResources(pod: SchedulingPod, node: SchedulingNode): FilterAnswer {
  const short: string[] = [];
  if (node.pods.size + 1 > (node.allocatable.get('pods') ?? 0)) short.push('Too many pods');
  for (const [resource, amount] of pod.requests) {
    if (amount > 0 && amount > (node.allocatable.get(resource) ?? 0) - (node.requested.get(resource) ?? 0))
      short.push(`Insufficient ${resource}`);
  }
  return short.length === 0 ? null : short;
}
