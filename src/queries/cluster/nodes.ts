import type { Node, NodeDetail, NodePod, Operations, SeriesSet } from '../../apis/http/types.generated.ts';
import type { NodeScalingPolicy } from '../../apis/v1alpha1/index.ts';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { NodeRecord } from '#kube/records/node';
import { countedRequests, type PodRecord } from '#kube/records/pod';
import { podRequests } from '#kube/records/pod-requests';
import { isUsingCapacity, NO_SUMS, type TotalsCache } from './totals.ts';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import { selectPage, type Listing } from '../listing.ts';
import { nodePhase } from './node-phase.ts';
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

const LISTING: Listing<Node> = {
  id: (node) => node.name,
  namespaceOf: null,
  namesOf: (node) => [node.name, node.pool],
  defaultSort: 'name',
  filters: ['phase', 'capacityType', 'pool'],
};

/** Rounds prices to a millionth of a dollar per hour. */
const PRICE_DIGITS = 1e6;

/** `/nodes` and `/nodes/{name}`. */
export class NodeQueries {
  readonly #sources: ReadSources;
  readonly #totals: TotalsCache;

  constructor(sources: ReadSources, totals: TotalsCache) {
    this.#sources = sources;
    this.#totals = totals;
  }

  list(scope: Scope, query: Operations['listNodes']['query']): Page<Node> | Refusal {
    return selectPage(this.all(), LISTING, query, scope);
  }

  /** All nodes, for summaries. */
  *all(): Generator<Node> {
    const policies = [...this.#policies()];
    for (const node of this.#sources.cluster.nodes()) yield this.#record(node, policies);
  }

  get(name: string): Found<NodeDetail> | Refusal {
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

  #record(node: NodeRecord, policies: readonly NodeScalingPolicy[]): Node {
    const { clock, usage } = this.#sources;
    const totals = this.#totals.totals();
    const sums = totals.byNode.get(node.name) ?? NO_SUMS;
    const used = wholeResources(usage.nodeUsage(node.name) ?? sums.used);
    const price = totals.prices.get(node.name) ?? null;
    return {
      name: node.name,
      pool: node.pool,
      machineType: node.machineType,
      zone: node.zone,
      region: node.region,
      capacityType: node.capacityType,
      managed: policies.some((policy) => isGoverning(policy, node)),
      ready: node.ready,
      phase: nodePhase(node, clock.now()),
      kubeletVersion: node.kubeletVersion,
      createdAt: isoTime(node.createdAt),
      capacity: node.capacity,
      allocatable: node.allocatable,
      requested: sums.requested,
      used,
      utilization: ratiosOf(used, node.allocatable),
      pods: { count: sums.pods, capacity: node.podCapacity },
      costPerHourUsd: price === null ? null : Math.round(price.perHourUsd * PRICE_DIGITS) / PRICE_DIGITS,
      conditions: node.conditions.map(({ lastTransitionAt, ...condition }) => ({
        ...condition,
        lastTransitionAt: isoTimeOrNull(lastTransitionAt),
      })),
      taints: node.taints,
      consolidatable: null,
    };
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
    for (const object of this.#sources.cluster.ownObjects('nodescalingpolicies')) yield object as unknown as NodeScalingPolicy;
  }
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
