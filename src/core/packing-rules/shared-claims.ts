import type { VolumeClaim } from '#kube/scheduling/volumes/storage-model';

interface PodWithClaims {
  readonly claims: readonly VolumeClaim[];
}

/** Pods that mount a claim without a volume, which binds in the zone of its first pod: sets of pods that share one, directly or by others. */
export function claimSharers<Pod extends PodWithClaims>(pods: readonly Pod[]): Pod[][] {
  const parents = [...pods.keys()];
  const rootOf = (at: number): number => {
    let root = at;
    for (let parent = parents[root] ?? root; parent !== root; parent = parents[root] ?? root) {
      // Halves the way for later searches.
      parents[root] = parents[parent] ?? parent;
      root = parent;
    }
    return root;
  };
  const firstOf = new Map<string, number>();
  pods.forEach(({ claims }, at) => {
    for (const { namespace, name, bindCompleted } of claims) {
      if (bindCompleted) continue;
      const key = `${namespace}/${name}`;
      const first = firstOf.get(key);
      if (first === undefined) firstOf.set(key, at);
      else parents[rootOf(at)] = rootOf(first);
    }
  });
  const sets = Map.groupBy(pods.keys(), (at) => rootOf(at));
  return [...sets.values()]
    .filter(({ length }) => length > 1)
    .map((members) =>
      members.flatMap((at) => {
        const pod = pods[at];
        return pod === undefined ? [] : [pod];
      }),
    );
}
