import { fnv1a } from '#kube/fnv1a';
import type { WorkloadRef } from '#kube/records/workload';

/** Below the maximum of 253, so that Kubernetes can append a suffix. */
const MAX_NAME = 244;
const HASH_LENGTH = 8;

/** Name of a workload's Recommendation: `<kind>-<workload>` in lower case, truncated with a hash if it is too long. */
export function recommendationName(workload: Pick<WorkloadRef, 'kind' | 'name'>): string {
  const name = `${workload.kind}-${workload.name}`.toLowerCase();
  if (name.length <= MAX_NAME) return name;
  // The hash only distinguishes names that share their first 235 characters.
  const hash = fnv1a(name).toString(16).padStart(HASH_LENGTH, '0');
  return `${name.slice(0, MAX_NAME - HASH_LENGTH - 1).replace(/[.-]+$/, '')}-${hash}`;
}
