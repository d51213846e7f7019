import { formatDuration } from '../../model/duration.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import type { RequestsAndLimits } from '#kube/records/resources';
import { MINUTE_MS } from '#kube/units';
import { MIN_HISTORY_MS } from '../../recommender/recommender-rules.ts';
import { MIN_RUNS } from '../../recommender/runs/run-advice.ts';
import type { Values } from '../model/container-values.ts';
import { isShortLived } from './blockers/blockers.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

/** The differences by container, such as `web: cpu 500m → 120m, memory 512Mi → 200Mi`. */
export function changeSummary(from: Values, to: Values): string {
  const parts = [...to].flatMap(([name, values]) => {
    const before = from.get(name);
    const differences = [
      ...difference('cpu', before?.requests.cpuMillicores, values.requests.cpuMillicores, formatCpu),
      ...difference('memory', before?.requests.memoryBytes, values.requests.memoryBytes, formatMemory),
      ...limitDifference(before, values),
    ];
    return differences.length === 0 ? [] : [`${name}: ${differences.join(', ')}`];
  });
  return parts.length === 0 ? 'nothing to change' : parts.join('; ');
}

/** Message: how much usage is still missing before a recommendation is possible. */
export function collectingText(plans: readonly ContainerPlan[], { now, workload }: WorkloadSituation): string {
  if (isShortLived(workload.kind)) {
    const [sampledMs] = plans.flatMap(({ advice }) => advice?.confidenceText ?? []);
    return `${sampledMs ?? 'no run seen yet'}; ${MIN_RUNS} are needed`;
  }
  const since = plans.flatMap(({ advice }) => (advice === null ? [] : [advice.firstSampleAt]));
  const wanted = formatDuration(MIN_HISTORY_MS);
  if (since.length === 0) return `no usage seen yet; ${wanted} of it is needed`;
  const sampledMs = Math.max(0, now - Math.min(...since));
  return `${formatDuration(Math.floor(sampledMs / MINUTE_MS) * MINUTE_MS)} of usage seen; ${wanted} of CPU and memory is needed`;
}

function limitDifference(before: RequestsAndLimits | undefined, after: RequestsAndLimits): string[] {
  return [
    ...difference('cpu limit', before?.limits.cpuMillicores, after.limits.cpuMillicores, formatCpu),
    ...difference('memory limit', before?.limits.memoryBytes, after.limits.memoryBytes, formatMemory),
  ];
}

function difference(what: string, from: number | null | undefined, to: number | null, format: (amount: number) => string): string[] {
  if (to === null || from === to) return [];
  return [`${what} ${from === null || from === undefined ? 'unset' : format(from)} → ${format(to)}`];
}
