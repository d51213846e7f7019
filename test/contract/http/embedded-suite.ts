// An area of the contract as jest tests of an embedded cluster.

import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { HANG_TEST_MS } from '../../eventually.ts';
import type { ContractCase } from './contract-case.ts';
import { startEmbeddedTarget, type EmbeddedTarget } from './embedded-target.ts';
import { ContractRun } from './run-cases.ts';

/** Declares a test per case; all cases share one embedded cluster. */
export function describeOnEmbedded(cases: readonly ContractCase[]): void {
  describe.each([...new Set(cases.map((contractCase) => contractCase.area))])('%s', (area) => {
    let embedded: EmbeddedTarget;
    let contract: ContractRun;

    beforeAll(async () => {
      embedded = await startEmbeddedTarget();
      contract = new ContractRun(embedded.target);
    }, HANG_TEST_MS);
    afterAll(async () => {
      contract.end();
      await embedded.close();
    }, HANG_TEST_MS);

    test.each(cases.filter((contractCase) => contractCase.area === area).map((contractCase) => [contractCase.name, contractCase] as const))(
      '%s',
      (_, contractCase) => contract.run(contractCase),
      HANG_TEST_MS,
    );
  });
}
