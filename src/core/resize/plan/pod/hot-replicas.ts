// A replica that uses far more CPU than the others is raised alone, and returns to the common values once its usage is similar again.
// Reductions still follow the highest replica, because a failover may move its role to another one.

import type { ExplanationStep } from '../../../model/explanation-step.ts';
import { INCREASE_RATIO, INCREASE_SLOTS } from '../../../recommender/recommender-rules.ts';
import { SLOT_MS } from '../../../recommender/history/slots.ts';
import { formatCpu } from '#kube/quantity';
import { MINUTE_MS, type DurationMs, type Instant, type Millicores } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { ContainerPlan, ContainerTarget, TargetInputs } from '../../model/container-plan.ts';
import { withAmount, type Values } from '../../model/container-values.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import { HOT_COUNTS_FOR_MS, MIN_REPLICAS, type HotPod } from '../../model/evidence/hot-replicas.ts';
import type { HotReplica, WorkloadSituation } from '../../model/situation.ts';
import { requestBounds } from '../../policy/container-rules.ts';
import { containerMode } from '../../policy/policy-rules.ts';
import { limitsFor } from '../container/container-target.ts';

/** Time for which a replica must be similar to the others; the same for which a temporary increase outlives its cause. */
const SIMILAR_FOR_MS: DurationMs = INCREASE_SLOTS * SLOT_MS;
/** Interval at which the time of the last hot minute is stored. */
const REFRESH_MS: DurationMs = 15 * MINUTE_MS;

/** The values for a pod, with the CPU that was raised for it because it is hot. */
export function withHotReplica(
  values: Values,
  pod: Pick<PodRecord, 'uid'>,
  { memory, now }: Pick<WorkloadSituation, 'memory' | 'now'>,
): Values {
  const ofPod = memory.hotReplicas.filter((each) => each.uid === pod.uid && !isSimilarAgain(each, now));
  if (ofPod.length === 0) return values;
  const result = new Map(values);
  for (const { container, cpu } of ofPod) {
    const base = result.get(container);
    const [request, limit] = [base?.requests.cpuMillicores ?? null, base?.limits.cpuMillicores ?? null];
    if (base === undefined || cpu === null || request === null || request >= cpu) continue;
    const limits = limit === null || limit >= cpu ? base.limits : withAmount(base.limits, 'cpu', cpu);
    result.set(container, { requests: withAmount(base.requests, 'cpu', cpu), limits });
  }
  return result;
}

/**
 * The target of all replicas without the need of a hot one. `hotCpu`: CPU request of the hot replica; null: none is hot. While the
 * forecast contains a hot replica's usage, the others are raised only by their measured usage.
 */
export function excludeHotReplicas(
  target: ContainerTarget,
  inputs: TargetInputs,
  name: string,
  mode: ResizeMode,
  situation: WorkloadSituation,
): { readonly target: ContainerTarget; readonly hotCpu: Millicores | null } {
  const [wanted, present] = [target.requests.cpuMillicores, inputs.current.requests.cpuMillicores];
  const hasOwnValues =
    containerMode(inputs.policy, mode) === 'Auto' && (hotPods(situation, name).length > 0 || hasBeenHot(situation, name));
  if (wanted === null || present === null || !hasOwnValues) return { target, hotCpu: null };
  const { othersCpu = null } = situation.demand.find(({ container }) => container === name) ?? {};
  const most = Math.max(present, Math.ceil((othersCpu ?? 0) * INCREASE_RATIO));
  if (wanted <= most) return { target, hotCpu: null };
  const detail = `one replica uses more than 3 × the median and is raised alone, to ${formatCpu(wanted)}`;
  const steps: ExplanationStep[] = [...target.steps, { resource: 'cpu', step: 'replica', detail, total: most }];
  const isWorthIt = wanted - present >= present * inputs.policy.cpu.minChangeRatio;
  const room = situation.freeForPod?.cpuMillicores ?? wanted;
  return { target: limitsFor(inputs, withAmount(target.requests, 'cpu', most), steps), hotCpu: isWorthIt ? Math.min(wanted, room) : null };
}

