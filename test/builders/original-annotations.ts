// Annotations with original values as Evenkeel writes them, without a signature.

import type { RecordedTarget } from '../../src/core/hpa/recorded-target.ts';
import { withTargets } from '../../src/core/hpa/recorded-target.ts';
import type { Instant } from '#kube/units';
import { writeOriginalValues } from '../../src/core/ownership/original-values.ts';
import { NO_ORIGINAL_VALUES, take, type OwnedFieldName } from '../../src/core/ownership/owners.ts';

const NO_FIELDS = { minReplicas: 1, maxReplicas: 1, resourceMetrics: [] };

/** Original targets of an autoscaler whose targets follow the requests. */
export function targetsAnnotation(targets: readonly RecordedTarget[], issuedAt: Instant): string {
  return writeOriginalValues(withTargets(NO_ORIGINAL_VALUES, targets, NO_FIELDS, issuedAt));
}

/** Original replica count of an idled workload, or of its autoscaler, once the idle value is in force. */
export function idleOriginal(field: OwnedFieldName, { user, value, since }: { user: number; value: number; since: Instant }): string {
  return writeOriginalValues(take(NO_ORIGINAL_VALUES, { writer: 'idle', field, value, live: value, at: since, user }));
}
