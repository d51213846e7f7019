import type { SeenContainer } from '../apis/http/types.generated.ts';
import type { RecommendationStatusContainer } from '../apis/v1alpha1/index.ts';
import { sameResources, type OptionalResources } from '#kube/records/resources';
import { readRequestsAndLimits } from '../core/recommendations/quantities.ts';

/**
 * Compares what a person saw with what is recommended now. null: they are the same. Else a sentence that says what moved.
 * Every container with a recommended value must have been seen; requests or limits that were left out were not decided on.
 */
export function whatMoved(seen: readonly SeenContainer[], now: readonly RecommendationStatusContainer[]): string | null {
  const recommended = now.filter((container) => container.recommended !== undefined);
  const missing = recommended.find((container) => !seen.some(({ name }) => name === container.name));
  if (missing !== undefined) return `Container ${missing.name} has a recommended value too, and it was not among those seen.`;
  for (const container of seen) {
    const current = recommended.find(({ name }) => name === container.name);
    if (current === undefined) return `Nothing is recommended for a container ${container.name}.`;
    const { requests, limits } = readRequestsAndLimits(current.recommended);
    const seenRequests = container.recommended?.requests ?? container.requests;
    const seenLimits = container.recommended?.limits ?? container.limits;
    const moved = (seenRequests !== undefined && !same(seenRequests, requests)) || (seenLimits !== undefined && !same(seenLimits, limits));
    if (moved || (seenRequests === undefined && seenLimits === undefined)) {
      return `For container ${container.name} requests of ${words(requests)} and limits of ${words(limits)} are recommended now.`;
    }
  }
  return null;
}

function same(seen: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null }, now: OptionalResources): boolean {
  return sameResources({ cpuMillicores: seen.cpuMillicores ?? null, memoryBytes: seen.memoryBytes ?? null }, now);
}

function words({ cpuMillicores, memoryBytes }: OptionalResources): string {
  return `${cpuMillicores === null ? 'no CPU' : `${cpuMillicores}m CPU`} and ${memoryBytes === null ? 'no memory' : `${memoryBytes} bytes`}`;
}
