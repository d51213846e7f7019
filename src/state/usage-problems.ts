import type { Logger } from '../ports/logger.ts';

/** Key of a problem that is no single node's. */
const WHOLE_SOURCE = '';

/** What is wrong with the usage source now, by node. */
export class UsageProblems {
  readonly #logger: Logger;
  readonly #byNode = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Logged when it begins or changes; that it goes on is shown by the metric and by staleness.
   * @param node null: the whole source
   */
  report(node: string | null, problem: string, message: string): void {
    const key = node ?? WHOLE_SOURCE;
    if (this.#byNode.get(key) !== problem) this.#logger.warn(message, { node, problem });
    this.#byNode.set(key, problem);
  }

  /** @param node null: the whole source */
  resolve(node: string | null): void {
    this.#byNode.delete(node ?? WHOLE_SOURCE);
  }

  /** The first of them in words, and how many more nodes have one; null: there is none. */
  summary(): string | null {
    const [first] = this.#byNode.values();
    if (first === undefined) return null;
    return this.#byNode.size === 1 ? first : `${first} (and ${this.#byNode.size - 1} more nodes)`;
  }
}
