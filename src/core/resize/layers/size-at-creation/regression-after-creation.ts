// Looks for harm in pods that were created with what is in force: a size that is enough for a running pod may be too small to
// start with. What is taken back is the size at creation: new pods get what their template asks for again.

import { POD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { approvedBaselinesOf } from '../../plan/approved-baselines.ts';
import { namesOf, type PodRecord } from '#kube/records/pod';
import type { OptionalResources } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { lowersAnything, type Values } from '../../model/container-values.ts';
import { isShortLived } from '../../plan/interlocks.ts';
import { fitPod } from '../../plan/pod-change.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { stageMs } from '../../plan/stages.ts';
import { failedAfter } from '../../plan/restart-rates.ts';

/** Slow starters take minutes; a pod that is not ready after as long as this has not come up. */
const COMES_UP_MS: DurationMs = 10 * MINUTE_MS;

export interface RegressionAfterCreation {
  readonly reason: 'restarts' | 'readiness';
  readonly message: string;
  /** What pods are to be created with from now on. */
  readonly asDeployed: Values;
}

/** Why what is in force should be taken back; null: no sign of harm, or none that the size is to blame for. */
export function regressionAfterCreation(situation: WorkloadSituation): RegressionAfterCreation | null {
  const { memory, policy, pods, workload, now } = situation;
  const { onRestarts } = policy.rollback;
  const withinMs = stageMs(policy);
  const settled = memory.lastApplied;
  if (settled === null || memory.apply !== null || !onRestarts || isShortLived(workload.kind)) return null;
  if (memory.rolledBack?.at === settled.at) return null;
  const asDeployed = smallerThanDeployed(situation, settled.values);
  if (asDeployed === null) return null;
  const having = pods.filter((pod) => hasIt(pod, settled.values, situation));
  const created = having.filter((pod) => pod.annotations[POD_ANNOTATIONS.sizeAtCreation] !== undefined && pod.createdAt >= settled.at);
  const isYoung = ({ createdAt }: PodRecord): boolean => now - createdAt < COMES_UP_MS + withinMs;
  // A pod that is well with this size shows that something else ails the others: a new image, say.
  if (having.some((pod) => pod.readySince !== null && now - pod.readySince >= withinMs && !failedAfter(pod, settled.at))) return null;
  const young = created.filter(isYoung);
  const failed = young.filter((pod) => failedAfter(pod, pod.createdAt));
  if (failed.length > 0) return { reason: 'restarts', message: `restarted after creation: ${namesOf(failed)}`, asDeployed };
  const down = young.filter(({ readySince, createdAt }) => readySince === null && now - createdAt >= COMES_UP_MS);
  const othersToo = pods.some((pod) => !created.includes(pod) && pod.phase === 'Running' && pod.readySince === null);
  if (down.length === 0 || othersToo) return null;
  return { reason: 'readiness', message: `not ready since creation: ${namesOf(down)}`, asDeployed };
}

/** What the template asks for; null: nothing in force is less than that. */
function smallerThanDeployed({ workload, memory }: WorkloadSituation, settled: Values): Values | null {
  const deployed: Values = new Map(
    workload.containers.map(({ name, requests, limits }) => [
      name,
      { requests, limits: notLess(limits, approvedBaselinesOf(name, memory.limitExceptions)) },
    ]),
  );
  const smaller = [...deployed].some(([name, asked]) => lowersAnything(asked, settled.get(name) ?? asked));
  return smaller ? new Map([...settled, ...deployed]) : null;
}

/** A limit that a person has approved stays. */
function notLess(limits: OptionalResources, least: OptionalResources): OptionalResources {
  const greater = (a: number | null, b: number | null): number | null => (a === null || b === null ? a : Math.max(a, b));
  return {
    cpuMillicores: greater(limits.cpuMillicores, least.cpuMillicores),
    memoryBytes: greater(limits.memoryBytes, least.memoryBytes),
  };
}

function hasIt(pod: PodRecord, settled: Values, { kubeletVersions }: WorkloadSituation): boolean {
  return pod.phase === 'Running' && fitPod(pod, settled, kubeletVersions.get(pod.node ?? '') ?? '').kind === 'fits';
}
