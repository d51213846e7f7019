import type { SeenContainer } from '../../apis/http/types.generated.ts';
import type { RecommendationStatusContainer } from '../../apis/v1alpha1/index.ts';
import { isSameResources, type OptionalResources } from '#kube/records/resources';
import { readRequestsAndLimits } from '../../core/recommendations/quantities.ts';

/**
 * Compares the values that a user has read with the present ones. Every container with a recommended value must be included; absent
 * requests or limits are not compared.
 * @returns null where they are equal, else a sentence with the difference
 */
export function findChangedValue(seen: readonly SeenContainer[], now: readonly RecommendationStatusContainer[]): string | null {
  const recommended = now.filter((container) => container.recommended !== undefined);
  const missing = recommended.find((container) => !seen.some(({ name }) => name === container.name));
  if (missing !== undefined) return `Container ${missing.name} has a recommended value that the request lacks.`;
  for (const container of seen) {
    const current = recommended.find(({ name }) => name === container.name);
    if (current === undefined) return `There is no recommendation for container ${container.name}.`;
    const { requests, limits } = readRequestsAndLimits(current.recommended);
    const seenRequests = container.recommended?.requests ?? container.requests;
    const seenLimits = container.recommended?.limits ?? container.limits;
    const hasMoved =
      (seenRequests !== undefined && !isSame(seenRequests, requests)) || (seenLimits !== undefined && !isSame(seenLimits, limits));
    if (hasMoved || (seenRequests === undefined && seenLimits === undefined)) {
      return `Container ${container.name} is now recommended requests of ${formatResources(requests)} and limits of ${formatResources(limits)}.`;
    }
  }
  return null;
}

function isSame(seen: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null }, now: OptionalResources): boolean {
  return isSameResources({ cpuMillicores: seen.cpuMillicores ?? null, memoryBytes: seen.memoryBytes ?? null }, now);
}

function formatResources({ cpuMillicores, memoryBytes }: OptionalResources): string {
  return `${cpuMillicores === null ? 'no CPU' : `${cpuMillicores}m CPU`} and ${memoryBytes === null ? 'no memory' : `${memoryBytes} bytes`}`;
}
