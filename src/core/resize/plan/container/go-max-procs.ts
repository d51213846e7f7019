// Go uses at most GOMAXPROCS CPUs at once, whatever request and limit become. The target is not changed for it; the explanation
// reports a request or limit that does not match.

import type { ExplanationStep } from '../../../model/explanation-step.ts';
import { formatCpu } from '#kube/quantity';
import type { RequestsAndLimits } from '#kube/records/resources';

/** Explanation of a CPU request or limit that does not fit GOMAXPROCS; empty: it fits, or is unknown. */
export function goMaxProcsSteps(goMaxProcs: number | null, { requests, limits }: RequestsAndLimits): readonly ExplanationStep[] {
  const request = requests.cpuMillicores;
  if (goMaxProcs === null || request === null) return [];
  const uses = goMaxProcs * 1000;
  const explain = (detail: string): readonly ExplanationStep[] => [{ resource: 'cpu', step: 'runtime', detail, total: request }];
  const limit = limits.cpuMillicores;
  if (limit !== null && limit < uses) {
    return explain(
      `GOMAXPROCS allows Go ${formatCpu(uses)} CPU at once, above the limit of ${formatCpu(limit)}, which throttles it: ` +
        `set it to ${Math.max(1, Math.floor(limit / 1000))}, or remove it with Go 1.25 or newer, which respects the limit`,
    );
  }
  return request > uses ? explain(`GOMAXPROCS allows Go at most ${formatCpu(uses)} CPU at once: a greater request stays unused`) : [];
}
