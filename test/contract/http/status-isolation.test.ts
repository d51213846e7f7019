import { STATUS_CASES } from './cases/status-isolation.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(STATUS_CASES);
