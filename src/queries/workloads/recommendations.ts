import { RESIZE_MODES } from '../../apis/conditions.ts';
import type {
  AppliedValue,
  Operations,
  Recommendation as RecommendationItem,
  RecommendationDetail,
  RecommendationTotals,
  Warning,
  RecommendationClass,
} from '../../apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { Changes } from '../../ports/changes.ts';
import type { NodePrice } from '../../ports/price-source.ts';
import { sumCents } from '../../core/cost/cents.ts';
import { explainContainers } from './explanation.ts';
import type { ClusterTotals } from '../cluster/totals.ts';
import { isUsingCapacity } from '../cluster/totals/pod-values.ts';
import { resolveWorkload, type WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import { isoTime } from '#kube/time/iso-time';
import { onNewIntent } from '../intent-watch.ts';
import { RecordCache } from '../record-cache.ts';
import { KeptList, pageOnly, type KeptListing } from '../lists/kept-list.ts';
import type { Slices, Steps } from '../lists/slices.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Found, Page } from '../outcome.ts';
import { classOfNode } from '../../core/resize/layers/node-classes/class-name.ts';
import { recommendationRecord, recordInputs } from './recommendation-record.ts';
import { explainSavings, type PricedPart } from '../../core/cost/explain-savings.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { ReadSources } from '../sources.ts';
import { countWaitingRaises } from './waiting-raises.ts';
import { listRemedies } from './remedies.ts';
import { VIEWER_OF_LISTED, VIEWER_OF_TARGET } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';
import { readRequestsAndLimits } from '../../core/recommendations/quantities.ts';

/** The API contract: recommendations are cached for 60 seconds. */
const CACHE_MS = 60_000;
/** Records computed in a step, a millisecond of work. */
const COMPUTED_PER_STEP = 200;
/** Maximum of applied values in one response. */
const HISTORY_SHOWN = 50;

interface Cached {
  /** Computations do not overlap; a later one has a higher number, also after the clock was set back. */
  readonly number: number;
  /** Begin of the computation. */
  readonly at: Instant;
  /** Count of user requests before it. */
  readonly requests: number;
  readonly items: readonly RecommendationItem[];
}

function idOf({ namespace, kind, name }: RecommendationItem): string {
  return `${namespace}/${kind}/${name}`;
}

/** The records that are served, and which of them the last replacement has changed: lists apply these alone. */
class ServedRecords {
  #cached: Cached = { number: 0, at: Number.NEGATIVE_INFINITY, requests: 0, items: [] };
  #byId: ReadonlyMap<string, RecommendationItem> = new Map();
  readonly #listeners = new Set<(id: string) => void>();
  #revision = 0;

  readonly changes: Changes<string> = {
    revision: () => this.#revision,
    subscribe: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  get at(): Instant {
    return this.#cached.at;
  }

  get items(): readonly RecommendationItem[] {
    return this.#cached.items;
  }

  find(id: string): RecommendationItem | undefined {
    return this.#byId.get(id);
  }

  /** Serves these records, unless later ones are served already: another read may have computed them. */
  replace(cached: Cached): void {
    if (cached.number <= this.#cached.number) return;
    const before = this.#byId;
    const after = new Map(cached.items.map((item) => [idOf(item), item]));
    // A workload that was made again while its slice was computed is there twice.
    this.#cached = { ...cached, items: [...after.values()] };
    this.#byId = after;
    // Unchanged records are the same objects.
    for (const [id, item] of after) if (before.get(id) !== item) this.#report(id);
    for (const id of before.keys()) if (!after.has(id)) this.#report(id);
  }

  #report(id: string): void {
    this.#revision += 1;
    for (const listener of this.#listeners) listener(id);
  }
}

/** `/recommendations`: computed once for all callers, filtered per caller, and cleared by every user request. */
export class RecommendationQueries {
  readonly #sources: ReadSources;
  readonly #totals: ClusterTotals;
  readonly #slices: Slices;
  readonly #records = new RecordCache<RecommendationItem>();
  /** Order of the records that are served. */
  readonly #listing: KeptListing<RecommendationItem> = {
    id: idOf,
    namespaceOf: (item) => item.namespace,
    namesOf: (item) => [item.name],
    defaultSort: '-savingsPerMonthUsd',
    levels: { risk: ['none', 'low', 'medium', 'high'], mode: RESIZE_MODES },
    filters: ['state', 'reason', 'mode', 'risk', 'kind', 'policy', 'package'],
    all: () => this.#served.items,
    find: (id) => this.#served.find(id),
    follow: (changed) => changed.follow(this.#served.changes, (id) => id),
    now: () => this.#sources.clock.now(),
  };
  readonly #list: KeptList<RecommendationItem>;
  readonly #served = new ServedRecords();
  #cached: Cached | null = null;
  #computing: Promise<Cached> | null = null;
  #requests = 0;
  #computations = 0;
  #listening = false;

  constructor(sources: ReadSources, totals: ClusterTotals, slices: Slices) {
    this.#sources = sources;
    this.#slices = slices;
    this.#list = new KeptList(this.#listing, slices);
    this.#totals = totals;
  }

  async list(
    scope: Scope,
    query: Operations['listRecommendations']['query'],
  ): Promise<Page<RecommendationItem, RecommendationTotals> | Refusal> {
    const { at } = await this.records();
    const page = await this.#list.page(query, scope);
    return page.kind === 'page' ? { ...pageOnly(page), summary: page.summarize(totalsOf), cachedAt: at } : page;
  }

  /** All cached records with the time of their computation, whatever the caller may read. */
  async records(): Promise<{ readonly at: Instant; readonly items: readonly RecommendationItem[] }> {
    this.#served.replace(await this.#fresh());
    return this.#served;
  }

  /** Computes the records before they are too old to be served, so that no read waits for that. Reads get the earlier ones meanwhile. */
  async refresh(): Promise<void> {
    await (this.#computing ??= this.#computeInSlices());
  }

  /** The present record of one workload. After a write, `published` is the object of its response. */
  record(workload: WorkloadRecord, published?: Recommendation): RecommendationItem {
    return recommendationRecord(
      workload,
      published ?? this.#sources.cluster.findRecommendation(workloadKey(workload)),
      this.#sources,
      this.#totals.current().costOfWorkload(workloadKey(workload)),
    );
  }

  async get(
    scope: Scope,
    target: { readonly namespace: string; readonly name: string; readonly kind?: string | undefined },
  ): Promise<Found<RecommendationDetail> | Refusal> {
    const resolved = resolveWorkload(this.#sources.cluster, scope, target);
    if (resolved.kind !== 'workload') return resolved;
    const { workload } = resolved;
    const warnings: Warning[] = [];
    await this.#totals.update();
    const history = await this.#history(workload, warnings);
    // Read after the await and without another one, so that all values are of one moment.
    const key = workloadKey(workload);
    const { cluster, decisions } = this.#sources;
    const record = this.record(workload);
    const status = cluster.findRecommendation(key)?.status ?? decisions.unpublished(key);
    const detail: RecommendationDetail = {
      ...record,
      classes: classRecords(status),
      audit: {
        containers: explainContainers(record, status?.inputs ?? [], decisions.evidence(key) ?? []),
        rules: decisions.rules(workload),
        money: explainSavings(record, this.#pricedParts(workload, record, status)),
        history,
        wouldChangeIt: listRemedies(record, status?.message),
      },
    };
    return { kind: 'found', item: detail, ...(warnings.length === 0 ? {} : { warnings }) };
  }

  /** Drops the cached records after a user request. Totals and prices stay: a request alone changes no pod. */
  clear(): void {
    this.#cached = null;
    this.#requests += 1;
  }

  /** Records of the last minute that contain every user request before the call. */
  async #fresh(): Promise<Cached> {
    const requests = this.#requests;
    for (;;) {
      const now = this.#sources.clock.now();
      const cached = this.#cached;
      if (cached !== null && now - cached.at < CACHE_MS && now >= cached.at) return cached;
      const computed = await (this.#computing ??= this.#computeInSlices());
      if (computed.requests >= requests) return computed;
    }
  }

  async #computeInSlices(): Promise<Cached> {
    try {
      if (!this.#listening) {
        // Writes of this and other replicas arrive through the informers.
        onNewIntent(this.#sources.cluster, () => this.clear());
        this.#listening = true;
      }
      await this.#totals.update();
      const computed = await this.#slices.run(this.#compute());
      if (computed.requests === this.#requests) this.#cached = computed;
      return computed;
    } finally {
      this.#computing = null;
    }
  }

  *#compute(): Steps<Cached> {
    const [at, requests] = [this.#sources.clock.now(), this.#requests];
    const number = ++this.#computations;
    const items: RecommendationItem[] = [];
    const totals = this.#totals.current();
    for (const workload of this.#sources.cluster.workloads()) {
      if (items.length % COMPUTED_PER_STEP === COMPUTED_PER_STEP - 1) yield;
      const inputs = recordInputs(workload, this.#sources, totals.costOfWorkload(workloadKey(workload)));
      items.push(this.#records.of(workload, inputs, () => this.record(workload)));
    }
    return { number, at, requests, items };
  }

  async #history(workload: WorkloadRecord, warnings: Warning[]): Promise<readonly AppliedValue[] | null> {
    const { namespace, kind, name } = workload;
    try {
      const entries = await this.#sources.timeline.readEntries({ object: { namespace, kind, name }, limit: HISTORY_SHOWN });
      // Entries without a container are shown only by the timeline.
      return entries.flatMap(({ id, at, pod, container, from, to, reason, actor, outcome, message }) =>
        container === null ? [] : [{ id, at: isoTime(at), pod: pod ?? '', container, from, to, reason, actor, outcome, message }],
      );
    } catch (error) {
      this.#sources.logger.warn('Reading history failed', { err: error });
      warnings.push({ code: 'history_unavailable', message: 'The history store cannot be reached, so applied values are not shown.' });
      return null;
    }
  }

  #pricedParts(workload: WorkloadRecord, record: RecommendationItem, status: RecommendationStatus | undefined): readonly PricedPart[] {
    const { cluster } = this.#sources;
    const pods = [...cluster.podsOf(workloadKey(workload))];
    const classes = classRecords(status);
    if (classes.length === 0) return [{ where: null, containers: record.containers, podPrices: this.#podPrices(pods) }];
    const classOf = ({ node }: PodRecord): string | null => (node === null ? null : classOfNode(cluster.findNode(node)));
    return classes.map(({ name, containers }) => ({
      where: name,
      containers,
      podPrices: this.#podPrices(pods.filter((pod) => classOf(pod) === name)),
    }));
  }

  #podPrices(pods: readonly PodRecord[]): readonly NodePrice[] {
    const totals = this.#totals.current();
    return pods.filter(isUsingCapacity).flatMap((pod) => {
      const price = pod.node === null ? undefined : totals.priceOf(pod.node);
      return price === undefined ? [] : [price];
    });
  }
}

function totalsOf(matched: Iterable<RecommendationItem>): RecommendationTotals {
  const items = [...matched];
  const byState: Record<string, number> = {};
  for (const item of items) byState[item.state] = (byState[item.state] ?? 0) + 1;
  return {
    savingsPerMonthUsd: sumCents(items.map((item) => item.savingsPerMonthUsd ?? 0)),
    costPerMonthUsd: sumCents(items.map((item) => item.costPerMonthUsd ?? 0)),
    byState,
    waitingForNodeCapacity: countWaitingRaises(items.map((item) => item.waitingForNodeCapacity)),
  };
}

export const listRecommendations = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: (
    { recommendations }: { readonly recommendations: RecommendationQueries },
    scope,
    query: Operations['listRecommendations']['query'],
  ) => recommendations.list(scope, query),
});

export const getRecommendation = defineQuery({
  requires: VIEWER_OF_TARGET,
  answer: (
    { recommendations }: { readonly recommendations: RecommendationQueries },
    scope,
    { target }: { readonly target: WorkloadTarget },
  ) => recommendations.get(scope, target),
});

/** A DaemonSet's node classes in the API; empty where it is not sized by node class. */
function classRecords(status: RecommendationStatus | undefined): readonly RecommendationClass[] {
  return (status?.classes ?? []).map(({ name, pods = 0, state = null, reason = null, message = null, containers = [] }) => ({
    name,
    pods,
    state,
    reason,
    message,
    containers: containers.map((container) => ({
      name: container.name,
      current: readRequestsAndLimits(container.current),
      recommended: readRequestsAndLimits(container.recommended),
    })),
  }));
}
