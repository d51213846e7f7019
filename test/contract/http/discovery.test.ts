import { DISCOVERY_CASES } from './cases/discovery.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(DISCOVERY_CASES);
