// Sum of a pod's containers with init containers and sidecars, generic in the amounts: CPU and memory, all resources of the
// scheduler, and exact quantities of a quota.

/** Arithmetic on one kind of amounts. `add` and `raise` may change the sum in place. */
export interface AmountRules<Sum extends Amount, Amount> {
  readonly zero: () => Sum;
  readonly add: (sum: Sum, amount: Amount) => Sum;
  /** Maximum of each resource. */
  readonly raise: (sum: Sum, other: Sum) => Sum;
}

/**
 * max(main containers + sidecars, each plain init container + the sidecars before it). Init containers must be added in the order
 * of the spec.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/753-sidecar-containers#resources-calculation-for-scheduling-and-pod-admission
 */
export class PodSum<Sum extends Amount, Amount> {
  readonly #rules: AmountRules<Sum, Amount>;
  #running: Sum;
  /** null: no sidecars. */
  #sidecars: Sum | null = null;
  #starting: Sum | null = null;

  constructor(rules: AmountRules<Sum, Amount>) {
    this.#rules = rules;
    this.#running = rules.zero();
  }

  addMain(amount: Amount): void {
    this.#running = this.#rules.add(this.#running, amount);
  }

  /** Adds a restartable init container. */
  addSidecar(amount: Amount): void {
    this.#running = this.#rules.add(this.#running, amount);
    this.#sidecars = this.#rules.add(this.#sidecars ?? this.#rules.zero(), amount);
  }

  /** Adds a plain init container, which ends before the next one starts. */
  addInit(amount: Amount): void {
    const { zero, add, raise } = this.#rules;
    const sidecars = this.#sidecars === null ? zero() : add(zero(), this.#sidecars);
    const step = add(sidecars, amount);
    this.#starting = this.#starting === null ? step : raise(this.#starting, step);
  }

  /** The sum without overhead. Call once, at the end. */
  total(): Sum {
    return this.#starting === null ? this.#running : this.#rules.raise(this.#running, this.#starting);
  }
}
