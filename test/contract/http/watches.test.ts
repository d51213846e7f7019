import { WATCH_CASES } from './cases/watches.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(WATCH_CASES);
