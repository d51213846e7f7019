import { SELECTOR_CASES } from './cases/selectors.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(SELECTOR_CASES);
