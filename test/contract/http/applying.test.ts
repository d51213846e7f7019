import { APPLY_CASES } from './cases/applying.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(APPLY_CASES);
