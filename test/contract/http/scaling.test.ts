import { SCALE_CASES } from './cases/scaling.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(SCALE_CASES);
