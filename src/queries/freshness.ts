import type { Warning } from '../apis/http/types.generated.ts';
import { SECOND_MS, type Instant } from '#kube/units';
import type { ReadSources } from './sources.ts';

/** When the informers and the usage source, the older of them, last confirmed what is served; null before the first sync. */
export function confirmedAt({ cluster, usage }: Pick<ReadSources, 'cluster' | 'usage'>): Instant | null {
  if (!cluster.synced()) return null;
  const usageAt = usage.confirmedAt();
  return usageAt === null ? cluster.confirmedAt() : Math.min(cluster.confirmedAt(), usageAt);
}

/** Health names them all. */
const MAX_NAMED = 5;

/** Past this age what is served is marked stale. */
export const STALE_AFTER_SECONDS = 120;

/** The sources that have fallen silent, once the informers have synced; a figure that stands on one is old, or null. */
export function silentSources({
  clock,
  cluster,
  usage,
  missingPermissions,
  pastUsageProblem,
}: Pick<ReadSources, 'clock' | 'cluster' | 'usage' | 'missingPermissions' | 'pastUsageProblem'>): readonly Warning[] {
  if (!cluster.synced()) return [];
  const warnings: Warning[] = [];
  const age = (at: Instant): number => Math.round((clock.now() - at) / SECOND_MS);
  const informers = age(cluster.confirmedAt());
  if (informers > STALE_AFTER_SECONDS) {
    warnings.push({
      code: 'api_server_unavailable',
      message: `The API server has not confirmed the cluster for ${informers} s: what is shown is from then.`,
    });
  }
  const problem = usage.problem();
  const usageAt = usage.confirmedAt();
  if (problem !== null) {
    warnings.push({ code: 'history_unavailable', message: problem });
  } else if (usageAt === null) {
    warnings.push({ code: 'usage_unavailable', message: 'The usage source has not answered yet: figures of usage are null.' });
  } else if (age(usageAt) > STALE_AFTER_SECONDS) {
    const message = `The usage source has not answered for ${age(usageAt)} s: figures of usage are from then.`;
    warnings.push({ code: 'usage_unavailable', message });
  }
  const past = pastUsageProblem?.() ?? null;
  if (past !== null) warnings.push({ code: 'prometheus_unavailable', message: past });
  const missing = missingPermissions();
  if (missing.length > 0) {
    const message = `Evenkeel is not permitted to: ${missing.slice(0, MAX_NAMED).join(', ')}. What needs it is old, missing or not done.`;
    warnings.push({ code: 'permission_missing', message });
  }
  return warnings;
}
