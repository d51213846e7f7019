/** Why a node cannot take a pod, in kube-scheduler's own words. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Pods that leave the node could change it, so preemption is worth a look. */
  readonly resolvable: boolean;
}

/** Pods that leave could change it. */
export function resolvable(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: true };
}

/** The node itself does not fit, whatever pods run there. */
export function final(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: false };
}

/** The sentence of kube-scheduler about all nodes: reasons with their counts, sorted as text. */
export function composeMessage(nodes: number, refusals: Iterable<Refusal>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of refusals) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const words = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${words.join(', ')}.`;
}
