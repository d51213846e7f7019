// Preferences of pods as requirements, where a pod is then little dearer: preferred node affinity, spreads with ScheduleAnyway, and preferred
// anti-affinity. What they cost is measured by a search; here they are only chosen.

import type { NodeTerm, PodTerm } from '#kube/pod-spec/affinity';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { SpreadConstraint } from '#kube/pod-spec/spread-constraint';
import { eligibleShapes } from './eligible-shapes.ts';
import { type PackedWorkload, type PodItem, podItems } from './pod-items.ts';
import { HOSTNAME_LABEL, type PoolShape, ZONE_LABEL } from './pool-shape.ts';
import { shareOf } from './share-of-node.ts';
import type { ManifestStorage } from './volume-reach.ts';

/** What a pod costs at the lowest price of its share of a node, by the rules; Infinity: it fits nowhere. */
function shareCost({ rules, size }: Pick<PackedWorkload, 'rules' | 'size'>, shapes: readonly PoolShape[], zone?: string): number {
  const eligible = eligibleShapes(rules, shapes);
  if ('problem' in eligible) return Infinity;
  const names = new Set(eligible.shapes);
  const costs = shapes.flatMap((shape) => {
    const share = shareOf(size, shape);
    const isOpen = names.has(shape.name) && share <= 1 && shape.maxNodes !== 0 && (zone === undefined || shape.offering.zone === zone);
    return isOpen ? [share * shape.usdPerHour] : [];
  });
  return Math.min(...costs);
}

interface PreferenceLimits {
  /** Part of its cost by which a preference may make a pod dearer. */
  readonly maxShare: number;
  /** Topology keys of preferences between pods that are chosen. */
  readonly scopes: readonly string[];
}

/**
 * The workload with those of its preferences as requirements that make its pods at most `maxShare` dearer, by the price of their share of a node; the
 * same workload where there are none.
 */
function withPreferences<W extends Pick<PackedWorkload, 'rules' | 'size' | 'namespace'>>(
  workload: W,
  shapes: readonly PoolShape[],
  { maxShare, scopes }: PreferenceLimits,
): W {
  const most = shareCost(workload, shapes) * (1 + maxShare);
  let preferred = workload;
  const adopt = (rules: SchedulingRules): void => {
    const candidate = { ...preferred, rules, requiredRules: workload.rules };
    if (dearestCost(candidate, shapes) <= most) preferred = candidate;
  };
  for (const { term } of workload.rules.preferredNodeTerms.toSorted((a, b) => b.weight - a.weight)) {
    adopt({ ...preferred.rules, nodeTerms: bothTerms(preferred.rules.nodeTerms, term) });
  }
  for (const constraint of workload.rules.spread.filter(({ hard }) => !hard)) {
    if (isOpenScope(preferred.rules, constraint.topologyKey, scopes)) adopt(withHardSpread(preferred.rules, constraint));
  }
  const apart = workload.rules.preferredAntiAffinity.toSorted((a, b) => b.weight - a.weight);
  for (const { term } of apart) {
    if (isOpenScope(preferred.rules, term.topologyKey, scopes) && isOwn(term, workload.namespace)) adopt(withApart(preferred.rules, term));
  }
  return preferred;
}

/** The cost of a share on average over the zones that a spread uses, or the lowest. */
function dearestCost(workload: Pick<PackedWorkload, 'rules' | 'size'>, shapes: readonly PoolShape[]): number {
  if (!workload.rules.spread.some(({ hard, topologyKey }) => hard && topologyKey === ZONE_LABEL)) return shareCost(workload, shapes);
  const zones = [...new Set(shapes.flatMap(({ offering: { zone } }) => (zone === null ? [] : [zone])))];
  const costs = zones.map((zone) => shareCost(workload, shapes, zone)).filter((cost) => cost !== Infinity);
  return costs.length === 0 ? Infinity : costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}

