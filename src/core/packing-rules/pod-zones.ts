// Zones of pods: those that rules between zones, and claims that pods share, leave to each, and the choice among them.

import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { VolumeClaim } from '#kube/scheduling/volumes/storage-model';
import type { PodDemand } from '../packing/packing-problem.ts';
import { isEveryTaintTolerated, isNodeSelected } from './eligible-shapes.ts';
import type { GroupRule } from './pod-groups.ts';
import type { PoolShape } from './pool-shape.ts';
import { shareOf } from './share-of-node.ts';
import { assignZones, type ZoneRule } from './zone-assignment.ts';

/** A pod before its group and zone are chosen. */
export interface OpenPod {
  readonly name: string;
  readonly workload: number;
  /** Claims whose volumes have a known place. */
  readonly claims: readonly VolumeClaim[];
  /** Names; the same list for pods with the same shapes. */
  readonly shapes: readonly string[];
}

/** A workload, or a single pod, whose pods get zones. */
export interface ZonedPods {
  readonly size: Pick<PodDemand, 'cpuMillicores' | 'memoryMib' | 'gpus'>;
  readonly rules: SchedulingRules;
  /** Rules by which zones count for its spreads, where its preferences are requirements in `rules`; absent: `rules`. */
  readonly requiredRules?: SchedulingRules;
}

/** A hard spread over zones. */
export interface SpreadGroup {
  readonly maxSkew: number;
  readonly domains: readonly string[];
  /** Whether the fewest pods in a domain count as none, whatever is placed. */
  readonly hasNoMinimum: boolean;
}

export interface AssignedSpread {
  readonly group: SpreadGroup;
  readonly zone: string;
}

export interface AssignedZone {
  readonly zone: string;
  readonly shapes: readonly string[];
  readonly spread: AssignedSpread | null;
}

/** Zones of shapes, and the choice among them. */
export class Zones {
  readonly #shapes: readonly PoolShape[];
  readonly #shapeOf: ReadonlyMap<string, PoolShape>;
  /** Those of a list of shapes that are in a zone. */
  readonly #inZone = new Map<readonly string[], Map<string, readonly string[]>>();

  constructor(shapes: readonly PoolShape[]) {
    this.#shapes = shapes;
    this.#shapeOf = new Map(shapes.map((shape) => [shape.name, shape]));
  }

