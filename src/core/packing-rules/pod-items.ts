// Pods of workloads as items of a packing: the shapes that each may use, its group on a node, its zone where a rule between zones needs one,
// and pods that must share a node as one item.

import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { PodDemand, PodGroup } from '../packing/packing-problem.ts';
import { eligibleShapes, isEveryTaintTolerated, isNodeSelected } from './eligible-shapes.ts';
import { type GroupRule, groupsOf, type PodGroups, type RuledPods } from './pod-groups.ts';
import { labelKeysOf, type PoolShape } from './pool-shape.ts';
import { shareOf } from './share-of-node.ts';
import { type ClaimNeed, type ManifestStorage, reachOf } from './volume-reach.ts';
import { claimSharers } from './shared-claims.ts';
import { assignZones, type ZoneRule } from './zone-assignment.ts';
import type { VolumeClaim } from '#kube/scheduling/volumes/storage-model';

/** A workload, or a single pod. */
export interface PackedWorkload extends RuledPods {
  readonly podNames: readonly string[];
  readonly size: Pick<PodDemand, 'cpuMillicores' | 'memoryMib' | 'gpus'>;
  readonly priority: number;
  /** Rules by which zones count for its spreads, where its preferences are requirements in `rules`; absent: `rules`. */
  readonly requiredRules?: SchedulingRules;
  /** Claims of one of its pods, by its name without the namespace. */
  readonly claimsOf: ((pod: string) => readonly ClaimNeed[]) | null;
}

/** A pod of an item. */
export interface ItemPod {
  readonly name: string;
  readonly workload: number;
  /** Claims whose volumes have a known place. */
  readonly claims: readonly VolumeClaim[];
  /** What it needs without rules that the packing keeps more strictly than they ask: for bounds. */
  readonly freeDemand: PodDemand;
}

/** What is packed as one: a pod, or pods that must share a node. */
export interface PodItem {
  readonly pods: readonly ItemPod[];
  readonly demand: PodDemand;
  readonly priority: number;
  /** Its zone where a spread needs one, and that spread. */
  readonly spread: AssignedSpread | null;
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

export interface PodItems {
  readonly items: readonly PodItem[];
  /** By workload. */
  readonly problems: readonly { readonly workload: number; readonly problem: string }[];
  /** What is not known of the volumes of a claim. */
  readonly notes: readonly string[];
}

/** A pod before its group and zone are chosen. */
interface OpenPod extends Omit<ItemPod, 'freeDemand'> {
  /** Names; the same list for pods with the same shapes. */
  readonly shapes: readonly string[];
}

/** @param daemons pods that are on every node, by name */
export function podItems(
  workloads: readonly PackedWorkload[],
  daemons: readonly Omit<RuledPods, 'rules'>[],
  shapes: readonly PoolShape[],
  storage: ManifestStorage,
): PodItems {
  const problems: { workload: number; problem: string }[] = [];
  const groups = groupsOf(workloads, daemons).map((answer, workload): PodGroups => {
    if ('groups' in answer) return answer.groups;
    problems.push({ workload, problem: answer.problem });
    return { host: null, zone: null };
  });
  const opener = new PodOpener(shapes, storage);
  const open = workloads.map((workload, at) => {
    const opened = opener.open(workload, at);
    problems.push(...opened.problems.map((problem) => ({ workload: at, problem })));
    return opened.pods;
  });
  if (problems.length > 0) return { items: [], problems, notes: opener.notes };
  const zones = new Zones(shapes);
  const assigned = new Map<OpenPod, AssignedZone>();
  for (const [, members] of Map.groupBy(workloads.keys(), (at) => groups[at]?.zone?.key)) {
    const rule = groups[members[0] ?? -1]?.zone ?? null;
    if (rule === null) continue;
    const found = zones.assign(rule, members, workloads, open);
    if ('problem' in found) problems.push({ workload: members[0] ?? 0, problem: found.problem });
    else for (const [pod, zone] of found.zones) assigned.set(pod, zone);
  }
  for (const { pods, workload } of splitSharers(open, groups)) {
    const found = zones.assignSharers(pods, workloads, assigned);
    if ('problem' in found) problems.push({ workload, problem: found.problem });
    else for (const [pod, zone] of found.zones) assigned.set(pod, zone);
  }
  const builder = new ItemBuilder(workloads, groups, shapes.length);
  const items = builder.build(open, assigned, problems);
  return { items, problems, notes: opener.notes };
}

/** Pods that share a claim that is not bound yet, without those that must be on one node: they are in one zone anyway. */
function splitSharers(
  open: readonly (readonly OpenPod[])[],
  groups: readonly PodGroups[],
): readonly { readonly pods: readonly OpenPod[]; readonly workload: number }[] {
  const hostOf = ({ workload }: OpenPod): string | null => {
    const host = groups[workload]?.host ?? null;
    return host?.kind === 'together' ? host.key : null;
  };
  const sharers = claimSharers(open.flat().filter(({ claims }) => claims.length > 0));
  return sharers.flatMap((pods) => {
    const hosts = new Set(pods.map((pod) => hostOf(pod)));
    return hosts.size === 1 && !hosts.has(null) ? [] : [{ pods, workload: pods[0]?.workload ?? 0 }];
  });
}

/** Shapes and claims of pods. */
class PodOpener {
  readonly notes: string[] = [];
  readonly #shapes: readonly PoolShape[];
  readonly #shapeOf: ReadonlyMap<string, PoolShape>;
  readonly #storage: ManifestStorage;
  readonly #labelKeys: ReadonlySet<string>;
  readonly #noted = new Set<string>();
  /** Pods that mount a claim with ReadWriteOncePod, by claim. */
  readonly #soleUses = new Set<string>();

