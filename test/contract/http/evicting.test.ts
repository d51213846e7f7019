import { EVICTION_CASES } from './cases/evicting.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(EVICTION_CASES);
