import { DRY_RUN_CASES } from './cases/dry-run.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(DRY_RUN_CASES);
