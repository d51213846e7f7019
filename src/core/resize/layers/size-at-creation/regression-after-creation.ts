// Detects regressions in pods that were created with the values in force: a size that is enough for a running pod may be too small for
// its start. The size at creation is then rolled back to the values of the template.

import { POD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { approvedBaselinesOf } from '../../plan/container/approved-baselines.ts';
import { namesOf, type PodRecord } from '#kube/records/pod';
import { raiseResources } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { hasReduction, type Values } from '../../model/container-values.ts';
import { isShortLived } from '../../plan/blockers/blockers.ts';
import { fitPod } from '../../plan/pod/pod-change.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { stageMs } from '../../plan/due/stages.ts';
import { hasFailedAfter } from '../../plan/verify/restart-rates.ts';

/** A pod that is not ready after this time has failed to start: slow starts take minutes. */
const MAX_START_UP_MS: DurationMs = 10 * MINUTE_MS;

export interface RegressionAfterCreation {
  readonly reason: 'restarts' | 'readiness';
  readonly message: string;
  /** Values with which pods are created after the roll-back. */
  readonly asDeployed: Values;
}

/** The regression for which the size at creation is rolled back; null: none, or the size is not its cause. */
export function regressionAfterCreation(situation: WorkloadSituation): RegressionAfterCreation | null {
  const { memory, policy, pods, workload, now } = situation;
  const { onRestarts } = policy.rollback;
  const withinMs = stageMs(policy);
  const { lastApplied } = memory;
  if (lastApplied === null || memory.apply !== null || !onRestarts || isShortLived(workload.kind)) return null;
  if (memory.rolledBack?.at === lastApplied.at) return null;
  const asDeployed = deployedIfLarger(situation, lastApplied.values);
  if (asDeployed === null) return null;
  const having = pods.filter((pod) => hasValues(pod, lastApplied.values, situation));
  const created = having.filter((pod) => pod.annotations[POD_ANNOTATIONS.sizeAtCreation] !== undefined && pod.createdAt >= lastApplied.at);
  const isYoung = ({ createdAt }: PodRecord): boolean => now - createdAt < MAX_START_UP_MS + withinMs;
  // A healthy pod with this size shows that the others fail for another reason, for example a new image.
  if (having.some((pod) => pod.readySince !== null && now - pod.readySince >= withinMs && !hasFailedAfter(pod, lastApplied.at)))
    return null;
  const young = created.filter(isYoung);
  const failed = young.filter((pod) => hasFailedAfter(pod, pod.createdAt));
  if (failed.length > 0) return { reason: 'restarts', message: `restarted after creation: ${namesOf(failed)}`, asDeployed };
  const down = young.filter(({ readySince, createdAt }) => readySince === null && now - createdAt >= MAX_START_UP_MS);
  const othersToo = pods.some((pod) => !created.includes(pod) && pod.phase === 'Running' && pod.readySince === null);
  if (down.length === 0 || othersToo) return null;
  return { reason: 'readiness', message: `not ready since creation: ${namesOf(down)}`, asDeployed };
}

/** Values of the template; null: the values in force are not below them. */
function deployedIfLarger({ workload, memory }: WorkloadSituation, inForce: Values): Values | null {
  const deployed: Values = new Map(
    workload.containers.map(({ name, requests, limits }) => [
      name,
      { requests, limits: raiseResources(limits, approvedBaselinesOf(name, memory.limitExceptions)) },
    ]),
  );
  const smaller = [...deployed].some(([name, deployedValues]) => hasReduction(deployedValues, inForce.get(name) ?? deployedValues));
  return smaller ? new Map([...inForce, ...deployed]) : null;
}

function hasValues(pod: PodRecord, inForce: Values, { kubeletVersions }: WorkloadSituation): boolean {
  return pod.phase === 'Running' && fitPod(pod, inForce, kubeletVersions.get(pod.node ?? '') ?? '').kind === 'fits';
}
