import { DEFINITION_CASES } from './cases/definitions.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(DEFINITION_CASES);
