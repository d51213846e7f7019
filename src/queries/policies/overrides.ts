import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { RESIZE_MODES } from '../../apis/conditions.ts';
import type { Operations, Override, OverrideBounds } from '../../apis/http/types.generated.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { OVERRIDE_ANNOTATIONS, readOverrideNotes } from '../../core/overrides/override-notes.ts';
import { resolveWorkload, type WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import { readOverrides } from '../../core/resize/policy/workload-overrides.ts';
import { ChangedKeys } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import { selectPage, type Listing } from '../listing.ts';
import { found, type Found, type Page } from '../outcome.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED, VIEWER_OF_TARGET } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

const LISTING: Listing<Override> = {
  id: (item) => `${item.namespace}/${item.kind}/${item.name}`,
  namespaceOf: (item) => item.namespace,
  namesOf: (item) => [item.name],
  defaultSort: 'namespace',
  filters: ['kind', 'mode', 'policy'],
};

/** `/overrides`: users' overrides of workloads, read from the workloads' annotations. */
export class OverrideQueries {
  readonly #sources: Pick<ReadSources, 'cluster' | 'decisions'>;

  /** The workloads with overrides. */
  readonly #workloads: KeptRows<WorkloadRecord, WorkloadRecord>;

  constructor(sources: Pick<ReadSources, 'cluster' | 'decisions' | 'clock'>) {
    this.#sources = sources;
    const { cluster, clock } = sources;
    const changed = new ChangedKeys();
    changed.follow(cluster, (change) => (change.kind === 'workload' ? change.key : null));
    this.#workloads = new KeptRows({
      all: () => cluster.workloads(),
      find: (key) => cluster.findWorkload(key),
      keyOf: (workload) => workloadKey(workload),
      rowOf: (workload) => (OVERRIDE_ANNOTATIONS.some((annotation) => workload.annotations[annotation] !== undefined) ? workload : null),
      now: () => clock.now(),
      changed,
    });
  }

  list(scope: Scope, query: Operations['listOverrides']['query']): Page<Override> | Refusal {
    return selectPage(this.#all(), LISTING, query, scope);
  }

  get(scope: Scope, target: WorkloadTarget): Found<Override> | Refusal {
    const resolved = resolveWorkload(this.#sources.cluster, scope, target);
    return resolved.kind === 'workload' ? found(this.record(resolved.workload)) : resolved;
  }

  /** The record of a workload, with or without overrides. */
  record(workload: WorkloadRecord): Override {
    const { annotations, namespace, kind, name } = workload;
    const { excluded, heldUntil, problems, mode } = readOverrides(annotations);
    const changes = [...readOverrideNotes(annotations)].map(([annotation, { by, at, reason }]) => ({
      annotation,
      by,
      at: isoTime(at),
      reason,
    }));
    const latest = changes.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
    return {
      namespace,
      kind,
      name,
      policy: this.#sources.decisions.governance(workload).policy,
      floor: boundsOf(annotations[WORKLOAD_ANNOTATIONS.floor]),
      ceiling: boundsOf(annotations[WORKLOAD_ANNOTATIONS.ceiling]),
      mode: RESIZE_MODES.find((resizeMode) => resizeMode === mode) ?? null,
      excluded,
      heldUntil: isoTimeOrNull(heldUntil),
      setBy: latest?.by ?? null,
      setAt: latest?.at ?? null,
      reason: latest?.reason ?? null,
      changes,
      problems,
    };
  }

  *#all(): Generator<Override> {
    for (const workload of this.#workloads.rows()) yield this.record(workload);
  }
}

/** Quantities as in the annotation; null where it is absent or unreadable (`problems` has the reason). */
export function boundsOf(annotation: string | undefined): OverrideBounds | null {
  if (annotation === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(annotation);
    return isBounds(parsed) ? withTexts(parsed) : null;
  } catch {
    return null;
  }
}

/** Amounts may be numbers in an annotation, as in a policy. */
function withTexts(bounds: Readonly<Record<string, Readonly<Record<string, string | number>>>>): OverrideBounds {
  return Object.fromEntries(
    Object.entries(bounds).map(([container, amounts]) => [
      container,
      Object.fromEntries(Object.entries(amounts).map(([resource, amount]) => [resource, String(amount)])),
    ]),
  );
}

function isBounds(value: unknown): value is Readonly<Record<string, Readonly<Record<string, string | number>>>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((bound: unknown) => {
    if (typeof bound !== 'object' || bound === null || Array.isArray(bound)) return false;
    return Object.entries(bound).every(
      ([name, amount]) => (name === 'cpu' || name === 'memory') && (typeof amount === 'string' || typeof amount === 'number'),
    );
  });
}

export const listOverrides = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ overrides }: { readonly overrides: OverrideQueries }, scope, query: Operations['listOverrides']['query']) =>
    overrides.list(scope, query),
});

export const getOverride = defineQuery({
  requires: VIEWER_OF_TARGET,
  answer: ({ overrides }: { readonly overrides: OverrideQueries }, scope, { target }: { readonly target: WorkloadTarget }) =>
    overrides.get(scope, target),
});
