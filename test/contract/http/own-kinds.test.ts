import { OWN_KIND_CASES } from './cases/own-kinds.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(OWN_KIND_CASES);
