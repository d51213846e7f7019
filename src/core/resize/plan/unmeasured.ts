// CPU is reduced only where the harm would be measured: throttling under a CPU limit, pressure (PSI) without one. Where a node
// measures no pressure, CPU that it has to spare keeps the harm small.

import type { ContainerRecord } from '#kube/records/pod';
import type { Ratio } from '#kube/units';
import { qosOf } from '../model/container-values.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { waiting, type Waiting } from '../model/waiting.ts';
import { isThrottlingMeasured } from './cpu-limit.ts';
import type { DueChange } from './due-changes.ts';
import { unseenBursts } from './guaranteed-cpu.ts';

/** From this share of its CPU in use a node may have none to spare within a minute. */
const BUSY_NODE_RATIO: Ratio = 0.8;

/** @param change a reduction; null: its harm would be measured, or there is CPU to spare */
export function unmeasuredRegression(situation: WorkloadSituation, { resource, container }: DueChange): Waiting | null {
  if (resource !== 'cpu') return null;
  if (!hasCpuLimit(situation, container)) return onBusyNode(situation, container);
  return unmeasuredThrottling(situation, container) ?? burstsOfGuaranteed(situation, container);
}

function unmeasuredThrottling(situation: WorkloadSituation, container: string): Waiting | null {
  if (isThrottlingMeasured(situation, container)) return null;
  const remedy =
    'grant ServiceAccount evenkeel-kubelet-reader get on nodes/metrics and have the certificates of its kubelets trusted, so that /metrics/cadvisor can be read, or set prometheus.url';
  return waiting('unmeasured', `the throttling of ${container} is not measured, so its CPU is not reduced: ${remedy}`);
}

function burstsOfGuaranteed({ pods, workload, advice }: WorkloadSituation, container: string): Waiting | null {
  if ((pods[0]?.qosClass ?? qosOf(workload.containers)) !== 'Guaranteed') return null;
  return unseenBursts(
    container,
    advice.find((each) => each.container === container),
  );
}

function onBusyNode({ pods, cpuOfNodesWithoutPressure }: WorkloadSituation, container: string): Waiting | null {
  for (const { node, phase, containers } of pods) {
    const used = cpuOfNodesWithoutPressure?.get(node ?? '');
    if (used === undefined || phase !== 'Running' || !containers.some(({ name }) => name === container)) continue;
    if (used !== null && used < BUSY_NODE_RATIO) continue;
    const share = used === null ? 'how much of its CPU is used is not known' : `${Math.round(used * 100)} % of its CPU is used`;
    const until = `CPU of ${container} is not reduced before it is less than ${BUSY_NODE_RATIO * 100} %`;
    return waiting('unmeasured', `node ${node ?? ''} measures no pressure (PSI), and ${share}: ${until}`);
  }
  return null;
}

/** In force in any pod; without a pod, as deployed. */
function hasCpuLimit({ pods, workload }: WorkloadSituation, container: string): boolean {
  const running = pods.flatMap(({ containers }) => containers.filter(({ name }) => name === container));
  if (running.length > 0) return running.some((each) => cpuLimitOf(each) !== null);
  return workload.containers.some(({ name, limits }) => name === container && limits.cpuMillicores !== null);
}

/** Before the kubelet has reported it, as asked for. */
function cpuLimitOf({ actual, limits }: ContainerRecord): number | null {
  return (actual ?? { limits }).limits.cpuMillicores;
}
