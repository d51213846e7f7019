import { CUSTOM_RESOURCE_CASES } from './cases/custom-resources.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(CUSTOM_RESOURCE_CASES);
