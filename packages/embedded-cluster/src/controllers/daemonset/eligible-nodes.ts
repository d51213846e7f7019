// Where a DaemonSet's pods belong. The rules are the scheduler's own; the tolerations are those that daemons are given.

import { decodeSchedulingPod } from '../../scheduler/decode-pod.ts';
import { matchesNodeAffinity } from '#kube/scheduling/node-affinity';
import { tolerates } from '#kube/scheduling/node-rules';
import { NodeEntry } from '../../scheduler/node-entry.ts';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { Node } from '../wire/node.ts';
import type { Pod, PodSpec, WireToleration } from '../wire/pod.ts';
import type { DaemonSet } from '../wire/workload.ts';

const KEPT_ON_LOST_NODES = ['not-ready', 'unreachable'] as const;
const PLACED_DESPITE = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'] as const;

export interface NodeFitness {
  /** A pod should be started there. */
  readonly shouldRun: boolean;
  /** One that is there already may stay. */
  readonly mayStay: boolean;
}

/** Daemons stay where other pods leave, and go where other pods do not. */
function daemonTolerations(spec: PodSpec): WireToleration[] {
  const toleration = (name: string, effect: string): WireToleration => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect });
  return [
    ...KEPT_ON_LOST_NODES.map((name) => toleration(name, 'NoExecute')),
    ...PLACED_DESPITE.map((name) => toleration(name, 'NoSchedule')),
    ...(spec.hostNetwork === true ? [toleration('network-unavailable', 'NoSchedule')] : []),
  ];
}

/** The set's template as the scheduler would see a pod of it, to be held against many nodes. */
export function daemonPod(set: DaemonSet): SchedulingPod {
  const { spec } = set.spec.template;
  const tolerations = [...(spec.tolerations ?? []), ...daemonTolerations(spec)];
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...set.metadata, labels: set.spec.template.metadata?.labels ?? {}, ownerReferences: [] },
    spec: { ...spec, tolerations },
    status: {},
  };
  return decodeSchedulingPod(pod);
}

export function fitnessOf(pod: SchedulingPod, node: Node): NodeFitness {
  const view = new NodeEntry(node.metadata.name);
  view.update(node);
  if (!matchesNodeAffinity(pod, view)) return { shouldRun: false, mayStay: false };
  const untolerated = view.taints.filter((taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(pod.tolerations, taint));
  return { shouldRun: untolerated.length === 0, mayStay: !untolerated.some(({ effect }) => effect === 'NoExecute') };
}

/** Ties a pod to one node by its name; the scheduler then binds it there and nowhere else. */
export function pinnedTo(spec: PodSpec, node: string): PodSpec {
  const byName = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] };
  return {
    ...spec,
    affinity: {
      ...spec.affinity,
      nodeAffinity: {
        ...spec.affinity?.nodeAffinity,
        // Replaces the template's own terms: the node has been found to meet them.
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [byName] },
      },
    },
    tolerations: [...(spec.tolerations ?? []), ...daemonTolerations(spec)],
  };
}

/** The node that a pod of a DaemonSet is on or is meant for. */
export function nodeOf(pod: Pod): string | undefined {
  if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') return pod.spec.nodeName;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap((term) => term.matchFields ?? []).find(({ key }) => key === 'metadata.name')?.values?.[0];
}
