// The memory of a workload, read from the status of its Recommendation that was written last.

import type { Recommendation } from '../../../apis/v1alpha1/index.ts';
import type { WorkloadKey } from '#kube/records/workload';
import { readMemory } from '../../../core/resize/status/memory-codec.ts';
import type { ResizeMemory } from '../../../core/resize/model/situation.ts';
import type { DecidedWorkload } from '../../../state/decision-cache.ts';
import type { RecommendationPorts } from '../ports.ts';

/** A Recommendation as the informers show it, the status that was written last, and the memory in that status. */
export interface LatestMemory {
  readonly recommendation: Recommendation | undefined;
  readonly status: Recommendation['status'];
  readonly memory: ResizeMemory;
}

/** Status objects are immutable, so each one is decoded once. */
const memories = new WeakMap<NonNullable<Recommendation['status']>, ResizeMemory>();

/** An empty memory where no status has been written. */
export function findLatestMemory(ports: Pick<RecommendationPorts, 'cluster' | 'decisions'>, key: WorkloadKey): LatestMemory {
  const recommendation = ports.cluster.findRecommendation(key);
  const status = latestStatus(ports, key, recommendation);
  return { recommendation, status, memory: memoryIn(status) };
}

function memoryIn(status: Recommendation['status']): ResizeMemory {
  if (status === undefined) return readMemory(status);
  let memory = memories.get(status);
  if (memory === undefined) memories.set(status, (memory = readMemory(status)));
  return memory;
}

/**
 * The status that was written last, by this process or as the informers show it. The informers may still show an older one: a decision
 * based on that would start the same change twice.
 */
export function latestStatus(
  { decisions }: Pick<RecommendationPorts, 'decisions'>,
  key: WorkloadKey,
  recommendation: Recommendation | undefined,
): Recommendation['status'] {
  const cached = decisions.find(key);
  const observed = recommendation?.status;
  const unobserved = writtenUnobserved(cached, recommendation);
  if (unobserved !== null) return unobserved.status;
  return cached?.published === true ? observed : (observed ?? cached?.status);
}

/** The resourceVersion of the Recommendation with the status of `latestStatus`; undefined where no object is known. */
export function latestVersion(
  { decisions }: Pick<RecommendationPorts, 'decisions'>,
  key: WorkloadKey,
  recommendation: Recommendation | undefined,
): string | undefined {
  const unobserved = writtenUnobserved(decisions.find(key), recommendation);
  return unobserved?.resourceVersion ?? recommendation?.metadata.resourceVersion;
}

/** The cached decision, where its status was written and the informers still show an older one. */
function writtenUnobserved(cached: DecidedWorkload | undefined, recommendation: Recommendation | undefined): DecidedWorkload | null {
  if (cached?.published !== true || isOfOtherObject(cached, recommendation)) return null;
  const observedAt = recommendation?.status?.updatedAt;
  return observedAt === undefined || (cached.status.updatedAt ?? '') > observedAt ? cached : null;
}

/** Whether the Recommendation was deleted after its memory was read. A user deletes it to discard that memory. */
export function isRecommendationDeleted(
  { cluster }: Pick<RecommendationPorts, 'cluster'>,
  key: WorkloadKey,
  { recommendation }: LatestMemory,
): boolean {
  return recommendation !== undefined && recommendation.metadata.uid !== cluster.findRecommendation(key)?.metadata.uid;
}

/** Whether the decision was cached for another Recommendation. One that was just created has no cached uid and may not be observed yet. */
function isOfOtherObject({ recommendationUid }: DecidedWorkload, recommendation: Recommendation | undefined): boolean {
  return recommendationUid !== undefined && recommendationUid !== recommendation?.metadata.uid;
}
