// What is remembered of a workload: the status of its Recommendation as written last, and what it says.

import type { Recommendation } from '../../apis/v1alpha1/index.ts';
import type { WorkloadKey } from '#kube/records/workload';
import { readMemory } from '../../core/resize/status/memory-codec.ts';
import type { ResizeMemory } from '../../core/resize/model/situation.ts';
import type { DecidedWorkload } from '../../state/decision-cache.ts';
import type { RecommendationPorts } from './ports.ts';

export interface Remembered {
  readonly recommendation: Recommendation | undefined;
  readonly status: Recommendation['status'];
  readonly memory: ResizeMemory;
}

/** A status is never changed, and few are written: each is read once. */
const memories = new WeakMap<NonNullable<Recommendation['status']>, ResizeMemory>();

export function remembered(ports: Pick<RecommendationPorts, 'cluster' | 'decisions'>, key: WorkloadKey): Remembered {
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
 * The status as last written. The informers may still show the one before: acting on that would begin a change twice and
 * take the first half of it for what was there before.
 */
export function latestStatus(
  { decisions }: Pick<RecommendationPorts, 'decisions'>,
  key: WorkloadKey,
  recommendation: Recommendation | undefined,
): Recommendation['status'] {
  const own = decisions.find(key);
  const seen = recommendation?.status;
  if (own?.published !== true) return seen ?? own?.status;
  if (isOfAnother(own, recommendation)) return seen;
  if (seen?.updatedAt === undefined) return own.status;
  return (own.status.updatedAt ?? '') > seen.updatedAt ? own.status : seen;
}

/**
 * Whether the Recommendation was deleted since: who deletes it wants what it remembers forgotten, at whatever moment of
 * a decision that falls.
 */
export function wasDeleted({ cluster }: Pick<RecommendationPorts, 'cluster'>, key: WorkloadKey, { recommendation }: Remembered): boolean {
  return recommendation !== undefined && recommendation.metadata.uid !== cluster.findRecommendation(key)?.metadata.uid;
}

// One that was only just made may not be shown yet; one that was seen and is gone, or is another one now, was deleted.
function isOfAnother({ recommendationUid }: DecidedWorkload, recommendation: Recommendation | undefined): boolean {
  return recommendationUid !== undefined && recommendationUid !== recommendation?.metadata.uid;
}
