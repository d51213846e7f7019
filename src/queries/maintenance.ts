import type { Mode, ResizeCycle } from '../apis/http/types.generated.ts';
import { ADMIN } from '../core/access/requirement.ts';
import type { Refusal } from '../core/access/refusal.ts';
import type { Scope } from '../core/access/scope.ts';
import { notAvailableYet } from './not-served-yet.ts';
import type { Found } from './outcome.ts';
import { defineQuery } from './query.ts';
import type { SystemQueries } from './system.ts';
import type { RecommendationQueries } from './workloads/recommendations.ts';

/** What Evenkeel may do now and next. Only resizes exist in this version. */
export interface MaintenanceStatus {
  readonly mode: Mode['mode'];
  readonly pause: Mode['pause'];
  readonly resize: {
    /** Begin of the next maintenance window: not available yet. */
    readonly next: null;
    /** Recommendations in state `awaiting`. */
    readonly deferred: number;
    /** null: no cycle is known. */
    readonly latest: ResizeCycle | null;
  };
  readonly consolidation: null;
}

interface Models {
  readonly system: SystemQueries;
  readonly recommendations: RecommendationQueries;
}

async function maintenanceStatus({ system, recommendations }: Models, scope: Scope): Promise<Found<MaintenanceStatus> | Refusal> {
  const { item: mode, warnings = [] } = system.mode();
  const { items, at } = await recommendations.records();
  const cycles = await system.cycles(scope, { limit: 1, sort: '-startedAt' });
  if (cycles.kind !== 'page') return cycles;
  return {
    kind: 'found',
    item: {
      mode: mode.mode,
      pause: mode.pause,
      resize: { next: null, deferred: items.filter(({ state }) => state === 'awaiting').length, latest: cycles.items[0] ?? null },
      consolidation: null,
    },
    cachedAt: at,
    warnings: [...warnings, ...(cycles.warnings ?? []), notAvailableYet('Maintenance windows and consolidation runs')],
  };
}

export const getMaintenanceStatus = defineQuery({
  requires: ADMIN,
  answer: (models: Models, scope) => maintenanceStatus(models, scope),
});
