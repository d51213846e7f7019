import type { HealthCheck, Mode, Operations, ResizeCycle } from '../apis/http/types.generated.ts';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import { selectPage, type Listing } from './listing.ts';
import type { Refusal } from '../core/access/refusal.ts';
import { found, type Found, type Page } from './outcome.ts';
import type { Scope } from '../core/access/scope.ts';
import type { ReadSources } from './sources.ts';
import { ADMIN, IDENTIFIED } from '../core/access/requirement.ts';
import { defineQuery } from './query.ts';

const CHECKS: Listing<HealthCheck> = {
  id: (check) => check.name,
  namespaceOf: null,
  namesOf: (check) => [check.name],
  defaultSort: 'name',
  levels: { status: ['ok', 'degraded', 'failed'] },
  filters: ['status'],
};

const CYCLES: Listing<ResizeCycle> = {
  id: (cycle) => cycle.id,
  namespaceOf: null,
  namesOf: (cycle) => [cycle.id],
  defaultSort: '-startedAt',
};

/** For callers who may not read names of objects, which a source's own words hold: nodes, pods, the leader's. */
const PUBLIC_WORDS: Readonly<Record<HealthCheck['status'], string>> = {
  ok: 'works as it should',
  degraded: 'works in part; an admin is told why',
  failed: 'does not work; an admin is told why',
};

/** The contract's word: the last 100 cycles. */
const CYCLES_KEPT = 100;

/** `/health`, `/mode` and `/resize-stats`. */
export class SystemQueries {
  readonly #sources: ReadSources;

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  health(scope: Scope, query: Operations['listHealth']['query']): Page<HealthCheck> | Refusal {
    const checks = this.#sources.health.map((source): HealthCheck => {
      const { status, message, publicMessage, since, latencyMs } = source.status();
      return {
        name: source.name,
        status,
        message: scope.admin ? message : (publicMessage ?? PUBLIC_WORDS[status]),
        since: isoTimeOrNull(since),
        latencyMs,
      };
    });
    return selectPage(checks, CHECKS, query, scope);
  }

  mode(): Found<Mode> {
    const { mode, dryRun, leader, features, auth } = this.#sources.mode.mode();
    const { name, version } = this.#sources.identity;
    return found({ mode, dryRun, leader, version, features, auth, clusterName: name });
  }

  async cycles(scope: Scope, query: Operations['listResizeStats']['query']): Promise<Page<ResizeCycle> | Refusal> {
    try {
      const cycles = await this.#sources.cycleLog.readCycles(CYCLES_KEPT);
      const records = cycles.map((cycle): ResizeCycle => ({ ...cycle, startedAt: isoTime(cycle.startedAt) }));
      return selectPage(records, CYCLES, query, scope);
    } catch (error) {
      this.#sources.logger.warn('history out of reach', { err: error });
      const warnings = [{ code: 'history_unavailable', message: 'The store is out of reach, so past cycles are not shown.' }];
      return { kind: 'page', items: [], total: 0, nextCursor: null, warnings };
    }
  }
}

export const listHealth = defineQuery({
  requires: IDENTIFIED,
  answer: ({ system }: { readonly system: SystemQueries }, scope, query: Operations['listHealth']['query']) => system.health(scope, query),
});

export const getMode = defineQuery({
  requires: IDENTIFIED,
  answer: ({ system }: { readonly system: SystemQueries }) => system.mode(),
});

export const listResizeStats = defineQuery({
  requires: ADMIN,
  answer: ({ system }: { readonly system: SystemQueries }, scope, query: Operations['listResizeStats']['query']) =>
    system.cycles(scope, query),
});
