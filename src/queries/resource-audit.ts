import { PREFIX, WORKLOAD_ANNOTATIONS } from '../apis/annotations.ts';
import type { Operations, ResourceAudit } from '../apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatus } from '../apis/v1alpha1/index.ts';
import type { Refusal } from '../core/access/refusal.ts';
import type { Scope } from '../core/access/scope.ts';
import type { PodRecord } from '#kube/records/pod';
import { isObject, parseJson } from '#kube/json';
import type { RequestsAndLimits } from '#kube/records/resources';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { readRequestsAndLimits, type QuantityPair } from '../core/recommendations/quantities.ts';
import { resolveWorkload, type WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { VALUES } from '../core/resize/status/values-codec.ts';
import { driftOf, worstDrift } from '../core/resource-audit/drift.ts';
import { RecordCache } from './record-cache.ts';
import { selectPage, type Listing } from './listing.ts';
import { found, type Found, type Page } from './outcome.ts';
import type { ReadSources } from './sources.ts';
import { VIEWER_OF_LISTED, VIEWER_OF_TARGET } from '../core/access/requirement.ts';
import { defineQuery } from './query.ts';

/** A workload on its way into a list: what nobody filters or sorts by is not worked out for twenty thousand of them. */
class Row {
  readonly workload: WorkloadRecord;
  readonly #verdict: (workload: WorkloadRecord) => Verdict;

  constructor(workload: WorkloadRecord, verdict: (workload: WorkloadRecord) => Verdict) {
    this.workload = workload;
    this.#verdict = verdict;
  }

  get drift(): Verdict['drift'] {
    return this.#verdict(this.workload).drift;
  }

  get restartRequired(): boolean {
    return this.#verdict(this.workload).restartRequired;
  }
}

type Verdict = Pick<ResourceAudit, 'drift' | 'restartRequired'>;

const LISTING: Listing<Row> = {
  id: ({ workload }) => `${workload.namespace}/${workload.kind}/${workload.name}`,
  namespaceOf: ({ workload }) => workload.namespace,
  namesOf: ({ workload }) => [workload.name],
  defaultSort: 'workload.namespace',
  filters: ['drift'],
};

/** States in which the pods are where they should be, within the policy's tolerance. */
const SETTLED: ReadonlySet<string | undefined> = new Set(['optimal', 'applied', 'idle']);
/** What only new pods bring. */
const NEEDS_RESTART: ReadonlySet<string | undefined> = new Set(['restart', 'node-unsupported', 'no-in-place']);

interface NamedValues {
  readonly name: string;
  readonly requests?: QuantityPair;
  readonly limits?: QuantityPair;
}

/** `/resource-audit`: the template against what is recommended against what runs. */
export class ResourceAuditQueries {
  readonly #sources: Pick<ReadSources, 'cluster' | 'decisions'>;
  readonly #verdicts = new RecordCache<Verdict>();

  constructor(sources: Pick<ReadSources, 'cluster' | 'decisions'>) {
    this.#sources = sources;
  }

  list(scope: Scope, query: Operations['listResourceAudit']['query']): Page<ResourceAudit> | Refusal {
    const page = selectPage(this.#rows(query.kind), LISTING, query, scope);
    return page.kind === 'page' ? { ...page, items: page.items.map(({ workload }) => this.record(workload)) } : page;
  }

  get(scope: Scope, target: WorkloadTarget): Found<ResourceAudit> | Refusal {
    const resolved = resolveWorkload(this.#sources.cluster, scope, target);
    return resolved.kind === 'workload' ? found(this.record(resolved.workload)) : resolved;
  }

  /** Of one workload as it is given. @param published the Recommendation as it is after a write; left out: as the informers know it */
  record(workload: WorkloadRecord, published?: Recommendation | null): ResourceAudit {
    const { cluster, decisions } = this.#sources;
    const { namespace, kind, name, annotations } = workload;
    const key = workloadKey(workload);
    const recommendation = published === undefined ? cluster.findRecommendation(key) : (published ?? undefined);
    const status = recommendation?.status ?? (published === null ? undefined : decisions.unpublished(key)) ?? {};
    const pods = [...cluster.podsOf(key)].filter(isAlive).sort((a, b) => (a.name < b.name ? -1 : 1));
    const ours = valuesOfOurs(status, annotations);
    const defaultsFilledIn = cluster.limitRangesIn(namespace).length > 0;
    const containers = containerNames(workload, pods).map((container) => {
      const template = workload.containers.find((each) => each.name === container);
      const recommended = status.containers?.find((each) => each.name === container)?.recommended;
      const sizes = pods.flatMap((pod) => {
        const live = pod.containers.find((each) => each.name === container);
        return live === undefined ? [] : [{ pod: pod.name, requests: live.requests, limits: live.limits }];
      });
      const created: RequestsAndLimits | null = template === undefined ? null : { requests: template.requests, limits: template.limits };
      const wanted = recommended === undefined ? null : readRequestsAndLimits(recommended);
      return {
        name: container,
        template: created,
        recommendation: wanted,
        pods: sizes,
        drift: driftOf({
          template: created,
          defaultsFilledIn,
          recommended: wanted,
          settled: SETTLED.has(status.state),
          ours: [...(wanted === null ? [] : [wanted]), ...(ours.get(container) ?? [])],
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
      resetPending: annotations[WORKLOAD_ANNOTATIONS.resetToDeploy] !== undefined,
    };
  }

  *#rows(kinds: readonly string[] | undefined): Generator<Row> {
    const verdict = (workload: WorkloadRecord): Verdict => this.#verdict(workload);
    for (const workload of this.#sources.cluster.workloads()) {
      if (kinds === undefined || kinds.includes(workload.kind)) yield new Row(workload, verdict);
    }
  }

  #verdict(workload: WorkloadRecord): Verdict {
    const { cluster, decisions } = this.#sources;
    const key = workloadKey(workload);
    const published = cluster.findRecommendation(key);
    const inputs = [
      published,
      published === undefined ? decisions.unpublished(key) : undefined,
      cluster.limitRangesIn(workload.namespace).length > 0,
      ...cluster.podsOf(key),
    ];
    return this.#verdicts.of(workload, inputs, () => {
      const { drift, restartRequired } = this.record(workload);
      return { drift, restartRequired };
    });
  }
}

function isAlive(pod: PodRecord): boolean {
  return pod.deletionAt === null && pod.phase !== 'Succeeded' && pod.phase !== 'Failed';
}

/** Those of the template in its order, then those that admission adds. */
function containerNames(workload: WorkloadRecord, pods: readonly PodRecord[]): readonly string[] {
  return [...new Set([...workload.containers, ...pods.flatMap((pod) => pod.containers)].map(({ name }) => name))];
}

/** Every value that Evenkeel remembers to have given a container, or is giving it. */
function valuesOfOurs(
  { lastApplied, apply, previous, idle, resizes, classes = [] }: RecommendationStatus,
  annotations: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly RequestsAndLimits[]> {
  const remembered: readonly NamedValues[] = [
    ...(lastApplied?.containers ?? []),
    ...(apply?.containers ?? []),
    ...(previous?.containers ?? []),
    ...(idle?.natural ?? []),
    ...(idle?.sizes ?? []),
    ...(resizes ?? []).flatMap(({ containers }) => containers ?? []),
    ...classes.flatMap((own) => [
      ...(own.lastApplied?.containers ?? []),
      ...(own.apply?.containers ?? []),
      ...(own.previous?.containers ?? []),
      ...(own.resizes ?? []).flatMap(({ containers }) => containers ?? []),
    ]),
  ];
  const values = new Map<string, RequestsAndLimits[]>();
  const add = (name: string, each: RequestsAndLimits): void => void values.set(name, [...(values.get(name) ?? []), each]);
  for (const each of remembered) add(each.name, readRequestsAndLimits(each));
  for (const [name, each] of notedValues(annotations[WORKLOAD_ANNOTATIONS.resized])) add(name, each);
  return values;
}

/** What was applied last, as it is noted on the workload itself: known even without the Recommendation. Anyone who may annotate it can edit that. */
function notedValues(text: string | undefined): readonly (readonly [container: string, values: RequestsAndLimits])[] {
  const note = parseJson(text ?? '');
  return isObject(note) ? [...(VALUES.read(note['to']) ?? [])] : [];
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
