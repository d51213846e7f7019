// Runs cases against one server.

import { CaseContext, type ContractCase } from './contract-case.ts';
import { RawClient, type ApiTarget } from './raw-client.ts';

export class ContractRun {
  readonly #client: RawClient;
  readonly #atEnd = new Set<string>();
  #started = 0;

  constructor(target: ApiTarget) {
    this.#client = new RawClient(target);
  }

  /** Rejects where the server does not keep the rule. What the case made outside of namespaces is gone after. */
  async run({ run }: ContractCase): Promise<void> {
    this.#started += 1;
    const context = new CaseContext(this.#client, `c${this.#started}`, this.#atEnd);
    try {
      await run(context);
    } finally {
      await context.cleanUp();
    }
  }

  /**
   * Deletes what outlived its case: namespaces above all. Each costs a real cluster's controllers some sixty requests, which
   * would slow the cases that are still to run.
   */
  async end(): Promise<void> {
    for (const path of this.#atEnd) await this.#client.delete(path);
    this.#client.close();
  }
}
