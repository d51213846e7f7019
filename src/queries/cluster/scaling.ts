import { sumIfAllKnown } from '#kube/records/resources';
import type { Operations, ScalingActivity, Warning } from '../../apis/http/types.generated.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { parseDuration } from '../../core/model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS } from '#kube/units';
import type { TimelineEntry, TimelineFilter } from '../../ports/store/timeline.ts';
import { selectPage, type Listing } from '../listing.ts';
import type { Page } from '../outcome.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

const LISTING: Omit<Listing<ScalingActivity>, 'id'> = {
  namespaceOf: ({ object }) => object.namespace,
  namesOf: ({ object }) => [object.name, object.pod],
  defaultSort: '-time',
  filters: ['kind', 'outcome', 'actor'],
};

/** Maximum of rows that are read, months of a busy cluster; a warning reports that older ones are omitted. */
const MAX_ROWS = 20_000;
const MIN_MS = 5 * 60_000;
const MAX_MS = 90 * DAY_MS;

/** `/scaling`: the changes of objects, with actor and reason. */
export class ScalingQueries {
  readonly #sources: Pick<ReadSources, 'clock' | 'timeline' | 'logger'>;

  constructor(sources: Pick<ReadSources, 'clock' | 'timeline' | 'logger'>) {
    this.#sources = sources;
  }

  async list(scope: Scope, query: Operations['listScaling']['query']): Promise<Page<ScalingActivity> | Refusal> {
    const { clock, timeline, logger } = this.#sources;
    const duration = parseDuration(query.duration);
    if (!duration.ok || duration.value < MIN_MS || duration.value > MAX_MS) {
      return { kind: 'invalid', details: [{ path: '/duration', message: duration.ok ? 'must be from 5m to 90d' : duration.message }] };
    }
    let rows: readonly TimelineEntry[];
    try {
      const since = clock.now() - duration.value;
      rows = await timeline.readEntries({ since, limit: MAX_ROWS, ...namespacesOf(scope, query.namespace) });
    } catch (error) {
      logger.warn('Reading history failed', { err: error });
      const warnings = [{ code: 'history_unavailable', message: 'The history store cannot be reached, so changes are not shown.' }];
      return { kind: 'page', items: [], total: 0, nextCursor: null, warnings };
    }
    const ids = new Map<ScalingActivity, string>();
    for (const [id, changes] of groupChanges(rows)) ids.set(activityOf(changes), id);
    const page = selectPage(ids.keys(), { ...LISTING, id: (item) => ids.get(item) ?? '' }, query, scope);
    if (page.kind !== 'page' || rows.length < MAX_ROWS) return page;
    const warnings: Warning[] = [
      { code: 'truncated', message: `Only the latest ${MAX_ROWS} changes are included; use a shorter duration.` },
    ];
    return { ...page, warnings };
  }
}

/** The namespaces of which the caller reads entries: those of others would otherwise take places of the maximum. */
function namespacesOf(scope: Scope, named: readonly string[] | undefined): Pick<TimelineFilter, 'acceptsNamespace'> {
  if (scope.admin && named === undefined) return {};
  return {
    acceptsNamespace: (namespace) => namespace !== null && scope.canView(namespace) && (named === undefined || named.includes(namespace)),
  };
}

/**
 * Groups the containers of one change into one activity, by an id that stays the same when later rows are added, so that cursors remain
 * valid.
 */
function groupChanges(rows: readonly TimelineEntry[]): ReadonlyMap<string, readonly TimelineEntry[]> {
  const groups = new Map<string, TimelineEntry[]>();
  for (const row of rows) {
    const { kind, namespace, object, pod, outcome } = row;
    const change = [kind, namespace ?? '', object.kind, object.name, pod ?? '', outcome].join('/');
    // A row without a container is an activity of its own, also of several at the same moment.
    const id = `${isoTime(row.at)}/${row.container === null ? row.id : change}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
}

function activityOf(changes: readonly TimelineEntry[]): ScalingActivity {
  const [first] = changes;
  if (first === undefined) throw new Error('an activity has at least one change');
  const { at, actor, kind, namespace, object, pod, reason, outcome, durationMs } = first;
  const sides = (side: 'from' | 'to'): unknown =>
    first.container === null ? first[side] : Object.fromEntries(changes.map((change) => [change.container, change[side]]));
  return {
    time: isoTime(at),
    actor,
    kind,
    object: { namespace, ...object, pod },
    from: sides('from'),
    to: sides('to'),
    reason,
    dryRun: outcome === 'dry-run',
    outcome,
    durationSeconds: durationMs === null ? null : durationMs / 1000,
    costDeltaPerHourUsd: roundUsd(sumIfAllKnown(changes.map((change) => change.costDeltaPerHourUsd))),
  };
}

/** Rounded to micro-dollars: sums of floating-point numbers carry noise. */
function roundUsd(usd: number | null): number | null {
  return usd === null ? null : Math.round(usd * 1e6) / 1e6;
}

export const listScaling = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ scaling }: { readonly scaling: ScalingQueries }, scope, query: Operations['listScaling']['query']) =>
    scaling.list(scope, query),
});