  assign(
    rule: GroupRule,
    members: readonly number[],
    workloads: readonly ZonedPods[],
    open: readonly (readonly OpenPod[])[],
  ): { readonly zones: ReadonlyMap<OpenPod, AssignedZone> } | { readonly problem: string } {
    const domainsOf = members.map((at) => this.#domainsOf(rule, workloads[at]?.requiredRules ?? workloads[at]?.rules));
    const [domains = []] = domainsOf;
    if (domains.length === 0)
      return { problem: 'has a rule between zones, and no pool that it may use states a zone; add the column zone' };
    if (rule.kind === 'spread' && domainsOf.some((each) => each.join() !== domains.join()))
      return { problem: 'its topology spread selects pods that may use other zones, which is not supported; select its own pods alone' };
    const pods = members.flatMap((at) => open[at] ?? []);
    const options = this.#optionsOf(pods, workloads);
    const stuck = options.findIndex((zones) => zones.length === 0);
    if (stuck >= 0)
      return { problem: `no pool in a zone is large enough for its pod ${pods[stuck]?.name ?? ''}; add a larger machine type` };
    const priceOf = this.#pricesFor(pods, options, workloads);
    const zoneRule: ZoneRule = rule.kind === 'spread' ? { ...rule, kind: rule.kind, domains } : { kind: rule.kind };
    const found = assignZones(options, zoneRule, priceOf);
    if ('problem' in found) return found;
    const placeable = new Set(options.flat());
    const group: SpreadGroup | null =
      rule.kind === 'spread'
        ? {
            maxSkew: rule.maxSkew,
            domains,
            hasNoMinimum: domains.length < rule.minDomains || domains.some((zone) => !placeable.has(zone)),
          }
        : null;
    return {
      zones: new Map(
        pods.map((pod, at) => {
          const zone = found.zones[at] ?? '';
          return [pod, { zone, shapes: this.shapesIn(zone, pod.shapes), spread: group === null ? null : { group, zone } }];
        }),
      ),
    };
  }

  /** Zones of pods that must be in one since they share a claim, beside those that rules have assigned. */
  assignSharers(
    pods: readonly OpenPod[],
    workloads: readonly ZonedPods[],
    assigned: ReadonlyMap<OpenPod, AssignedZone>,
  ): { readonly zones: ReadonlyMap<OpenPod, AssignedZone> } | { readonly problem: string } {
    if (this.#shapes.every(({ offering }) => offering.zone === null)) return { zones: new Map() };
    const allowed = this.#optionsOf(pods, workloads);
    const options = pods.map((pod, at) => {
      const known = assigned.get(pod);
      return known === undefined ? (allowed[at] ?? []) : [known.zone];
    });
    const found = assignZones(options, { kind: 'together' }, this.#pricesFor(pods, options, workloads));
    if ('problem' in found) {
      const why = 'its pods share a claim that is not bound yet, and its volume is in one zone';
      return { problem: `${why}, which its rules or pools do not allow; give each pod a claim, or correct the rules` };
    }
    const open = pods.flatMap((pod, at) => (assigned.has(pod) ? [] : [{ pod, zone: found.zones[at] ?? '' }]));
    return { zones: new Map(open.map(({ pod, zone }) => [pod, { zone, shapes: this.shapesIn(zone, pod.shapes), spread: null }])) };
  }

  /** What a pod costs in a zone. */
  #pricesFor(pods: readonly OpenPod[], options: readonly (readonly string[])[], workloads: readonly ZonedPods[]): (zone: string) => number {
    const prices = new Map(
      [...podByZone(pods, options)].map(([zone, { workload, shapes }]) => {
        const size = workloads[workload]?.size;
        return [zone, size === undefined ? 0 : this.#priceIn(this.shapesIn(zone, shapes), size)] as const;
      }),
    );
    return (zone) => prices.get(zone) ?? 0;
  }

  /** Those of the shapes that are in a zone. */
  shapesIn(zone: string, shapes: readonly string[]): readonly string[] {
    const known = this.#inZone.get(shapes) ?? new Map<string, readonly string[]>();
    this.#inZone.set(shapes, known);
    const found = known.get(zone) ?? shapes.filter((name) => this.#shapeOf.get(name)?.offering.zone === zone);
    known.set(zone, found);
    return found;
  }

  /** Zones that count for a rule: those of pools that node affinity allows, whatever their taints, unless the rule says otherwise. */
  #domainsOf({ honorsAffinity, honorsTaints }: GroupRule, rules: SchedulingRules | undefined): string[] {
    const counted = this.#shapes.filter(({ labels, taints }) => {
      if (rules === undefined) return false;
      return (!honorsAffinity || isNodeSelected(rules, labels)) && (!honorsTaints || isEveryTaintTolerated(rules.tolerations, taints));
    });
    return [...new Set(counted.flatMap(({ offering: { zone } }) => (zone === null ? [] : [zone])))].sort();
  }

  /** Zones in which each pod fits on a node. */
  #optionsOf(pods: readonly OpenPod[], workloads: readonly ZonedPods[]): readonly (readonly string[])[] {
    const known = new Map<ZonedPods, Map<readonly string[], readonly string[]>>();
    return pods.map(({ workload, shapes }) => {
      const of = workloads[workload];
      if (of === undefined) return [];
      const byShapes = known.get(of) ?? new Map<readonly string[], readonly string[]>();
      known.set(of, byShapes);
      const found = byShapes.get(shapes) ?? this.#zonesFor(of.size, shapes);
      byShapes.set(shapes, found);
      return found;
    });
  }

  #zonesFor(size: ZonedPods['size'], shapes: readonly string[]): string[] {
    const zones = shapes.flatMap((name) => {
      const shape = this.#shapeOf.get(name);
      return shape === undefined || shape.offering.zone === null || shareOf(size, shape) > 1 || shape.maxNodes === 0
        ? []
        : [shape.offering.zone];
    });
    return [...new Set(zones)].sort();
  }

  /** The lowest price of a pod's share of a node. */
  #priceIn(shapes: readonly string[], size: ZonedPods['size']): number {
    const prices = shapes.flatMap((name) => {
      const shape = this.#shapeOf.get(name);
      const share = shape === undefined ? Infinity : shareOf(size, shape);
      return shape === undefined || share > 1 || shape.maxNodes === 0 ? [] : [share * shape.usdPerHour];
    });
    return Math.min(...prices);
  }
}

/** By zone, a pod by which its price is compared: the same one where it may use the zone, the one that may use the most. */
function podByZone(pods: readonly OpenPod[], options: readonly (readonly string[])[]): ReadonlyMap<string, OpenPod> {
  const order = [...pods.keys()].sort((a, b) => (options[b]?.length ?? 0) - (options[a]?.length ?? 0));
  const found = new Map<string, OpenPod>();
  for (const at of order) {
    const pod = pods[at];
    for (const zone of options[at] ?? []) if (pod !== undefined && !found.has(zone)) found.set(zone, pod);
  }
  return found;
}
