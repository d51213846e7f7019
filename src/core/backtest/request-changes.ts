// The requests of a replay as a list of changes: what was requested, and from when on it held.

import { MiB } from '#kube/units';
import { SLOT_SECONDS } from './time-grid.ts';

/** From `second` on these requests held; null: not known yet, or not recorded. */
export interface RequestChange {
  readonly second: number;
  readonly cpuMillicores: number | null;
  readonly memoryBytes: number | null;
}

/** Every change of a request, in time; the first is the first decision. Requests by slot, NaN before it. */
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

/** The changes as CSV, `t_s,cpu_m,mem_mib`; an empty cell where a request is not known. Numbers are written exactly. */
export function changesCsv(changes: readonly RequestChange[]): string {
  const rows = changes.map(({ second, cpuMillicores, memoryBytes }) =>
    [second, cpuMillicores ?? '', memoryBytes === null ? '' : memoryBytes / MiB].join(','),
  );
  return ['t_s,cpu_m,mem_mib', ...rows, ''].join('\n');
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
