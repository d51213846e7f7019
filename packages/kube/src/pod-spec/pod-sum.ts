// How the amounts of its containers become a pod's: the one place where init containers, sidecars and main containers are
// summed. Requests of CPU and memory, of all resources that a scheduler knows, and exact ones of a quota differ in the amounts alone.

/** Arithmetic of one kind of amounts. `add` and `raise` may write into the sum, which `zero` made. */
export interface AmountRules<Sum extends Amount, Amount> {
  readonly zero: () => Sum;
  readonly add: (sum: Sum, amount: Amount) => Sum;
  /** The greater of both, each resource by itself. */
  readonly raise: (sum: Sum, other: Sum) => Sum;
}

/**
 * max(main containers and sidecars, each plain init container beside the sidecars before it). Init containers are added in the
 * order of the spec.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/753-sidecar-containers#resources-calculation-for-scheduling-and-pod-admission
 */
export class PodSum<Sum extends Amount, Amount> {
  readonly #rules: AmountRules<Sum, Amount>;
  #running: Sum;
  /** null: none yet, as in most pods. */
  #sidecars: Sum | null = null;
  #starting: Sum | null = null;

  constructor(rules: AmountRules<Sum, Amount>) {
    this.#rules = rules;
    this.#running = rules.zero();
  }

  addMain(amount: Amount): void {
    this.#running = this.#rules.add(this.#running, amount);
  }

  /** A restartable init container. */
  addSidecar(amount: Amount): void {
    this.#running = this.#rules.add(this.#running, amount);
    this.#sidecars = this.#rules.add(this.#sidecars ?? this.#rules.zero(), amount);
  }

  /** A plain init container: it is over when the next one starts. */
  addInit(amount: Amount): void {
    const { zero, add, raise } = this.#rules;
    const beside = this.#sidecars === null ? zero() : add(zero(), this.#sidecars);
    const step = add(beside, amount);
    this.#starting = this.#starting === null ? step : raise(this.#starting, step);
  }

  /** Without the overhead of a RuntimeClass. Read once, at the end. */
  total(): Sum {
    return this.#starting === null ? this.#running : this.#rules.raise(this.#running, this.#starting);
  }
}
