import type { Node, NodeDetail, NodePod, Operations, SeriesSet } from '../../apis/http/types.generated.ts';
import type { NodeScalingPolicy } from '../../apis/v1alpha1/index.ts';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { NodeRecord } from '#kube/records/node';
import { countedRequests, type PodRecord } from '#kube/records/pod';
import type { OptionalResources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { podRequests } from '#kube/records/pod-requests';
import type { ClusterTotals } from './totals.ts';
import type { Sums } from './totals/exact-sums.ts';
import { isUsingCapacity } from './totals/pod-values.ts';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import { ALL } from '../lists/changed-keys.ts';
import { KeptList, pageOnly, type Fields, type KeptListing } from '../lists/kept-list.ts';
import { fieldOf, type SortValue } from '../listing.ts';
import type { Slices } from '../lists/slices.ts';
import { RecordCache } from '../record-cache.ts';
import { nodePhase, phaseUntil } from './node-phase.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { found, type Found, type Page } from '../outcome.ts';
import { podUsage } from './pod-usage.ts';
import { ratiosOf, wholeResources } from '../ratios.ts';
import type { Scope } from '../../core/access/scope.ts';
import { seriesSet } from '../series.ts';
import type { ReadSources } from '../sources.ts';
import { endOfLastStep, readTimeRange } from '../time-range.ts';
import { ADMIN } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

/** Rounds prices to a millionth of a dollar per hour. */
const PRICE_DIGITS = 1e6;

const POLICIES = 'nodescalingpolicies';

/** The query of the list, whatever the format of its answer. */
type NodeListQuery = Omit<Operations['listNodes']['query'], 'format'>;
/** Fields that are computed from the sums over the node's pods; usage is, where that of the node is unknown. */
const OF_TOTALS = ['requested', 'used', 'utilization', 'pods'];

function isUsageIn(fields: Fields): boolean {
  return fields.has('used') || fields.has('utilization');
}

/** `/nodes` and `/nodes/{name}`. */
export class NodeQueries {
  readonly #sources: ReadSources;
  readonly #totals: ClusterTotals;
  readonly #records = new RecordCache<Node>();
  readonly #listing: KeptListing<NodeRecord> = {
    id: (node) => node.name,
    namespaceOf: null,
    namesOf: (node) => [node.name, node.pool],
    defaultSort: 'name',
    filters: ['capacityType', 'pool'],
    accepts: (node, { phase }: NodeListQuery) => phase === undefined || phase.includes(this.#phaseOf(node)),
    sortValue: (node, field) => this.#sortValue(node, field),
    all: () => this.#sources.cluster.nodes(),
    find: (id) => this.#sources.cluster.findNode(id),
    follow: (changed, fields) => {
      const { cluster, usage } = this.#sources;
      changed.follow(cluster, (change) => {
        if (change.kind === 'other') return fields.has('managed') && change.key.startsWith(`${POLICIES}/`) ? ALL : null;
        return change.kind === 'node' ? change.key : null;
      });
      if (OF_TOTALS.some((field) => fields.has(field))) changed.follow(this.#totals.nodeChanges, (node) => node);
      if (isUsageIn(fields)) changed.follow(usage.changes, (change) => (change.kind === 'node' ? change.key : null));
    },
    shared: (fields) => [isUsageIn(fields) ? this.#sources.usage.problem() : null],
    until: (node, fields) => this.#until(node, fields),
    now: () => this.#sources.clock.now(),
  };
  readonly #list: KeptList<NodeRecord>;

  constructor(sources: ReadSources, totals: ClusterTotals, slices: Slices) {
    this.#sources = sources;
    this.#list = new KeptList(this.#listing, slices);
    this.#totals = totals;
  }

  async list(scope: Scope, query: NodeListQuery): Promise<Page<Node> | Refusal> {
    await this.#totals.update();
    const page = await this.#list.page(query, scope);
    if (page.kind !== 'page') return page;
    const policies = [...this.#policies()];
    return { ...pageOnly(page), items: page.items.map((node) => this.#cachedRecord(node, policies)) };
  }

  async get(name: string): Promise<Found<NodeDetail> | Refusal> {
    await this.#totals.update();
    const { cluster, events } = this.#sources;
    const node = cluster.findNode(name);
    if (node === undefined) return { kind: 'not-found', message: `There is no node ${name}.` };
    const record = this.#record(node, [...this.#policies()]);
    const pods = [...cluster.podsOnNode(name)].filter(isUsingCapacity).sort(byName);
    return found({
      ...record,
      pods: { ...record.pods, items: pods.map((pod) => this.#pod(pod)) },
      labels: node.labels,
      events: events.about('Node', null, name)?.map(({ at, ...event }) => ({ time: isoTime(at), ...event })) ?? null,
      usage: this.#lastHour(name),
      blockedBy: null,
    });
  }

  #cachedRecord(node: NodeRecord, policies: readonly NodeScalingPolicy[]): Node {
    const { pods, requested } = this.#sumsOf(node);
    const used = this.usedBy(node);
    const inputs = [
      this.#phaseOf(node),
      isGoverned(node, policies),
      this.#priceOf(node),
      pods,
      requested.cpuMillicores,
      requested.memoryBytes,
      used.cpuMillicores,
      used.memoryBytes,
    ];
    return this.#records.of(node, inputs, () => this.#record(node, policies));
  }

  #record(node: NodeRecord, policies: readonly NodeScalingPolicy[]): Node {
    const sums = this.#sumsOf(node);
    const used = this.usedBy(node);
    return {
      name: node.name,
      pool: node.pool,
      machineType: node.machineType,
      zone: node.zone,
      region: node.region,
      capacityType: node.capacityType,
      managed: isGoverned(node, policies),
      ready: node.ready,
      phase: this.#phaseOf(node),
      kubeletVersion: node.kubeletVersion,
      createdAt: isoTime(node.createdAt),
      capacity: node.capacity,
      allocatable: node.allocatable,
      requested: sums.requested,
      used,
      utilization: ratiosOf(used, node.allocatable),
      pods: { count: sums.pods, capacity: node.podCapacity },
      costPerHourUsd: this.#priceOf(node),
      conditions: node.conditions.map(({ lastTransitionAt, ...condition }) => ({
        ...condition,
        lastTransitionAt: isoTimeOrNull(lastTransitionAt),
      })),
      taints: node.taints,
      consolidatable: null,
    };
  }

  /** Builds only the part of the record that has the field. */
  #sortValue(node: NodeRecord, field: string): SortValue {
    const [part] = field.split('.', 1);
    switch (part) {
      case 'managed':
        return isGoverned(node, [...this.#policies()]);
      case 'phase':
        return this.#phaseOf(node);
      case 'requested':
        return fieldOf({ requested: this.#sumsOf(node).requested }, field);
      case 'used':
        return fieldOf({ used: this.usedBy(node) }, field);
      case 'utilization':
        return fieldOf({ utilization: ratiosOf(this.usedBy(node), node.allocatable) }, field);
      case 'pods':
        return fieldOf({ pods: { count: this.#sumsOf(node).pods, capacity: node.podCapacity } }, field);
      case 'costPerHourUsd':
        return this.#priceOf(node);
      default:
        return fieldOf(node, field);
    }
  }

  #until(node: NodeRecord, fields: Fields): Instant {
    const phase = fields.has('phase') ? phaseUntil(node, this.#sources.clock.now()) : Number.POSITIVE_INFINITY;
    const usage = isUsageIn(fields) ? this.#sources.usage.nodeUsage(node.name)?.until : undefined;
    return Math.min(phase, usage ?? Number.POSITIVE_INFINITY);
  }

  /** Usage of a node, or of its pods where the node's is unknown. */
  usedBy({ name }: Pick<NodeRecord, 'name'>): OptionalResources {
    return wholeResources(this.#sources.usage.nodeUsage(name) ?? this.#sumsOf({ name }).used);
  }

  #sumsOf({ name }: Pick<NodeRecord, 'name'>): Sums {
    return this.#totals.ofNode(name);
  }

  #phaseOf(node: NodeRecord): Node['phase'] {
    return nodePhase(node, this.#sources.clock.now());
  }

  #priceOf({ name }: NodeRecord): number | null {
    const price = this.#totals.priceOf(name);
    return price === undefined ? null : Math.round(price.perHourUsd * PRICE_DIGITS) / PRICE_DIGITS;
  }

  #pod(pod: PodRecord): NodePod {
    const { cluster, usage } = this.#sources;
    const workload = cluster.workloadOf(pod);
    return {
      namespace: pod.namespace,
      name: pod.name,
      workload: workload === undefined ? null : { namespace: workload.namespace, kind: workload.kind, name: workload.name },
      phase: pod.phase,
      requests: podRequests(pod, countedRequests),
      used: wholeResources(podUsage(pod, (container) => usage.containerUsage(pod.namespace, pod.name, container))),
    };
  }

  #lastHour(name: string): SeriesSet | null {
    const { clock, usage } = this.#sources;
    const range = readTimeRange({ duration: '1h' }, clock.now());
    if ('details' in range) return null;
    const past = usage.nodeHistory(name, range.start, endOfLastStep(range));
    if (past === null) return null;
    return seriesSet(range, [
      {
        name: 'used',
        unit: 'millicores',
        labels: { resource: 'cpu' },
        samples: past.map(({ at, cpuMillicores }) => ({ at, value: cpuMillicores })),
      },
      {
        name: 'used',
        unit: 'bytes',
        labels: { resource: 'memory' },
        samples: past.map(({ at, memoryBytes }) => ({ at, value: memoryBytes })),
      },
    ]);
  }

  *#policies(): Generator<NodeScalingPolicy> {
    for (const object of this.#sources.cluster.ownObjects(POLICIES)) yield object as unknown as NodeScalingPolicy;
  }
}

function isGoverned(node: NodeRecord, policies: readonly NodeScalingPolicy[]): boolean {
  return policies.some((policy) => isGoverning(policy, node));
}

function isGoverning(policy: NodeScalingPolicy, node: NodeRecord): boolean {
  const { nodePools, nodePoolSelector } = policy.spec;
  if (nodePools !== undefined) return node.pool !== null && nodePools.includes(node.pool);
  return nodePoolSelector === undefined || isLabelSelectorMatch(nodePoolSelector, node.labels);
}

function byName(a: PodRecord, b: PodRecord): number {
  const [left, right] = [`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

export const listNodes = defineQuery({
  requires: ADMIN,
  answer: ({ nodes }: { readonly nodes: NodeQueries }, scope, query: Operations['listNodes']['query']) => nodes.list(scope, query),
});

export const getNode = defineQuery({
  requires: ADMIN,
  answer: ({ nodes }: { readonly nodes: NodeQueries }, _scope, { name }: { readonly name: string }) => nodes.get(name),
});
