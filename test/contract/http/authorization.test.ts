import { AUTHORIZATION_CASES } from './cases/authorization.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(AUTHORIZATION_CASES);
