// The requests of a replay as a list of changes.

import { MiB } from '#kube/units';
import { SLOT_SECONDS } from './time-grid.ts';

/** Requests from `second` on; null: before the first decision, or not recorded. */
export interface RequestChange {
  readonly second: number;
  readonly cpuMillicores: number | null;
  readonly memoryBytes: number | null;
}

/** Changes of requests in order of time. @param cpu requests by slot, NaN before the first decision; so is `memory` */
export function requestChanges(firstSlot: number, cpu: Float64Array | undefined, memory: Float64Array | undefined): RequestChange[] {
  const changes: RequestChange[] = [];
  let [cpuBefore, memoryBefore] = [NaN, NaN];
  for (let index = 0; index < Math.max(cpu?.length ?? 0, memory?.length ?? 0); index++) {
    const [cpuNow, memoryNow] = [cpu?.[index] ?? NaN, memory?.[index] ?? NaN];
    if (Object.is(cpuNow, cpuBefore) && Object.is(memoryNow, memoryBefore)) continue;
    [cpuBefore, memoryBefore] = [cpuNow, memoryNow];
    changes.push({ second: (firstSlot + index) * SLOT_SECONDS, cpuMillicores: known(cpuNow), memoryBytes: known(memoryNow) });
  }
  return changes;
}

/** The changes as CSV, `t_s,cpu_m,mem_mib`; an empty cell for null. Numbers are exact. */
export function changesCsv(changes: readonly RequestChange[]): string {
  const rows = changes.map(({ second, cpuMillicores, memoryBytes }) =>
    [second, cpuMillicores ?? '', memoryBytes === null ? '' : memoryBytes / MiB].join(','),
  );
  return ['t_s,cpu_m,mem_mib', ...rows, ''].join('\n');
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
