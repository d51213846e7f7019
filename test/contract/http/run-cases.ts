// Runs cases against one server.

import { CaseContext, type ContractCase } from './contract-case.ts';
import { RawClient, type ApiTarget } from './raw-client.ts';

export class ContractRun {
  readonly #client: RawClient;
  #started = 0;

  constructor(target: ApiTarget) {
    this.#client = new RawClient(target);
  }

  /** Rejects where the server does not keep the rule. What the case made outside of namespaces is gone after. */
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