  constructor(shapes: readonly PoolShape[], storage: ManifestStorage) {
    this.#shapes = shapes;
    this.#shapeOf = new Map(shapes.map((shape) => [shape.name, shape]));
    this.#storage = storage;
    this.#labelKeys = labelKeysOf(shapes);
  }

  open(workload: PackedWorkload, at: number): { readonly pods: readonly OpenPod[]; readonly problems: readonly string[] } {
    const eligible = eligibleShapes(workload.rules, this.#shapes);
    if ('problem' in eligible) return { pods: [], problems: [eligible.problem] };
    const { claimsOf } = workload;
    if (claimsOf === null) {
      return { pods: workload.podNames.map((name) => ({ name, workload: at, claims: [], shapes: eligible.shapes })), problems: [] };
    }
    const problems = new Set<string>();
    const known = new Map<string, readonly string[]>();
    const pods = workload.podNames.map((name): OpenPod => {
      const { claims, shapes } = this.#withClaims(claimsOf(name), eligible.shapes, problems);
      const key = JSON.stringify(shapes);
      const same = known.get(key) ?? shapes;
      known.set(key, same);
      return { name, workload: at, claims, shapes: same };
    });
    return { pods, problems: [...problems].slice(0, MAX_CLAIM_PROBLEMS) };
  }

  #withClaims(
    needs: readonly ClaimNeed[],
    eligible: readonly string[],
    problems: Set<string>,
  ): { readonly claims: readonly VolumeClaim[]; readonly shapes: readonly string[] } {
    let shapes = eligible;
    const claims: VolumeClaim[] = [];
    for (const need of needs) {
      const reach = reachOf(need, this.#storage, this.#labelKeys);
      const problem = this.#soleUseProblem(need);
      if (problem !== null) problems.add(problem);
      if (reach.kind === 'unusable') problems.add(`its claim ${need.name} ${reach.why}; create it anew`);
      if (reach.kind === 'unknown') this.#note(need, reach.why);
      if (reach.kind !== 'known') continue;
      if (reach.note !== null) this.#note(need, reach.note);
      shapes = shapes.filter((name) => reach.isReachable(this.#shapeOf.get(name)?.labels ?? {}));
      if (shapes.length === 0) {
        problems.add(`the volume of its claim ${need.name} is reached from no machine type that it may use; add a pool in its zone`);
      }
      if (reach.claim !== null) claims.push(reach.claim);
    }
    return { claims, shapes };
  }

  #note(need: ClaimNeed, why: string): void {
    // A claim that is created with each pod has a name for each.
    const key = need.createdWithClass === undefined ? `${need.namespace}/${need.name} ${why}` : why;
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    this.notes.push(`claim ${need.namespace}/${need.name} ${why}: its volume is taken to be wherever the pod is`);
  }

  #soleUseProblem({ namespace, name }: ClaimNeed): string | null {
    const claim = this.#storage.claims.get(`${namespace}/${name}`);
    if (claim?.accessModes.includes('ReadWriteOncePod') !== true) return null;
    const key = `${namespace}/${name}`;
    if (this.#soleUses.has(key)) return `its claim ${name} is ReadWriteOncePod, and more than one pod mounts it; keep one`;
    this.#soleUses.add(key);
    return null;
  }
}

/** Problems of claims that are reported for one workload. */
const MAX_CLAIM_PROBLEMS = 5;

interface AssignedZone {
  readonly zone: string;
  readonly shapes: readonly string[];
  readonly spread: AssignedSpread | null;
}

/** Zones of shapes, and the choice among them. */
class Zones {
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
    workloads: readonly PackedWorkload[],
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
    workloads: readonly PackedWorkload[],
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
  #pricesFor(
    pods: readonly OpenPod[],
    options: readonly (readonly string[])[],
    workloads: readonly PackedWorkload[],
  ): (zone: string) => number {
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
  #optionsOf(pods: readonly OpenPod[], workloads: readonly PackedWorkload[]): readonly (readonly string[])[] {
    const known = new Map<PackedWorkload, Map<readonly string[], readonly string[]>>();
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

  #zonesFor(size: PackedWorkload['size'], shapes: readonly string[]): string[] {
    const zones = shapes.flatMap((name) => {
      const shape = this.#shapeOf.get(name);
      return shape === undefined || shape.offering.zone === null || shareOf(size, shape) > 1 || shape.maxNodes === 0
        ? []
        : [shape.offering.zone];
    });
    return [...new Set(zones)].sort();
  }

  /** The lowest price of a pod's share of a node. */
  #priceIn(shapes: readonly string[], size: PackedWorkload['size']): number {
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

class ItemBuilder {
  readonly #workloads: readonly PackedWorkload[];
  readonly #groups: readonly PodGroups[];
  readonly #shapeCount: number;
  /** Demands, so that equal pods share one object. */
  readonly #demands = new Map<PackedWorkload, Map<readonly string[], PodDemand>>();

  constructor(workloads: readonly PackedWorkload[], groups: readonly PodGroups[], shapeCount: number) {
    this.#workloads = workloads;
    this.#groups = groups;
    this.#shapeCount = shapeCount;
  }

  build(
    open: readonly (readonly OpenPod[])[],
    assigned: ReadonlyMap<OpenPod, AssignedZone>,
    problems: { workload: number; problem: string }[],
  ): PodItem[] {
    const together = new Map<string, OpenPod[]>();
    const items: PodItem[] = [];
    open.forEach((pods, at) => {
      const host = this.#groups[at]?.host ?? null;
      if (host?.kind === 'together') {
        together.set(host.key, [...(together.get(host.key) ?? []), ...pods]);
        return;
      }
      const workload = this.#workloads[at];
      if (workload === undefined) return;
      for (const pod of pods) {
        const zone = assigned.get(pod);
        items.push({
          pods: [this.#itemPod(pod, workload)],
          demand: this.#demandOf(workload, at, zone?.shapes ?? pod.shapes),
          priority: workload.priority,
          spread: zone?.spread ?? null,
        });
      }
    });
    for (const pods of together.values()) {
      const item = this.#joined(pods, assigned);
      if ('problem' in item) problems.push(item);
      else items.push(item);
    }
    return items;
  }

  #itemPod({ name, workload, claims, shapes }: OpenPod, of: PackedWorkload): ItemPod {
    return { name, workload, claims, freeDemand: this.#demandOf(of, workload, shapes) };
  }

  /** Pods that must share a node, as one. */
  #joined(pods: readonly OpenPod[], assigned: ReadonlyMap<OpenPod, AssignedZone>): PodItem | { workload: number; problem: string } {
    const itemPods = pods.flatMap((pod) => {
      const workload = this.#workloads[pod.workload];
      return workload === undefined ? [] : [this.#itemPod(pod, workload)];
    });
    const [first, ...others] = pods;
    const shapesOf = (pod: OpenPod): readonly string[] => assigned.get(pod)?.shapes ?? pod.shapes;
    const shapes = (first === undefined ? [] : shapesOf(first)).filter((name) => others.every((pod) => shapesOf(pod).includes(name)));
    if (shapes.length === 0) {
      return {
        workload: first?.workload ?? 0,
        problem: 'its pods must share a node, and no machine type is open to all of them; correct their rules',
      };
    }
    const sum = (amount: 'cpuMillicores' | 'memoryMib' | 'gpus'): number => {
      return itemPods.reduce((total, { freeDemand }) => total + freeDemand[amount], 0);
    };
    return {
      pods: itemPods,
      demand: {
        cpuMillicores: sum('cpuMillicores'),
        memoryMib: sum('memoryMib'),
        gpus: sum('gpus'),
        machineTypes: shapes.length === this.#shapeCount ? null : shapes,
        group: null,
        podCount: itemPods.length,
      },
      priority: Math.min(...pods.map(({ workload }) => this.#workloads[workload]?.priority ?? 0)),
      spread: null,
    };
  }

  #demandOf(workload: PackedWorkload, at: number, shapes: readonly string[]): PodDemand {
    const byShapes = this.#demands.get(workload) ?? new Map<readonly string[], PodDemand>();
    this.#demands.set(workload, byShapes);
    const known = byShapes.get(shapes);
    if (known !== undefined) return known;
    const demand: PodDemand = {
      ...workload.size,
      machineTypes: shapes.length === this.#shapeCount ? null : shapes,
      group: podGroupOf(this.#groups[at]?.host ?? null),
    };
    byShapes.set(shapes, demand);
    return demand;
  }
}

/** Pods of a group on one node. A hard spread allows more where all nodes have as many. */
function podGroupOf(rule: GroupRule | null): PodGroup | null {
  if (rule === null || rule.kind === 'together') return null;
  return { name: rule.key, perNode: rule.maxSkew, isNecessary: rule.kind === 'apart' };
}
