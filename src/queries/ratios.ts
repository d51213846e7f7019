import type { Ratios } from '../apis/http/types.generated.ts';
import type { OptionalResources, Resources } from '#kube/records/resources';

/** `part` divided by `whole`, rounded to four decimals; null where either is unknown or `whole` is not positive. */
export function ratiosOf(part: OptionalResources, whole: Resources): Ratios {
  return { cpuRatio: ratioOf(part.cpuMillicores, whole.cpuMillicores), memoryRatio: ratioOf(part.memoryBytes, whole.memoryBytes) };
}

export function ratioOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole <= 0) return null;
  return Math.round((part / whole) * 10_000) / 10_000;
}

/** Rounds to whole units: a mean usage is fractional, and records have integers. */
export function wholeResources(resources: OptionalResources): OptionalResources {
  return { cpuMillicores: whole(resources.cpuMillicores), memoryBytes: whole(resources.memoryBytes) };
}

function whole(amount: number | null): number | null {
  return amount === null ? null : Math.round(amount);
}
