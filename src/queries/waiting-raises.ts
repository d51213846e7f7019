import type { WaitingRaiseCounts } from '../apis/http/types.generated.ts';

/** Workloads and pods whose raises wait for node capacity; null and undefined: a workload without such a raise. */
export function countWaitingRaises(all: readonly ({ readonly pods: number } | null | undefined)[]): WaitingRaiseCounts {
  const waiting = all.flatMap((each) => each ?? []);
  return { workloads: waiting.length, pods: waiting.reduce((sum, { pods }) => sum + pods, 0) };
}
