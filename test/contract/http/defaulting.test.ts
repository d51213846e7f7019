import { DEFAULT_CASES } from './cases/defaulting.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(DEFAULT_CASES);
