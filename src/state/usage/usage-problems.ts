import type { Logger } from '../../ports/logger.ts';

/** Key of a problem of the whole source. */
const WHOLE_SOURCE = '';

/** Current problems of the usage source, by node. */
export class UsageProblems {
  readonly #logger: Logger;
  readonly #byNode = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Records a problem, and logs it when it begins or changes.
   * @param node null: the whole source
   */
  report(node: string | null, problem: string, message: string): void {
    const key = node ?? WHOLE_SOURCE;
    if (this.#byNode.get(key) !== problem) this.#logger.warn(message, { node, problem });
    this.#byNode.set(key, problem);
  }

  /** Removes a problem. @param node null: the whole source */
  resolve(node: string | null): void {
    this.#byNode.delete(node ?? WHOLE_SOURCE);
  }

  /** Message of the first problem with the count of others; null: none. */
  summary(): string | null {
    const [first] = this.#byNode.values();
    if (first === undefined) return null;
    return this.#byNode.size === 1 ? first : `${first} (and ${this.#byNode.size - 1} more nodes)`;
  }
}
