import type { RestorerRegistration } from '../registration.ts';
import { ADMISSION, RECORD_KEY } from './admission.ts';
import { ANNOTATIONS } from './annotations.ts';
import { AUTOSCALERS } from './autoscalers.ts';
import { DEFINITIONS } from './definitions.ts';
import { IDLE_WORKLOADS } from './idle-workloads.ts';
import { NODE_TRACES } from './nodes.ts';
import { OWN_OBJECTS } from './own-objects.ts';
import { POD_SIZES } from './pod-sizes.ts';

/** In the order in which they may need each other: Recommendations remember sizes, definitions take their objects along. */
export const RESTORERS: readonly RestorerRegistration[] = [
  IDLE_WORKLOADS,
  POD_SIZES,
  // After the pods: with requests that have grown again a lower target is right.
  AUTOSCALERS,
  ADMISSION,
  NODE_TRACES,
  ANNOTATIONS,
  OWN_OBJECTS,
  // What the key signed is read until then.
  RECORD_KEY,
  DEFINITIONS,
];
