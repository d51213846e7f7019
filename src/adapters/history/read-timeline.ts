import type { Kysely } from 'kysely';
import { workloadKey, type WorkloadRef } from '#kube/records/workload';
import type { TimelineEntry, TimelineFilter } from '../../ports/store/timeline.ts';
import type { HistoryTables } from './tables.ts';

/**
 * An entry of table `applied`, the timeline of versions before schema 3: written before the upgrade, or after a rollback to such a version.
 */
interface AppliedEntry extends Omit<
  TimelineEntry,
  'kind' | 'namespace' | 'object' | 'pod' | 'container' | 'durationMs' | 'costDeltaPerHourUsd'
> {
  readonly act?: 'evict' | 'restart' | 'hpa' | 'scale';
  readonly workload: WorkloadRef;
  /** Empty: none. The same holds for `container`. */
  readonly pod: string;
  readonly container: string;
  readonly durationMs?: number;
  readonly costDeltaPerHourUsd?: number | null;
}

/** Entries of the tables `timeline` and `applied` that match the filter, newest first. */
export async function readTimeline(db: Kysely<HistoryTables>, filter: TimelineFilter): Promise<readonly TimelineEntry[]> {
  const entries = [...(await readEntries(db, filter)), ...(await readApplied(db, filter))];
  return entries.sort((a, b) => Math.floor(b.at) - Math.floor(a.at) || (a.id < b.id ? 1 : -1)).slice(0, filter.limit);
}

async function readEntries(db: Kysely<HistoryTables>, filter: TimelineFilter): Promise<readonly TimelineEntry[]> {
  const { object, since, limit, acceptsNamespace } = filter;
  let query = db.selectFrom('timeline').select('body').orderBy('at', 'desc').orderBy('id', 'desc').limit(limit);
  if (object !== undefined) {
    const { namespace, kind, name } = object;
    query = query.where('object_kind', '=', kind).where('object_name', '=', name);
    query = namespace === null ? query.where('namespace', 'is', null) : query.where('namespace', '=', namespace);
  }
  if (since !== undefined) query = query.where('at', '>=', Math.floor(since));
  if (acceptsNamespace !== undefined) {
    const stored = await db.selectFrom('timeline').select('namespace').distinct().execute();
    const accepted = stored.map(({ namespace }) => namespace).filter(acceptsNamespace);
    if (accepted.length === 0) return [];
    const named = accepted.filter((namespace) => namespace !== null);
    query = query.where((eb) =>
      eb.or([
        ...(named.length === 0 ? [] : [eb('namespace', 'in', named)]),
        ...(named.length === accepted.length ? [] : [eb('namespace', 'is', null)]),
      ]),
    );
  }
  const rows = await query.execute();
  return rows.map(({ body }) => JSON.parse(body) as TimelineEntry);
}

async function readApplied(db: Kysely<HistoryTables>, filter: TimelineFilter): Promise<readonly TimelineEntry[]> {
  const { object, since, limit, acceptsNamespace } = filter;
  let query = db.selectFrom('applied').select('body').orderBy('at', 'desc').orderBy('id', 'desc').limit(limit);
  if (object !== undefined) {
    const { namespace, ...rest } = object;
    if (namespace === null) return [];
    query = query.where('workload', '=', workloadKey({ namespace, ...rest }));
  }
  if (since !== undefined) query = query.where('at', '>=', Math.floor(since));
  if (acceptsNamespace !== undefined) {
    const stored = await db.selectFrom('applied').select('workload').distinct().execute();
    const accepted = stored.map(({ workload }) => workload).filter((key) => acceptsNamespace(key.slice(0, key.indexOf('/'))));
    if (accepted.length === 0) return [];
    query = query.where('workload', 'in', accepted);
  }
  const rows = await query.execute();
  return rows.map(({ body }) => toEntry(JSON.parse(body) as AppliedEntry));
}

function toEntry({ act, workload, pod, container, ...applied }: AppliedEntry): TimelineEntry {
  const { namespace, ...object } = workload;
  return {
    ...applied,
    kind: act === 'hpa' ? 'hpa' : 'resize',
    object,
    namespace,
    pod: pod === '' ? null : pod,
    container: container === '' ? null : container,
    durationMs: applied.durationMs ?? null,
    costDeltaPerHourUsd: applied.costDeltaPerHourUsd ?? null,
  };
}
