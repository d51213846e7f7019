import { UPDATE_CASES } from './cases/updating.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(UPDATE_CASES);