/** The hot replicas to store, and an Event for each one that is raised; the same array where nothing has changed. */
export function updateHotReplicas(
  situation: WorkloadSituation,
  plans: readonly ContainerPlan[],
): { readonly hotReplicas: readonly HotReplica[]; readonly events: readonly DecisionEvent[] } {
  const { memory, pods, now, policy } = situation;
  const known = memory.hotReplicas.filter(({ at }) => now - at < policy.historyWindowMs);
  const remaining = known.map((each) => refreshed(each, situation, plans));
  const added = plans.flatMap(({ name, hotCpu = null }) =>
    hotPods(situation, name).flatMap(({ pod }): HotReplica[] => {
      const record = pods.find((each) => each.name === pod);
      const isKnown = remaining.some(({ uid, container, cpu }) => uid === record?.uid && container === name && cpu !== null);
      if (record === undefined || hotCpu === null || isKnown) return [];
      return [{ container: name, pod, uid: record.uid, at: now, cpu: Math.max(hotCpu, presentCpu(record, name, situation)) }];
    }),
  );
  const isSame =
    added.length === 0 &&
    remaining.length === memory.hotReplicas.length &&
    remaining.every((each, index) => each === memory.hotReplicas[index]);
  if (isSame) return { hotReplicas: memory.hotReplicas, events: [] };
  const others = remaining.filter((each) => !added.some(({ uid, container }) => uid === each.uid && container === each.container));
  const raised = added.filter(
    ({ uid, container, cpu }) =>
      (cpu ?? 0) >
      requestOf(
        pods.find((each) => each.uid === uid),
        container,
      ),
  );
  const events = raised.map(({ container, pod, cpu }): DecisionEvent => {
    const message = `${pod}: container ${container} uses more than 3 × the median CPU of the replicas; it alone is raised to ${formatCpu(cpu ?? 0)}`;
    return { type: 'Normal', reason: 'HotReplicaRaised', message };
  });
  return { hotReplicas: [...others, ...added], events };
}

/** Part of a decision's message that lists hot replicas; null: none. */
export function hotReplicasText({ memory }: Pick<WorkloadSituation, 'memory'>): string | null {
  const words = memory.hotReplicas.flatMap(({ pod, container, cpu }) => (cpu === null ? [] : [`${pod} (${container} ${formatCpu(cpu)})`]));
  return words.length === 0 ? null : `hot replicas, raised alone for using more than 3 × the median CPU: ${words.join(', ')}`;
}

/** Whether a replica has been similar to the others for so long that it returns to the common values. */
export function isSimilarAgain({ at }: HotReplica, now: Instant): boolean {
  return now - at >= SIMILAR_FOR_MS;
}

/** Replicas that are hot now. None of a DaemonSet, whose pods differ by their nodes. */
function hotPods({ demand, pods, workload, now }: WorkloadSituation, container: string): readonly HotPod[] {
  if (workload.kind === 'DaemonSet' || pods.length < MIN_REPLICAS) return [];
  const { hot = [] } = demand.find((each) => each.container === container) ?? {};
  return hot.filter(
    ({ pod, until }) => now - until <= HOT_COUNTS_FOR_MS && pods.some(({ name, createdAt }) => name === pod && createdAt <= until),
  );
}

function hasBeenHot({ memory, pods }: WorkloadSituation, container: string): boolean {
  return pods.length >= MIN_REPLICAS && memory.hotReplicas.some((each) => each.container === container);
}

function refreshed(replica: HotReplica, situation: WorkloadSituation, plans: readonly ContainerPlan[]): HotReplica {
  const { pods, now } = situation;
  const pod = pods.find(({ uid }) => uid === replica.uid);
  const ofPod = plans.find(({ name }) => name === replica.container);
  if (replica.cpu === null) return replica;
  if (pod === undefined || ofPod === undefined) return { ...replica, cpu: null };
  const isHot = hotPods(situation, replica.container).some((each) => each.pod === replica.pod);
  if (!isHot) return isSimilarAgain(replica, now) && hasCommonCpu(pod, ofPod) ? { ...replica, cpu: null } : replica;
  const { hotCpu = null } = ofPod;
  const cpu = hotCpu !== null && hotCpu >= replica.cpu * (1 + ofPod.policy.cpu.minChangeRatio) ? hotCpu : replica.cpu;
  return cpu === replica.cpu && now - replica.at < REFRESH_MS ? replica : { ...replica, at: now, cpu };
}

function hasCommonCpu(pod: PodRecord, { name, inForce }: ContainerPlan): boolean {
  const request = requestOf(pod, name);
  return request <= (inForce.requests.cpuMillicores ?? request);
}

/** The pod's present request within the policy's max, which a raise of a hot replica does not lower. */
function presentCpu(pod: PodRecord, container: string, { policy, overrides }: WorkloadSituation): Millicores {
  const { max } = requestBounds('cpu', policy, overrides, container, null);
  return Math.min(requestOf(pod, container), max?.value ?? Number.POSITIVE_INFINITY);
}

function requestOf(pod: PodRecord | undefined, container: string): Millicores {
  return pod?.containers.find((each) => each.name === container)?.requests.cpuMillicores ?? 0;
}
