import { METADATA_CASES } from './cases/metadata-rules.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(METADATA_CASES);
