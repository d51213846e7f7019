import type { WaitingRaiseCounts } from '../../apis/http/types.generated.ts';

/** Counts workloads and pods whose raises wait for node capacity; null and undefined are workloads without such a raise. */
export function countWaitingRaises(all: readonly ({ readonly pods: number } | null | undefined)[]): WaitingRaiseCounts {
  const waiting = all.flatMap((raise) => raise ?? []);
  return { workloads: waiting.length, pods: waiting.reduce((sum, { pods }) => sum + pods, 0) };
}
