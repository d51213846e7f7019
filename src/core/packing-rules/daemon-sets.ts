// Pods of DaemonSets run on every node that they match: what they request is not offered to other pods.

import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { Toleration } from '#kube/pod-spec/toleration';
import { isEveryTaintTolerated, isNodeSelected } from './eligible-shapes.ts';
import type { PoolShape } from './pool-shape.ts';

export interface DaemonDemand {
  readonly cpuMillicores: number;
  readonly memoryMib: number;
  readonly gpus: number;
  readonly rules: Pick<SchedulingRules, 'nodeSelector' | 'nodeTerms' | 'tolerations'>;
}

/** Tolerations that the DaemonSet controller adds. The one of network-unavailable, for pods with hostNetwork, is left out: no pool has the taint. */
const ADDED: readonly Toleration[] = [
  ...toleratedConditions('NoExecute', ['not-ready', 'unreachable']),
  ...toleratedConditions('NoSchedule', ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable']),
];

function toleratedConditions(effect: string, conditions: readonly string[]): Toleration[] {
  return conditions.map((condition) => ({ key: `node.kubernetes.io/${condition}`, operator: 'Exists', value: '', effect }));
}

/** Tolerations of the pods of a DaemonSet. */
export function daemonTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  return [...tolerations, ...ADDED];
}

export function runsOn({ rules }: DaemonDemand, { labels, taints }: PoolShape): boolean {
  return isNodeSelected(rules, labels) && isEveryTaintTolerated(daemonTolerations(rules.tolerations), taints);
}

/** What is left of a shape for other pods: nothing where not even the DaemonSets fit. @param headroom share of CPU, memory and pods that stays free, 0 to 1 */
export function availableShape(shape: PoolShape, daemons: readonly DaemonDemand[], headroom: number): PoolShape {
  const running = daemons.filter((daemon) => runsOn(daemon, shape));
  const sumOf = (resource: 'cpuMillicores' | 'memoryMib' | 'gpus'): number => running.reduce((sum, daemon) => sum + daemon[resource], 0);
  const kept = withHeadroom(shape, headroom);
  const left = {
    cpuMillicores: kept.cpuMillicores - sumOf('cpuMillicores'),
    memoryMib: kept.memoryMib - sumOf('memoryMib'),
    gpus: kept.gpus - sumOf('gpus'),
    maxPods: kept.maxPods - running.length,
  };
  const areDaemonsPlaced = Object.values(left).every((amount) => amount >= 0);
  return { ...kept, ...(areDaemonsPlaced ? left : { cpuMillicores: 0, memoryMib: 0, gpus: 0, maxPods: 0 }) };
}

/** The shape without the share of its CPU, memory and pods that stays free for bursts, rounded down. */
export function withHeadroom(shape: PoolShape, headroom: number): PoolShape {
  if (headroom === 0) return shape;
  const part = (amount: number): number => Math.floor(amount * (1 - headroom) + 1e-9);
  return { ...shape, cpuMillicores: part(shape.cpuMillicores), memoryMib: part(shape.memoryMib), maxPods: part(shape.maxPods) };
}