/** Terms of which one must match, each with the requirements of one more. */
function bothTerms(terms: readonly NodeTerm[] | null, { labels, fields }: NodeTerm): readonly NodeTerm[] {
  return (terms ?? [{ labels: [], fields: [] }]).map((term) => ({
    labels: [...term.labels, ...labels],
    fields: [...term.fields, ...fields],
  }));
}

/** Whether there is no rule between pods on a host, or in a zone, yet. */
function isOpenScope({ spread, affinity, antiAffinity }: SchedulingRules, key: string, scopes: readonly string[]): boolean {
  if (!scopes.includes(key)) return false;
  const togetherOnHost = affinity.some(({ topologyKey }) => topologyKey === HOSTNAME_LABEL);
  return (
    !togetherOnHost && ![...spread.filter(({ hard }) => hard), ...affinity, ...antiAffinity].some(({ topologyKey }) => topologyKey === key)
  );
}

function isOwn({ namespaces, namespaceSelector, selector }: PodTerm, namespace: string): boolean {
  return selector !== null && namespaceSelector === null && namespaces.every((each) => each === namespace);
}

function withHardSpread(rules: SchedulingRules, constraint: SpreadConstraint): SchedulingRules {
  return { ...rules, spread: [...rules.spread.filter((each) => each !== constraint), { ...constraint, hard: true }] };
}

/** On hosts, as anti-affinity; in zones, of which there are few, as evenly as they allow. */
function withApart(rules: SchedulingRules, term: PodTerm): SchedulingRules {
  if (term.topologyKey === HOSTNAME_LABEL) return { ...rules, antiAffinity: [...rules.antiAffinity, term] };
  const even = { maxSkew: 1, minDomains: 1, hard: true, honorAffinity: true, honorTaints: true };
  return { ...rules, spread: [...rules.spread, { ...even, topologyKey: term.topologyKey, selector: term.selector }] };
}

interface PreferringItems {
  readonly items: readonly PodItem[];
  /** What the pods whose preferences are requirements cost by the price of their share of a node, in dollars an hour. */
  readonly ownUsd: number;
}

/** Rounds in which preferences that contradict others are given up. */
const MAX_ROUNDS = 5;

/** Preferences between hosts need more nodes than the price of a pod says: they are given up first. */
const SCOPES = [[ZONE_LABEL, HOSTNAME_LABEL], [ZONE_LABEL]] as const;

/** The items of the workloads with their preferences as requirements, with those between hosts and without; empty: none is to be kept. */
export function preferringItems(
  workloads: readonly PackedWorkload[],
  shapes: readonly PoolShape[],
  storage: ManifestStorage,
  maxShare: number,
): PreferringItems[] {
  const prefersHosts = workloads.some(({ rules }) => {
    const soft = [...rules.spread.filter(({ hard }) => !hard), ...rules.preferredAntiAffinity.map(({ term }) => term)];
    return soft.some(({ topologyKey }) => topologyKey === HOSTNAME_LABEL);
  });
  return SCOPES.slice(prefersHosts ? 0 : 1).flatMap((scopes) => {
    const found = itemsWith(workloads, shapes, storage, { maxShare, scopes });
    return found === null ? [] : [found];
  });
}

/** Null: no preference is to be kept. */
function itemsWith(
  workloads: readonly PackedWorkload[],
  shapes: readonly PoolShape[],
  storage: ManifestStorage,
  limits: PreferenceLimits,
): PreferringItems | null {
  const preferring = workloads.map((workload) => withPreferences(workload, shapes, limits));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (workloads.every((workload, at) => preferring[at] === workload)) return null;
    const { items, problems } = podItems(preferring, [], shapes, storage);
    if (problems.length === 0) {
      const costs = workloads.map((workload, at) =>
        preferring[at] === workload ? 0 : shareCost(workload, shapes) * workload.podNames.length,
      );
      return { items, ownUsd: costs.reduce((sum, cost) => sum + cost, 0) };
    }
    const contradicted = new Set(problems.map(({ workload }) => workload));
    workloads.forEach((workload, at) => {
      if (contradicted.has(at)) preferring[at] = workload;
    });
  }
  return null;
}
