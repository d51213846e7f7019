// Every case of the contract, for those who run them all.

import type { ContractCase } from './contract-case.ts';
import { DISCOVERY_CASES } from './cases/discovery.ts';
import { AUTHORIZATION_CASES } from './cases/authorization.ts';
import { CUSTOM_RESOURCE_CASES } from './cases/custom-resources.ts';
import { DEFINITION_CASES } from './cases/definitions.ts';
import { ERROR_CASES } from './cases/errors.ts';
import { LIST_CASES } from './cases/lists.ts';
import { OWN_KIND_CASES } from './cases/own-kinds.ts';
import { REPRESENTATION_CASES } from './cases/representations.ts';
import { SELECTOR_CASES } from './cases/selectors.ts';
import { WATCH_CASES } from './cases/watches.ts';

export const ALL_CASES: readonly ContractCase[] = [
  DISCOVERY_CASES,
  AUTHORIZATION_CASES,
  CUSTOM_RESOURCE_CASES,
  DEFINITION_CASES,
  ERROR_CASES,
  LIST_CASES,
  OWN_KIND_CASES,
  REPRESENTATION_CASES,
  SELECTOR_CASES,
  WATCH_CASES,
].flat();
