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

/** Messages for callers that are not admins, because a source's message may contain names of nodes, pods or the leader. */
const PUBLIC_MESSAGES: Readonly<Record<HealthCheck['status'], string>> = {
  ok: 'ok',
  degraded: 'degraded; admins see the reason',
  failed: 'failed; admins see the reason',
};

/** The API contract: the last 100 cycles. */
const MAX_CYCLES = 100;

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
        message: scope.admin ? message : (publicMessage ?? PUBLIC_MESSAGES[status]),
        since: isoTimeOrNull(since),
        latencyMs,
      };
    });
    return selectPage(checks, CHECKS, query, scope);
  }

  mode(): Found<Mode> {
    const { mode, pause, dryRun, leader, features, auth, warnings } = this.#sources.mode.mode();
    const { name, version } = this.#sources.identity;
    const shownPause = pause === null ? null : { reason: pause.reason, until: isoTimeOrNull(pause.until) };
    return found({ mode, pause: shownPause, dryRun, leader, version, features, auth, clusterName: name }, warnings);
  }

  async cycles(scope: Scope, query: Omit<Operations['listResizeStats']['query'], 'format'>): Promise<Page<ResizeCycle> | Refusal> {
    try {
      const cycles = await this.#sources.cycleLog.readCycles(MAX_CYCLES);
      const records = cycles.map((cycle): ResizeCycle => ({ ...cycle, startedAt: isoTime(cycle.startedAt) }));
      return selectPage(records, CYCLES, query, scope);
    } catch (error) {
      this.#sources.logger.warn('Reading history failed', { err: error });
      const warnings = [{ code: 'history_unavailable', message: 'The history store cannot be reached, so past cycles are not shown.' }];
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
