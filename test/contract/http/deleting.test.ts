import { DELETE_CASES } from './cases/deleting.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(DELETE_CASES);
