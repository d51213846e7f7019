import { STRATEGIC_CASES } from './cases/strategic-merge.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(STRATEGIC_CASES);
