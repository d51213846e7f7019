/** Why a node is infeasible, with kube-scheduler's messages. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Whether preemption may help (status Unschedulable instead of UnschedulableAndUnresolvable). */
  readonly resolvable: boolean;
}

/** A refusal that preemption may resolve. */
export function resolvable(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: true };
}

/** A refusal that preemption cannot resolve. */
export function final(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: false };
}

/** kube-scheduler's message for all nodes: reasons with their counts, sorted as text. */
export function composeMessage(nodes: number, refusals: Iterable<Refusal>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of refusals) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${parts.join(', ')}.`;
}
