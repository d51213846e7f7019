import { JSON_PATCH_CASES } from './cases/json-patch.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(JSON_PATCH_CASES);
