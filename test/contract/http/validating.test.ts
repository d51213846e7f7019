import { VALIDATION_CASES } from './cases/validating.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(VALIDATION_CASES);
