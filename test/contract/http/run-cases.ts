// Runs cases against one server.

import { CaseContext, type ContractCase } from './contract-case.ts';
import { RawClient, type ApiTarget } from './raw-client.ts';

export class ContractRun {
  readonly #client: RawClient;
  readonly #namespaces: string[] = [];
  #started = 0;

  constructor(target: ApiTarget) {
    this.#client = new RawClient(target);
  }

  /** Rejects where the server does not keep the rule. What the case made outside of namespaces is gone after. */
  async run({ run }: ContractCase): Promise<void> {
    this.#started += 1;
    const context = new CaseContext(this.#client, `c${this.#started}`, this.#namespaces);
    try {
      await run(context);
    } finally {
      await context.cleanUp();
    }
  }

  /**
   * Asks for the namespaces' deletion, all together: each costs a real cluster's controllers some sixty requests, which would
   * slow the cases that are still to run.
   */
  async end(): Promise<void> {
    for (const name of this.#namespaces) await this.#client.delete(`/api/v1/namespaces/${name}`);
    this.#client.close();
  }
}
