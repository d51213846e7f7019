import { resolvable, type Refusal } from '../refusal.ts';
import type { SchedulingPod, SchedulingView } from '../scheduling-model.ts';

export const SOLE_CLAIM_IN_USE = resolvable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

/** Claims with ReadWriteOncePod of a pod, and their use by scheduled pods. */
export class SoleClaims {
  readonly #names: ReadonlySet<string>;
  readonly #namespace: string;
  #uses = 0;

  constructor(pod: SchedulingPod, view: SchedulingView) {
    this.#namespace = pod.namespace;
    this.#names = soleClaimsOf(pod, view);
    if (this.#names.size === 0) return;
    const used = new Set<string>();
    for (const { pods } of view.nodes) for (const other of pods.values()) for (const name of this.#usedBy(other)) used.add(name);
    this.#uses = used.size;
  }

  /** Adds (1) or removes (−1) another pod on a node. */
  update(other: SchedulingPod, change: 1 | -1): void {
    if (this.#names.size > 0) this.#uses += change * this.#usedBy(other).length;
  }

  filter(): Refusal | null {
    return this.#uses > 0 ? SOLE_CLAIM_IN_USE : null;
  }

  #usedBy(other: SchedulingPod): readonly string[] {
    if (other.namespace !== this.#namespace) return [];
    return other.claims.filter(({ name, ephemeral }) => !ephemeral && this.#names.has(name)).map(({ name }) => name);
  }
}

/** Names of the pod's claims with ReadWriteOncePod. */
export function soleClaimsOf(pod: SchedulingPod, { storage }: Pick<SchedulingView, 'storage'>): ReadonlySet<string> {
  const names = pod.claims.filter(({ ephemeral }) => !ephemeral).map(({ name }) => name);
  return new Set(names.filter((name) => storage.findClaim(pod.namespace, name)?.accessModes.includes('ReadWriteOncePod') === true));
}
