import { LIST_CASES } from './cases/lists.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(LIST_CASES);
