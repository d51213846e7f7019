// Looks for harm in pods that were born with what is in force: a size that served while it was lived in may be too small to
// start with. What is taken back is the size at birth: new pods are born as the template asks again.

import { POD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { newNormalsOf } from '../../exceptions/new-normals.ts';
import type { PodRecord } from '../../model/pod.ts';
import type { OptionalResources } from '../../model/resources.ts';
import { MINUTE_MS, type DurationMs } from '../../model/units.ts';
import { lowersAnything, type Values } from './container-values.ts';
import { isShortLived } from './interlocks.ts';
import { fitPod } from './pod-change.ts';
import type { WorkloadSituation } from './situation.ts';
import { failedSince } from './stages.ts';

/** Slow starters take minutes; a pod that is not ready after as long as this has not come up. */
const COMES_UP_MS: DurationMs = 10 * MINUTE_MS;

export interface BirthHarm {
  readonly reason: 'restarts' | 'readiness';
  readonly message: string;
  /** What pods are to be born with from now on. */
  readonly asDeployed: Values;
}

/** Why what is in force should be taken back; null: no sign of harm, or none that the size is to blame for. */
export function harmAtBirth(situation: WorkloadSituation): BirthHarm | null {
  const { memory, policy, pods, workload, now } = situation;
  const { onRestarts, withinMs } = policy.rollback;
  const settled = memory.lastApplied;
  if (settled === null || memory.apply !== null || onRestarts === 0 || isShortLived(workload.kind)) return null;
  if (memory.rolledBack?.at === settled.at) return null;
  const asDeployed = smallerThanDeployed(situation, settled.values);
  if (asDeployed === null) return null;
  const having = pods.filter((pod) => hasIt(pod, settled.values, situation));
  const born = having.filter((pod) => pod.annotations[POD_ANNOTATIONS.born] !== undefined && pod.createdAt >= settled.at);
  const isYoung = ({ createdAt }: PodRecord): boolean => now - createdAt < COMES_UP_MS + withinMs;
  // Whoever lives well with it shows that something else ails the others: a new image, say.
  if (having.some((pod) => pod.readySince !== null && now - pod.readySince >= withinMs && !failedAfter(pod, settled.at))) return null;
  const young = born.filter(isYoung);
  const failed = young.filter((pod) => failedAfter(pod, pod.createdAt));
  if (failed.length >= onRestarts) return { reason: 'restarts', message: `restarted after birth: ${namesOf(failed)}`, asDeployed };
  const down = young.filter(({ readySince, createdAt }) => readySince === null && now - createdAt >= COMES_UP_MS);
  const othersToo = pods.some((pod) => !born.includes(pod) && pod.phase === 'Running' && pod.readySince === null);
  if (down.length === 0 || othersToo) return null;
  return { reason: 'readiness', message: `not ready since birth: ${namesOf(down)}`, asDeployed };
}

/** What the template asks for; null: nothing in force is less than that. */
function smallerThanDeployed({ workload, memory }: WorkloadSituation, settled: Values): Values | null {
  const deployed: Values = new Map(
    workload.containers.map(({ name, requests, limits }) => [
      name,
      { requests, limits: notLess(limits, newNormalsOf(name, memory.limitExceptions)) },
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

function failedAfter({ containers }: PodRecord, since: number): boolean {
  return containers.some(({ lastTermination }) => failedSince(lastTermination, since));
}

function namesOf(pods: readonly PodRecord[]): string {
  return pods
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ');
}
