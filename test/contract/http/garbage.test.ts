import { GARBAGE_CASES } from './cases/garbage.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(GARBAGE_CASES);
