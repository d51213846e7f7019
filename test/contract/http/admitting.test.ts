import { ADMISSION_CASES } from './cases/admitting.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(ADMISSION_CASES);
