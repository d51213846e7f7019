import { CREATE_CASES } from './cases/creating.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(CREATE_CASES);
