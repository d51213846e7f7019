// Go runs on as many CPUs at once as it finds when it starts, and where GOMAXPROCS is set it stays at that, whatever the
// request and the limit become. No number is changed for it; that they do not go together is said.

import type { ExplanationStep } from '../../model/explanation-step.ts';
import { formatCpu } from '#kube/quantity';
import type { RequestsAndLimits } from '#kube/records/resources';

/** Explanation of a CPU request or limit that does not fit GOMAXPROCS; empty: it fits, or is unknown. */
export function goMaxProcsSteps(goMaxProcs: number | null, { requests, limits }: RequestsAndLimits): readonly ExplanationStep[] {
  const request = requests.cpuMillicores;
  if (goMaxProcs === null || request === null) return [];
  const uses = goMaxProcs * 1000;
  const told = (detail: string): readonly ExplanationStep[] => [{ resource: 'cpu', step: 'runtime', detail, total: request }];
  const limit = limits.cpuMillicores;
  if (limit !== null && limit < uses) {
    return told(
      `GOMAXPROCS lets Go use ${formatCpu(uses)} at once, and the limit of ${formatCpu(limit)} throttles it there: ` +
        `set it to ${Math.max(1, Math.floor(limit / 1000))}, or leave it out where Go is 1.25 or newer, which heeds the limit`,
    );
  }
  return request > uses ? told(`GOMAXPROCS lets Go use no more than ${formatCpu(uses)} at once: what is beyond that stays idle`) : [];
}
