import type { RestorerRegistration } from '../registration.ts';
import { ACCESS } from './access.ts';
import { ADMISSION, RECORD_KEY } from './admission.ts';
import { ANNOTATIONS } from './annotations.ts';
import { AUTOSCALERS } from './autoscalers.ts';
import { DEFINITIONS } from './definitions.ts';
import { IDLE_WORKLOADS } from './idle-workloads.ts';
import { NODE_TRACES } from './nodes.ts';
import { OWN_OBJECTS } from './own-objects.ts';
import { POD_SIZES } from './pod-sizes.ts';

/** In order of dependencies: Recommendations have sizes, and deleting CRDs deletes their objects. */
export const RESTORERS: readonly RestorerRegistration[] = [
  IDLE_WORKLOADS,
  POD_SIZES,
  // After the pods, since a lower target matches the restored requests.
  AUTOSCALERS,
  ADMISSION,
  ACCESS,
  NODE_TRACES,
  ANNOTATIONS,
  OWN_OBJECTS,
  // Records signed by the key are read until then.
  RECORD_KEY,
  DEFINITIONS,
];
