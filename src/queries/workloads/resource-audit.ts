import { PREFIX, WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { Operations, ResourceAudit } from '../../apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { PodRecord } from '#kube/records/pod';
import { isObject, parseJson } from '#kube/json';
import type { RequestsAndLimits } from '#kube/records/resources';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { readRequestsAndLimits, type QuantityPair } from '../../core/recommendations/quantities.ts';
import { resolveWorkload, type WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import { VALUES } from '../../core/resize/status/values-codec.ts';
import { findDrift, worstDrift } from '../../core/resource-audit/drift.ts';
import { RecordCache } from '../record-cache.ts';
import { ALL, type ChangedKeys } from '../lists/changed-keys.ts';
import { KeptList, pageOnly, type Fields, type KeptListing } from '../lists/kept-list.ts';
import type { Slices } from '../lists/slices.ts';
import { fieldOf, type SortValue } from '../listing.ts';
import { found, type Found, type Page } from '../outcome.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED, VIEWER_OF_TARGET } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

type Verdict = Pick<ResourceAudit, 'drift' | 'restartRequired'>;

/** Fields that compare a workload with its recommendation and its pods. */
const VERDICT_FIELDS = ['drift', 'restartRequired'];

/** States in which the pods have the recommended values, within the policy's tolerance. */
const SETTLED: ReadonlySet<string | undefined> = new Set(['optimal', 'applied', 'idle']);
/** Reasons that only new pods resolve. */
const NEEDS_RESTART: ReadonlySet<string | undefined> = new Set(['restart', 'node-unsupported', 'no-in-place']);

interface NamedValues {
  readonly name: string;
  readonly requests?: QuantityPair;
  readonly limits?: QuantityPair;
}

/** `/resource-audit`: compares pod template, recommendation and running pods. */
export class ResourceAuditQueries {
  readonly #sources: Pick<ReadSources, 'cluster' | 'decisions' | 'clock'>;
  readonly #verdicts = new RecordCache<Verdict>();
  readonly #records = new RecordCache<ResourceAudit>();
  readonly #listing: KeptListing<WorkloadRecord, Operations['listResourceAudit']['query']> = {
    id: (workload) => workloadKey(workload),
    namespaceOf: ({ namespace }) => namespace,
    namesOf: ({ name }) => [name],
    defaultSort: 'workload.namespace',
    accepts: (workload, { kind, drift }) =>
      (kind === undefined || kind.includes(workload.kind)) && (drift === undefined || drift.includes(this.#verdict(workload).drift)),
    sortValue: (workload, field) => this.#sortValue(workload, field),
    all: () => this.#sources.cluster.workloads(),
    find: (key) => this.#sources.cluster.findWorkload(key),
    follow: (changed, fields) => this.#follow(changed, fields),
    now: () => this.#sources.clock.now(),
  };
  readonly #list: KeptList<WorkloadRecord, Operations['listResourceAudit']['query']>;

  constructor(sources: Pick<ReadSources, 'cluster' | 'decisions' | 'clock'>, slices: Slices) {
    this.#sources = sources;
    this.#list = new KeptList(this.#listing, slices);
  }

  async list(scope: Scope, query: Operations['listResourceAudit']['query']): Promise<Page<ResourceAudit> | Refusal> {
    const page = await this.#list.page(query, scope);
    if (page.kind !== 'page') return page;
    const items = page.items.map((workload) => this.#records.of(workload, this.#inputsOf(workload), () => this.record(workload)));
    return { ...pageOnly(page), items };
  }

  get(scope: Scope, target: WorkloadTarget): Found<ResourceAudit> | Refusal {
    const resolved = resolveWorkload(this.#sources.cluster, scope, target);
    return resolved.kind === 'workload' ? found(this.record(resolved.workload)) : resolved;
  }

  /**
   * The record of one workload.
   * @param published the Recommendation after a write, null where it was deleted; absent for the one of the informers
   */
  record(workload: WorkloadRecord, published?: Recommendation | null): ResourceAudit {
    const { cluster, decisions } = this.#sources;
    const { namespace, kind, name, annotations } = workload;
    const key = workloadKey(workload);
    const recommendation = published === undefined ? cluster.findRecommendation(key) : (published ?? undefined);
    const status = recommendation?.status ?? (published === null ? undefined : decisions.unpublished(key)) ?? {};
    const pods = [...cluster.podsOf(key)].filter(isAlive).sort((a, b) => (a.name < b.name ? -1 : 1));
    const appliedValues = evenkeelValues(status, annotations);
    const defaultsFilledIn = cluster.limitRangesIn(namespace).length > 0;
    const containers = containerNames(workload, pods).map((container) => {
      const template = workload.containers.find(({ name: candidate }) => candidate === container);
      const recommended = status.containers?.find(({ name: candidate }) => candidate === container)?.recommended;
      const sizes = pods.flatMap((pod) => {
        const live = pod.containers.find(({ name: candidate }) => candidate === container);
        return live === undefined ? [] : [{ pod: pod.name, requests: live.requests, limits: live.limits }];
      });
      const created: RequestsAndLimits | null = template === undefined ? null : { requests: template.requests, limits: template.limits };
      const recommendedValues = recommended === undefined ? null : readRequestsAndLimits(recommended);
      return {
        name: container,
        template: created,
        recommendation: recommendedValues,
        pods: sizes,
        drift: findDrift({
          template: created,
          defaultsFilledIn,
          recommended: recommendedValues,
          settled: SETTLED.has(status.state),
          ours: [...(recommendedValues === null ? [] : [recommendedValues]), ...(appliedValues.get(container) ?? [])],
          pods: sizes,
        }),
      };
    });
    return {
      workload: { namespace, kind, name },
      drift: worstDrift(containers.map(({ drift }) => drift)),
      containers,
      annotations: Object.fromEntries(Object.entries(annotations).filter(([annotation]) => annotation.startsWith(PREFIX))),
      restartRequired: NEEDS_RESTART.has(status.reason) || pods.some(({ resize }) => resize.state === 'infeasible'),
      resetPending: isResetPending(workload),
    };
  }

  #follow(changed: ChangedKeys, fields: Fields): void {
    const { cluster, decisions } = this.#sources;
    const isCompared = VERDICT_FIELDS.some((field) => fields.has(field));
    changed.follow(cluster, (change) => {
      if (change.kind === 'workload') return change.key;
      if (!isCompared) return null;
      if (change.kind === 'limitrange') return ALL;
      return change.kind === 'pod' || change.kind === 'recommendation' ? change.workload : null;
    });
    if (isCompared) changed.follow(decisions.changes, (workload) => workload);
  }

  #sortValue(workload: WorkloadRecord, field: string): SortValue {
    switch (field) {
      case 'drift':
      case 'restartRequired':
        return this.#verdict(workload)[field];
      case 'resetPending':
        return isResetPending(workload);
      default:
        return fieldOf({ workload }, field);
    }
  }

  #verdict(workload: WorkloadRecord): Verdict {
    return this.#verdicts.of(workload, this.#inputsOf(workload), () => {
      const { drift, restartRequired } = this.record(workload);
      return { drift, restartRequired };
    });
  }

  /** The inputs of a record besides the workload. */
  #inputsOf(workload: WorkloadRecord): readonly unknown[] {
    const { cluster, decisions } = this.#sources;
    const key = workloadKey(workload);
    const published = cluster.findRecommendation(key);
    return [
      published,
      published?.status === undefined ? decisions.unpublished(key) : undefined,
      cluster.limitRangesIn(workload.namespace).length > 0,
      ...cluster.podsOf(key),
    ];
  }
}

