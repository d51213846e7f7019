// One area of the contract as jest tests against an embedded cluster of its own.

import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { HANG_TEST_MS } from '../../eventually.ts';
import type { ContractCase } from './contract-case.ts';
import { startEmbeddedTarget, type EmbeddedTarget } from './embedded-target.ts';
import { ContractRun } from './run-cases.ts';

export function describeOnEmbedded(cases: readonly ContractCase[]): void {
  describe.each([...new Set(cases.map((each) => each.area))])('%s', (area) => {
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

    test.each(cases.filter((each) => each.area === area).map((each) => [each.name, each] as const))(
      '%s',
      (_, each) => contract.run(each),
      HANG_TEST_MS,
    );
  });
}
