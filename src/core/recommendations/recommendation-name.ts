import { fnv1a } from '#kube/fnv1a';
import type { WorkloadRef } from '#kube/records/workload';

/** Leaves room for what Kubernetes appends to names. */
const MAX_NAME = 244;
const HASH_LENGTH = 8;

/** `<kind>-<workload>` in lower case, cut with a hash of the whole where it is too long. The same workload, the same name. */
export function recommendationName({ kind, name }: Pick<WorkloadRef, 'kind' | 'name'>): string {
  const whole = `${kind}-${name}`.toLowerCase();
  if (whole.length <= MAX_NAME) return whole;
  // Only distinguishes names that share their first 235 characters.
  const hash = fnv1a(whole).toString(16).padStart(HASH_LENGTH, '0');
  return `${whole.slice(0, MAX_NAME - HASH_LENGTH - 1).replace(/[.-]+$/, '')}-${hash}`;
}