function isResetPending({ annotations }: WorkloadRecord): boolean {
  return annotations[WORKLOAD_ANNOTATIONS.resetToDeploy] !== undefined;
}

function isAlive(pod: PodRecord): boolean {
  return pod.deletionAt === null && pod.phase !== 'Succeeded' && pod.phase !== 'Failed';
}

/** Containers of the pod template in its order, then those that admission webhooks add. */
function containerNames(workload: WorkloadRecord, pods: readonly PodRecord[]): readonly string[] {
  return [...new Set([...workload.containers, ...pods.flatMap((pod) => pod.containers)].map(({ name }) => name))];
}

/** All values that Evenkeel has applied to a container or is applying, as far as they are stored. */
function evenkeelValues(
  { lastApplied, apply, previous, idle, resizes, classes = [] }: RecommendationStatus,
  annotations: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly RequestsAndLimits[]> {
  const stored: readonly NamedValues[] = [
    ...(lastApplied?.containers ?? []),
    ...(apply?.containers ?? []),
    ...(previous?.containers ?? []),
    ...(idle?.natural ?? []),
    ...(idle?.sizes ?? []),
    ...(resizes ?? []).flatMap(({ containers }) => containers ?? []),
    ...classes.flatMap((nodeClass) => [
      ...(nodeClass.lastApplied?.containers ?? []),
      ...(nodeClass.apply?.containers ?? []),
      ...(nodeClass.previous?.containers ?? []),
      ...(nodeClass.resizes ?? []).flatMap(({ containers }) => containers ?? []),
    ]),
  ];
  const values = new Map<string, RequestsAndLimits[]>();
  const add = (name: string, value: RequestsAndLimits): void => void values.set(name, [...(values.get(name) ?? []), value]);
  for (const value of stored) add(value.name, readRequestsAndLimits(value));
  for (const [name, value] of annotatedValues(annotations[WORKLOAD_ANNOTATIONS.resized])) add(name, value);
  return values;
}

/** Last applied values in the workload's annotation, which exist without the Recommendation. Users who may annotate the workload can edit them. */
function annotatedValues(text: string | undefined): readonly (readonly [container: string, values: RequestsAndLimits])[] {
  const annotation = parseJson(text ?? '');
  return isObject(annotation) ? [...(VALUES.read(annotation['to']) ?? [])] : [];
}

export const listResourceAudit = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ resourceAudit }: { readonly resourceAudit: ResourceAuditQueries }, scope, query: Operations['listResourceAudit']['query']) =>
    resourceAudit.list(scope, query),
});

export const getResourceAudit = defineQuery({
  requires: VIEWER_OF_TARGET,
  answer: ({ resourceAudit }: { readonly resourceAudit: ResourceAuditQueries }, scope, { target }: { readonly target: WorkloadTarget }) =>
    resourceAudit.get(scope, target),
});
