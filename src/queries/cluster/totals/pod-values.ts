// What one pod adds to the sums over the cluster.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { countedRequests } from '#kube/records/pod';
import { requestsBesideContainers } from '#kube/records/pod-requests';
import { withDefaults, type OptionalResources } from '#kube/records/resources';
import { HOURS_PER_MONTH, type Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import { requestCost } from '../../../core/cost/request-cost.ts';
import type { NodePrice } from '../../../ports/price-source.ts';
import type { CurrentUsage } from '../../sources.ts';
import { COLUMN, cpuParts, memoryParts, usdParts } from './exact-sums.ts';

/** What a pod's values depend on besides its record. */
export interface PodInputs {
  /** Containers of the template of its workload; empty where it has none. */
  readonly template: WorkloadRecord['containers'];
  /** null per resource without a recommendation. */
  readonly recommendedOf: (container: string) => OptionalResources;
  readonly usageOf: (container: string) => CurrentUsage | null;
  /** Price of its node; null where it is unknown. */
  readonly price: NodePrice | null;
}

/** Whether a pod uses capacity of a node: it is bound and has not completed. */
export function isUsingCapacity(pod: PodRecord): boolean {
  return pod.node !== null && !isDone(pod);
}

/** Writes the values of a pod to a row. @returns when they change without a change of their inputs */
export function writePodValues(row: Float64Array, pod: PodRecord, inputs: PodInputs): Instant {
  row.fill(0);
  countPhase(row, pod);
  if (!isUsingCapacity(pod)) return Number.POSITIVE_INFINITY;
  row[COLUMN.pods] = 1;
  let until = Number.POSITIVE_INFINITY;
  const costs = { requested: 0, used: 0 };
  for (const container of pod.containers) {
    const used = inputs.usageOf(container.name);
    until = Math.min(until, used?.until ?? until);
    addContainer(row, container, used, inputs);
    addCosts(row, costs, countedRequests(container), used, inputs.price);
  }
  addBesideContainers(row, costs, pod, inputs);
  // Rounded once for each pod.
  row[COLUMN.cost] = usdParts(costs.requested);
  row[COLUMN.usedCost] = usdParts(costs.used);
  return until;
}

function countPhase(row: Float64Array, pod: PodRecord): void {
  row[COLUMN.total] = 1;
  if (!isDone(pod)) row[COLUMN.active] = 1;
  if (pod.phase === 'Running') row[COLUMN.running] = 1;
  if (pod.phase === 'Failed') row[COLUMN.failed] = 1;
  if (pod.phase !== 'Pending') return;
  row[COLUMN.pending] = 1;
  if (pod.node === null && !pod.schedulable) row[COLUMN.unschedulable] = 1;
}

function addContainer(
  row: Float64Array,
  container: ContainerRecord,
  used: OptionalResources | null,
  { template, recommendedOf }: PodInputs,
): void {
  const requests = countedRequests(container);
  const { limits } = container;
  const recommended = recommendedOf(container.name);
  addRequests(row, requests, deployedRequests(template, container.name, requests), recommended);
  if (recommended.cpuMillicores !== null || recommended.memoryBytes !== null) add(row, COLUMN.recommended, 1);
  if (limits.cpuMillicores === null) add(row, COLUMN.withoutCpuLimit, 1);
  else add(row, COLUMN.limitCpu, cpuParts(limits.cpuMillicores));
  if (limits.memoryBytes === null) add(row, COLUMN.withoutMemoryLimit, 1);
  else add(row, COLUMN.limitMemory, memoryParts(limits.memoryBytes));
  if (used === null) return;
  if (used.cpuMillicores !== null) {
    add(row, COLUMN.cpuKnown, 1);
    add(row, COLUMN.usedCpu, cpuParts(used.cpuMillicores));
  }
  if (used.memoryBytes !== null) {
    add(row, COLUMN.memoryKnown, 1);
    add(row, COLUMN.usedMemory, memoryParts(used.memoryBytes));
  }
  add(row, COLUMN.measured, 1);
  if (isExceeded(used.memoryBytes, container.requests.memoryBytes)) add(row, COLUMN.overMemory, 1);
  if (isExceeded(used.cpuMillicores, container.requests.cpuMillicores)) add(row, COLUMN.overCpu, 1);
}

function addRequests(row: Float64Array, requests: OptionalResources, deployed: OptionalResources, recommended: OptionalResources): void {
  const [cpu, memory] = [requests.cpuMillicores ?? 0, requests.memoryBytes ?? 0];
  add(row, COLUMN.requestedCpu, cpuParts(cpu));
  add(row, COLUMN.requestedMemory, memoryParts(memory));
  add(row, COLUMN.deployedCpu, cpuParts(deployed.cpuMillicores ?? 0));
  add(row, COLUMN.deployedMemory, memoryParts(deployed.memoryBytes ?? 0));
  add(row, COLUMN.recommendedCpu, cpuParts(recommended.cpuMillicores ?? cpu));
  add(row, COLUMN.recommendedMemory, memoryParts(recommended.memoryBytes ?? memory));
}

function addCosts(
  row: Float64Array,
  costs: { requested: number; used: number },
  requests: OptionalResources,
  used: OptionalResources | null,
  price: NodePrice | null,
): void {
  if (price === null) return;
  add(row, COLUMN.priced, 1);
  costs.requested += requestCost(requests, price, HOURS_PER_MONTH);
  if (used === null) return;
  add(row, COLUMN.usedPriced, 1);
  costs.used += requestCost(lesserOf(used, requests), price, HOURS_PER_MONTH);
}

/** Requests of init containers and pod overhead beyond the containers, which have no usage and no limit. */
function addBesideContainers(
  row: Float64Array,
  costs: { requested: number; used: number },
  pod: PodRecord,
  { recommendedOf, price }: PodInputs,
): void {
  if (pod.initContainers === undefined && pod.overhead === undefined) return;
  const requests = requestsBesideContainers(pod, countedRequests);
  const isRecommended = (row[COLUMN.recommended] ?? 0) > 0;
  const recommended = requestsBesideContainers(pod, (container) => withDefaults(recommendedOf(container.name), countedRequests(container)));
  addRequests(row, requests, requests, isRecommended ? recommended : requests);
  addCosts(row, costs, requests, null, price);
}

/** Requests of a container in its template; those of the pod where the template has none, as with an injected container or a LimitRange. */
function deployedRequests(template: WorkloadRecord['containers'], container: string, ofPod: OptionalResources): OptionalResources {
  const deployed = template.find(({ name }) => name === container)?.requests;
  return deployed === undefined ? ofPod : withDefaults(deployed, ofPod);
}

function add(row: Float64Array, column: number, amount: number): void {
  row[column] = (row[column] ?? 0) + amount;
}

function isDone({ phase }: PodRecord): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function isExceeded(used: number | null, request: number | null): boolean {
  return used !== null && request !== null && used > request;
}

function lesserOf(used: OptionalResources, requests: OptionalResources): OptionalResources {
  return {
    cpuMillicores: Math.min(used.cpuMillicores ?? 0, requests.cpuMillicores ?? 0),
    memoryBytes: Math.min(used.memoryBytes ?? 0, requests.memoryBytes ?? 0),
  };
}
