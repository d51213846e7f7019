// Runs cases against one server.

import { CaseContext, type ContractCase } from './contract-case.ts';
import { RawClient, type ApiTarget } from './raw-client.ts';

export class ContractRun {
  readonly #client: RawClient;
  #started = 0;

  constructor(target: ApiTarget) {
    this.#client = new RawClient(target);
  }

  /** Runs a case; rejects when the server violates the rule. Cluster-scoped objects of the case are deleted afterwards. */
  async run({ run }: ContractCase): Promise<void> {
    this.#started += 1;
    const context = new CaseContext(this.#client, `c${this.#started}`);
    try {
      await run(context);
    } finally {
      await context.cleanUp();
    }
  }

  /** Ends watches and connections. */
  end(): void {
    this.#client.close();
  }
}
