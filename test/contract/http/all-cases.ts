// Every case of the contract, to run all of them.

import { ADMISSION_CASES } from './cases/admitting.ts';
import { APPLY_CASES } from './cases/applying.ts';
import { AUTHORIZATION_CASES } from './cases/authorization.ts';
import { CREATE_CASES } from './cases/creating.ts';
import { CUSTOM_RESOURCE_CASES } from './cases/custom-resources.ts';
import { DEFAULT_CASES } from './cases/defaulting.ts';
import { DEFINITION_CASES } from './cases/definitions.ts';
import { DELETE_CASES } from './cases/deleting.ts';
import { DISCOVERY_CASES } from './cases/discovery.ts';
import { DRY_RUN_CASES } from './cases/dry-run.ts';
import { ERROR_CASES } from './cases/errors.ts';
import { EVICTION_CASES } from './cases/evicting.ts';
import { GARBAGE_CASES } from './cases/garbage.ts';
import { JSON_PATCH_CASES } from './cases/json-patch.ts';
import { LIST_CASES } from './cases/lists.ts';
import { METADATA_CASES } from './cases/metadata-rules.ts';
import { OWN_KIND_CASES } from './cases/own-kinds.ts';
import { RESIZE_CASES } from './cases/pod-resize.ts';
import { REPRESENTATION_CASES } from './cases/representations.ts';
import { SCALE_CASES } from './cases/scaling.ts';
import { SELECTOR_CASES } from './cases/selectors.ts';
import { STATUS_CASES } from './cases/status-isolation.ts';
import { STRATEGIC_CASES } from './cases/strategic-merge.ts';
import { UPDATE_CASES } from './cases/updating.ts';
import { VALIDATION_CASES } from './cases/validating.ts';
import { WATCH_CASES } from './cases/watches.ts';
import type { ContractCase } from './contract-case.ts';

export const ALL_CASES: readonly ContractCase[] = [
  ADMISSION_CASES,
  APPLY_CASES,
  AUTHORIZATION_CASES,
  CREATE_CASES,
  CUSTOM_RESOURCE_CASES,
  DEFAULT_CASES,
  DEFINITION_CASES,
  DELETE_CASES,
  DISCOVERY_CASES,
  DRY_RUN_CASES,
  ERROR_CASES,
  EVICTION_CASES,
  GARBAGE_CASES,
  JSON_PATCH_CASES,
  LIST_CASES,
  METADATA_CASES,
  OWN_KIND_CASES,
  RESIZE_CASES,
  REPRESENTATION_CASES,
  SCALE_CASES,
  SELECTOR_CASES,
  STATUS_CASES,
  STRATEGIC_CASES,
  UPDATE_CASES,
  VALIDATION_CASES,
  WATCH_CASES,
].flat();
