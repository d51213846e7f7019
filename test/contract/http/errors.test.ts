import { ERROR_CASES } from './cases/errors.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(ERROR_CASES);
