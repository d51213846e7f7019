// Eligible nodes of a DaemonSet's pods, by the rules of the scheduler and the tolerations of daemon pods.

import { decodeSchedulingPod } from '../../scheduler/decode-pod.ts';
import { isNodeAffinityMet } from '#kube/scheduling/filters/node-affinity';
import { isTolerated } from '#kube/scheduling/filters/node-rules';
import { NodeEntry } from '../../scheduler/node-entry.ts';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { Node } from '../wire/node.ts';
import type { Pod, PodSpec, WireToleration } from '../wire/pod.ts';
import type { DaemonSet } from '../wire/workload.ts';

const LOST_NODE_CONDITIONS = ['not-ready', 'unreachable'] as const;
const TOLERATED_CONDITIONS = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'] as const;

export interface NodeFitness {
  /** A pod should be started on the node. */
  readonly shouldRun: boolean;
  /** An existing pod may remain on the node. */
  readonly mayStay: boolean;
}

/** Tolerations by which daemon pods stay on nodes that other pods leave or avoid. */
function daemonTolerations(spec: PodSpec): WireToleration[] {
  const toleration = (name: string, effect: string): WireToleration => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect });
  return [
    ...LOST_NODE_CONDITIONS.map((name) => toleration(name, 'NoExecute')),
    ...TOLERATED_CONDITIONS.map((name) => toleration(name, 'NoSchedule')),
    ...(spec.hostNetwork === true ? [toleration('network-unavailable', 'NoSchedule')] : []),
  ];
}

/** A pod of the set's template as the scheduler sees it, to be checked against many nodes. */
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
  if (!isNodeAffinityMet(pod, view)) return { shouldRun: false, mayStay: false };
  const untolerated = view.taints.filter((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(pod.tolerations, taint));
  return { shouldRun: untolerated.length === 0, mayStay: !untolerated.some(({ effect }) => effect === 'NoExecute') };
}

/** Node affinity to one node by name, so that the scheduler binds the pod only there. */
export function pinToNode(spec: PodSpec, node: string): PodSpec {
  const byName = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] };
  return {
    ...spec,
    affinity: {
      ...spec.affinity,
      nodeAffinity: {
        ...spec.affinity?.nodeAffinity,
        // Replaces the template's terms, which the node is known to satisfy.
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [byName] },
      },
    },
    tolerations: [...(spec.tolerations ?? []), ...daemonTolerations(spec)],
  };
}

/** The current or intended node of a DaemonSet's pod. */
export function nodeOf(pod: Pod): string | undefined {
  if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') return pod.spec.nodeName;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap((term) => term.matchFields ?? []).find(({ key }) => key === 'metadata.name')?.values?.[0];
}
