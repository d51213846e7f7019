import { RESIZE_CASES } from './cases/pod-resize.ts';
import { describeOnEmbedded } from './embedded-suite.ts';

describeOnEmbedded(RESIZE_CASES);
