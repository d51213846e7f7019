// Pods of workloads as items of a packing: the shapes that each may use, its group on a node, its zone where a rule between zones needs one,
// and pods that must share a node as one item.

import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { PodDemand, PodGroup } from '../packing/packing-problem.ts';
import { eligibleShapes } from './eligible-shapes.ts';
import { type GroupRule, groupsOf, type PodGroups, type RuledPods } from './pod-groups.ts';
import { type AssignedSpread, type AssignedZone, type OpenPod, Zones } from './pod-zones.ts';
import { labelKeysOf, type PoolShape } from './pool-shape.ts';
import { type ClaimNeed, type ManifestStorage, reachOf } from './volume-reach.ts';
import { claimSharers } from './shared-claims.ts';
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

export interface PodItems {
  readonly items: readonly PodItem[];
  /** By workload. */
  readonly problems: readonly { readonly workload: number; readonly problem: string }[];
  /** What is not known of the volumes of a claim. */
  readonly notes: readonly string[];
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
