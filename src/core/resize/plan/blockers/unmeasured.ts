// CPU is reduced only where a regression would be measured: throttling with a CPU limit, pressure (PSI) without one. Where a node
// measures no pressure, its spare CPU limits the effect of a reduction.

import type { ContainerRecord } from '#kube/records/pod';
import type { Ratio } from '#kube/units';
import { qosOf } from '../../model/container-values.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';
import { isThrottlingMeasured } from '../container/cpu-limit.ts';
import type { DueChange } from '../due/due-changes.ts';
import { findUnseenBursts } from '../container/guaranteed-cpu.ts';

/** From this share of CPU in use a node may have no spare CPU within a minute. */
const BUSY_NODE_RATIO: Ratio = 0.8;

/** Why a reduction waits because its regressions would not be measured; null: they would, or the nodes have spare CPU. */
export function findUnmeasuredRegression(situation: WorkloadSituation, { resource, container }: DueChange): Waiting | null {
  if (resource !== 'cpu') return null;
  if (!hasCpuLimit(situation, container)) return findBusyNode(situation, container);
  return findUnmeasuredThrottling(situation, container) ?? findGuaranteedBursts(situation, container);
}

function findUnmeasuredThrottling(situation: WorkloadSituation, container: string): Waiting | null {
  if (isThrottlingMeasured(situation, container)) return null;
  const remedy =
    'grant ServiceAccount evenkeel-kubelet-reader get on nodes/metrics and trust the certificates of the kubelets, so that /metrics/cadvisor can be read, or set prometheus.url';
  return waiting('unmeasured', `throttling of ${container} is not measured, so its CPU is not reduced: ${remedy}`);
}

function findGuaranteedBursts({ pods, workload, advice }: WorkloadSituation, container: string): Waiting | null {
  if ((pods[0]?.qosClass ?? qosOf(workload.containers)) !== 'Guaranteed') return null;
  return findUnseenBursts(
    container,
    advice.find((each) => each.container === container),
  );
}

function findBusyNode({ pods, cpuOfNodesWithoutPressure }: WorkloadSituation, container: string): Waiting | null {
  for (const { node, phase, containers } of pods) {
    const used = cpuOfNodesWithoutPressure?.get(node ?? '');
    if (used === undefined || phase !== 'Running' || !containers.some(({ name }) => name === container)) continue;
    if (used !== null && used < BUSY_NODE_RATIO) continue;
    const share = used === null ? 'its CPU usage is unknown' : `its CPU usage is ${Math.round(used * 100)} %`;
    const until = `CPU of ${container} is not reduced until that is below ${BUSY_NODE_RATIO * 100} %`;
    return waiting('unmeasured', `node ${node ?? ''} measures no pressure (PSI), and ${share}: ${until}`);
  }
  return null;
}

/** Whether the container has a CPU limit in any pod, or without pods in the template. */
function hasCpuLimit({ pods, workload }: WorkloadSituation, container: string): boolean {
  const running = pods.flatMap(({ containers }) => containers.filter(({ name }) => name === container));
  if (running.length > 0) return running.some((each) => cpuLimitOf(each) !== null);
  return workload.containers.some(({ name, limits }) => name === container && limits.cpuMillicores !== null);
}

/** The actual CPU limit, or the desired one until the kubelet has reported it. */
function cpuLimitOf({ actual, limits }: ContainerRecord): number | null {
  return (actual ?? { limits }).limits.cpuMillicores;
}
