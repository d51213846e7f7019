/** Which replicas have reported, in time, that they serve nothing older than a write. */
export interface ReplicaReports {
  /** Names of those that have not. */
  readonly missing: readonly string[];
  /** Whether all replicas could be determined. */
  readonly areKnown: boolean;
}

export const EVERY_REPLICA_REPORTED: ReplicaReports = { missing: [], areKnown: true };

const CODE = 'replica_not_confirmed';

/**
 * The warning of an answer that some replica has not confirmed; none where all have. @param withNames whether the caller may see the names
 * of replicas
 */
export function replicaWarnings(
  { missing, areKnown }: ReplicaReports,
  withNames: boolean,
): readonly { readonly code: string; readonly message: string }[] {
  if (areKnown && missing.length === 0) return [];
  const replicas = !areKnown
    ? 'The replicas could not be listed'
    : withNames
      ? `No report within 10 s from ${missing.join(', ')}`
      : `No report within 10 s from ${missing.length} ${missing.length === 1 ? 'replica' : 'replicas'}`;
  const effect = 'The change is in effect on every replica: what one had read before it has expired, and it reads again or answers 503.';
  return [{ code: CODE, message: `${replicas}. ${effect}` }];
}
