// Every case of the contract, for those who run them all.

import type { ContractCase } from './contract-case.ts';
import { DISCOVERY_CASES } from './cases/discovery.ts';

export const ALL_CASES: readonly ContractCase[] = [DISCOVERY_CASES].flat();
