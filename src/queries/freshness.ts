import type { Warning } from '../apis/http/types.generated.ts';
import type { Scope } from '../core/access/scope.ts';
import { SECOND_MS, type Instant } from '#kube/units';
import type { ReadSources } from './sources.ts';

/** Time of the last confirmation by the informers and the usage source, the older of the two; null before the first sync. */
export function confirmedAt({ cluster, usage }: Pick<ReadSources, 'cluster' | 'usage'>): Instant | null {
  if (!cluster.isSynced()) return null;
  const usageAt = usage.confirmedAt();
  return usageAt === null ? cluster.confirmedAt() : Math.min(cluster.confirmedAt(), usageAt);
}

/** Permissions in one message; health lists all of them. */
const MAX_LISTED = 5;

/** Older data is marked stale. */
export const STALE_AFTER_SECONDS = 120;

/** Messages for callers that are not admins, because the reason may name nodes, namespaces, or pods outside the caller's grant. */
const PUBLIC_MESSAGES = {
  history_unavailable: 'Usage is missing or reduced; admins see the reason.',
  prometheus_unavailable: 'Past usage is missing; admins see the reason.',
  permission_missing: 'Evenkeel lacks permissions, so some data is old or missing; admins see which.',
} as const;

/**
 * Warnings about stale or unreachable sources and missing permissions, after the first sync; values that depend on them are old or null. A
 * caller without a credential gets none.
 */
export function listDataWarnings(
  {
    clock,
    cluster,
    usage,
    missingPermissions,
    pastUsageProblem,
  }: Pick<ReadSources, 'clock' | 'cluster' | 'usage' | 'missingPermissions' | 'pastUsageProblem'>,
  scope: Scope,
): readonly Warning[] {
  if (!scope.identified || !cluster.isSynced()) return [];
  const forCaller = (code: keyof typeof PUBLIC_MESSAGES, message: string): Warning => ({
    code,
    message: scope.admin ? message : PUBLIC_MESSAGES[code],
  });
  const warnings: Warning[] = [];
  const age = (at: Instant): number => Math.round((clock.now() - at) / SECOND_MS);
  const informers = age(cluster.confirmedAt());
  if (informers > STALE_AFTER_SECONDS) {
    warnings.push({
      code: 'api_server_unavailable',
      message: `The API server has not confirmed the cluster for ${informers} s, so the data is that old.`,
    });
  }
  const problem = usage.problem();
  const usageAt = usage.confirmedAt();
  if (problem !== null) {
    warnings.push(forCaller('history_unavailable', problem));
  } else if (usageAt === null) {
    warnings.push({ code: 'usage_unavailable', message: 'The usage source has not responded yet, so usage is null.' });
  } else if (age(usageAt) > STALE_AFTER_SECONDS) {
    const message = `The usage source has not responded for ${age(usageAt)} s, so usage is that old.`;
    warnings.push({ code: 'usage_unavailable', message });
  }
  const past = pastUsageProblem?.() ?? null;
  if (past !== null) warnings.push(forCaller('prometheus_unavailable', past));
  const missing = missingPermissions();
  if (missing.length > 0) {
    const message = `Evenkeel is not permitted to: ${missing.slice(0, MAX_LISTED).join(', ')}. Features that require it return old or no data, or do nothing.`;
    warnings.push(forCaller('permission_missing', message));
  }
  return warnings;
}
