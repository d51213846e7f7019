// Sync state and current problem of an informer; logs when the problem changes.

import type { Logger } from '../../../ports/logger.ts';
import type { InformerProblem } from './informer-problem.ts';

export class InformerProgress {
  readonly #logger: Logger;
  readonly #required: boolean;
  readonly #waiting: (() => void)[] = [];
  #synced = false;
  #problem: InformerProblem | null = null;

  constructor(logger: Logger, required: boolean) {
    this.#logger = logger;
    this.#required = required;
  }

  get isSynced(): boolean {
    return this.#synced;
  }

  /** Message of the current problem; null: none. */
  get problem(): string | null {
    return this.#problem?.message ?? null;
  }

  waitForSync(): Promise<void> {
    return this.#synced ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  markSynced(objects: number): void {
    if (this.#synced) return;
    this.#synced = true;
    this.#logger.debug('Informer has listed', { objects });
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Logs a problem when it starts, changes or ends (null), so that a retry every 30 s does not fill the log. */
  report(problem: InformerProblem | null): void {
    const before = this.#problem;
    this.#problem = problem;
    if (problem?.message === before?.message) return;
    if (problem === null) {
      this.#logger.info('Informer recovered', { before: before?.message });
      return;
    }
    const fields = { problem: problem.message };
    if (this.#required) this.#logger.error('Informer failed; retrying', fields);
    else if (problem.code === 'not-served') this.#logger.info('Informer is waiting for its resource to be served', fields);
    else this.#logger.warn('Informer failed; retrying', fields);
  }
}
