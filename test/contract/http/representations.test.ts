import { REPRESENTATION_CASES } from './cases/representations.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(REPRESENTATION_CASES);
