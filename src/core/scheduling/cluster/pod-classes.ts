import type { LabelSelector } from '#kube/label-selector';
import type { PodTerm } from '#kube/pod-spec/affinity';
import type { SpreadConstraint } from '#kube/pod-spec/spread-constraint';
import { Feasibility } from '#kube/scheduling/feasibility';
import { filterDisks, filterPorts } from '#kube/scheduling/filters/node-rules';
import { isSelectedByIncomingTerm, isSelectedByTerm } from '#kube/scheduling/filters/pod-terms';
import { isCounted, isSelected } from '#kube/scheduling/filters/topology-spread';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from '#kube/scheduling/scheduling-model';
import { soleClaimsOf } from '#kube/scheduling/volumes/sole-claims';
import { collectVolumes } from '#kube/scheduling/volumes/volume-limits';
import { bucketsOf, bucketsOfPod, type Counters, type Selection } from './counters.ts';
import type { Interner } from './interner.ts';
import { grownBytes, grownFloats, grownInts, setList } from '../columns/shared-arrays.ts';
import { CLUSTER_KEY, EXCLUDED_BY_RULE, EXCLUDED_UNMODELLED, NODE_KEY, NONE, type SnapshotColumns } from '../columns/snapshot-columns.ts';
import type { SpreadGroups } from './spread-groups.ts';
import type { StaticRules } from './static-rules.ts';
import type { Topology } from './topology.ts';

/** What pod classes are compiled with. */
export interface ClassDependencies {
  readonly columns: SnapshotColumns;
  readonly interner: Interner;
  readonly topology: Topology;
  readonly groups: SpreadGroups;
  readonly counters: Counters;
  readonly rules: StaticRules;
  readonly view: Pick<SchedulingView, 'storage' | 'namespaceLabels'>;
  readonly resourceOf: (name: string) => number;
  /** Number of a volume of a driver. @param id with the driver */
  readonly volumeOf: (id: string, driver: string) => number;
  /** Label keys that a selector of any pod reads. */
  readonly labelKeys: ReadonlySet<string>;
  /** Called before a class is made, and may throw. */
  readonly onNew: () => void;
  /** Called when a class counts in a counter that is newer than the class. */
  readonly onMember: (ofClass: number, counter: number) => void;
}

interface PodClass {
  readonly pod: SchedulingPod;
  /** Why every node is infeasible; null: nodes need to be filtered. */
  readonly excluded: string | null;
  readonly memberOf: number[];
  readonly hostile: number[];
  readonly portConflicts: number[];
  readonly diskConflicts: number[];
}

/** A set of ports or disks: two pods of conflicting sets cannot share a node. */
interface Exclusive {
  readonly counter: number;
  readonly pod: SchedulingPod;
}

type ConflictList = 'portConflicts' | 'diskConflicts';

const CONFLICTS = [
  { list: 'portConflicts', items: (pod: SchedulingPod) => pod.ports, filter: filterPorts },
  { list: 'diskConflicts', items: (pod: SchedulingPod) => pod.disks, filter: filterDisks },
] as const;

/** Classes of pods that scheduling treats alike, compiled to counters and lists. */
export class PodClasses {
  readonly #given: ClassDependencies;
  readonly #classes: PodClass[] = [];
  readonly #byText = new Map<string, number>();
  readonly #byBucket = new Map<string, number[]>();
  readonly #labelIds = new WeakMap<object, number>();
  readonly #requests = new Map<number, number>();
  readonly #exclusive: Readonly<Record<ConflictList, Exclusive[]>> = { portConflicts: [], diskConflicts: [] };
  readonly #dirty = new Set<number>();
  /** The class that is being compiled, of which no pod is counted yet. */
  #compiled = NONE;

  constructor(given: ClassDependencies) {
    this.#given = given;
  }

  get size(): number {
    return this.#classes.length;
  }

  /** Why every node is infeasible for a class; null: nodes need to be filtered. */
  excludedOf(ofClass: number): string | null {
    return this.#classes[ofClass]?.excluded ?? null;
  }

  /** A pod of the class. */
  representativeOf(ofClass: number): SchedulingPod {
    const found = this.#classes[ofClass];
    if (found === undefined) throw new Error(`no pod class ${ofClass}`);
    return found.pod;
  }

  /**
   * The class of a pod. @param schedulable whether it may be scheduled; without, only what other pods must know of it counts, so that
   * the pods of a DaemonSet share a class
   */
  idOf(pod: SchedulingPod, schedulable: boolean): number {
    const excluded = schedulable ? this.#exclusionOf(pod) : null;
    const rule = schedulable ? this.#given.rules.idOf(excluded === null ? pod : { ...pod, claims: [] }) : NONE;
    const volumes = this.#volumesOf(pod);
    const soleClaims = [...soleClaimsOf(pod, this.#given.view)];
    const text = this.#textOf(pod, { rule, excluded, volumes, soleClaims });
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    this.#given.onNew();
    const id = this.#classes.length;
    this.#byText.set(text, id);
    this.#classes.push({ pod, excluded, memberOf: [], hostile: [], portConflicts: [], diskConflicts: [] });
    this.#compile(id, rule, volumes, soleClaims);
    return id;
  }

  /** Writes lists that have grown to their columns. */
  flush(): void {
    const { classes } = this.#given.columns;
    for (const id of this.#dirty) {
      const each = this.#classes[id];
      if (each === undefined) continue;
      for (const list of ['memberOf', 'hostile', 'portConflicts', 'diskConflicts'] as const) setList(classes[list], id, each[list]);
    }
    this.#dirty.clear();
  }

  #exclusionOf(pod: SchedulingPod): string | null {
    if (pod.unmodelled.length === 0 && pod.claims.length === 0 && (pod.nodeTerms ?? []).every(({ fields }) => fields.length === 0))
      return null;
    const { storage, namespaceLabels } = this.#given.view;
    return new Feasibility(pod, { nodes: [], storage, namespaceLabels }).excluded;
  }

  /** A pod with an ephemeral volume gets another claim on its next node, of which nothing is known yet. */
  #exclusionCodeOf(id: number): number {
    const { pod, excluded } = this.#classes[id] ?? {};
    if (pod === undefined) return 0;
    if (pod.unmodelled.length > 0 || pod.claims.some(({ ephemeral }) => ephemeral)) return EXCLUDED_UNMODELLED;
    return excluded === null ? 0 : EXCLUDED_BY_RULE;
  }

  #volumesOf(pod: SchedulingPod): readonly number[] {
    if (pod.claims.length + pod.disks.length === 0) return [];
    const found = new Map<string, string>();
    collectVolumes(pod, this.#given.view.storage, found);
    return [...found].map(([id, driver]) => this.#given.volumeOf(id, driver));
  }

  #textOf(
    pod: SchedulingPod,
    own: {
      readonly rule: number;
      readonly excluded: string | null;
      readonly volumes: readonly number[];
      readonly soleClaims: readonly string[];
    },
  ): string {
    const { interner } = this.#given;
    const seen = [pod.requests, pod.ports, pod.disks, pod.antiAffinity].map((part) => interner.idOf(part));
    const asked =
      own.rule === NONE
        ? []
        : [pod.spread, pod.affinity, pod.preferredAffinity, pod.preferredAntiAffinity].map((part) => interner.idOf(part));
    const text = [pod.namespace, this.#labelsIdOf(pod), Number(pod.terminating), ...seen, own.rule, ...asked].join(' ');
    if (own.excluded === null && pod.claims.length + own.volumes.length === 0) return text;
    return `${text} ${JSON.stringify([own.excluded, pod.claims, own.volumes, own.soleClaims])}`;
  }

  /** Labels that no selector reads make no difference. */
  #labelsIdOf({ labels }: SchedulingPod): number {
    let id = this.#labelIds.get(labels);
    if (id === undefined) {
      const read = [...this.#given.labelKeys].map((key) => labelOf(labels, key) ?? null);
      this.#labelIds.set(labels, (id = this.#given.interner.idOfText(JSON.stringify(read))));
    }
    return id;
  }

  #compile(id: number, rule: number, volumes: readonly number[], soleClaims: readonly string[]): void {
    const { pod } = this.#classes[id] ?? {};
    if (pod === undefined) return;
    this.#compiled = id;
    const { columns, counters, labelKeys } = this.#given;
    const { classes } = columns;
    classes.rule = grownInts(classes.rule, id + 1, NONE);
    classes.rule[id] = rule;
    classes.requests = grownInts(classes.requests, id + 1);
    classes.requests[id] = this.#requestsOf(pod);
    classes.excluded = grownBytes(classes.excluded, id + 1);
    classes.excluded[id] = this.#exclusionCodeOf(id);
    classes.selfAffine = grownBytes(classes.selfAffine, id + 1);
    setList(classes.volumes, id, volumes);
    const sole = soleClaims.map((name) => counters.idOf(`sole ${pod.namespace}/${name}`, CLUSTER_KEY));
    setList(classes.soleClaims, id, sole);
    this.#addMemberships(id, pod);
    // Counters of the class's own questions are made after its buckets exist, so that it can count in them.
    for (const bucket of bucketsOfPod(pod, labelKeys)) {
      const list = this.#byBucket.get(bucket);
      if (list === undefined) this.#byBucket.set(bucket, [id]);
      else list.push(id);
    }
    for (const { list, counter } of counters.selectionsOf(pod, labelKeys)) this.#classes[id]?.[list].push(counter);
    this.#addOwnTerms(id, pod);
    if (rule !== NONE) this.#compileQuestions(id, pod);
    this.#dirty.add(id);
  }

  /** Counters that no selector fills: claims, ports and disks. */
  #addMemberships(id: number, pod: SchedulingPod): void {
    const { counters, interner } = this.#given;
    const members = this.#classes[id]?.memberOf ?? [];
    const claims = new Set(pod.claims.filter(({ ephemeral }) => !ephemeral).map(({ name }) => name));
    for (const name of claims) {
      // Any access mode: the mode is that of the incoming pod's claim, which is the same one.
      members.push(counters.idOf(`sole ${pod.namespace}/${name}`, CLUSTER_KEY));
    }
    for (const { list, items, filter } of CONFLICTS) {
      if (items(pod).length === 0) continue;
      const exclusive = this.#exclusive[list];
      const counter = counters.idOf(`${list} ${interner.idOf(items(pod))}`, NODE_KEY, NONE, (made) => {
        for (const [other, { pod: each }] of this.#classes.entries()) {
          if (other !== id && items(each).length > 0 && filter(each, nodeOf(pod)) !== null) this.#extend(other, list, made);
        }
        exclusive.push({ counter: made, pod });
      });
      members.push(counter);
      for (const other of exclusive) if (filter(pod, nodeOf(other.pod)) !== null) this.#classes[id]?.[list].push(other.counter);
    }
  }

  /** Counters of the pods with the class's anti-affinity terms, which refuse pods that a term matches. */
  #addOwnTerms(id: number, pod: SchedulingPod): void {
    const { counters, topology, interner, view } = this.#given;
    for (const term of pod.antiAffinity) {
      const text = `owners ${pod.namespace} ${interner.idOf(term)}`;
      const counter = counters.idOf(text, topology.keyOf(term.topologyKey), NONE, (made) =>
        this.#addSelection({
          ...{ counter: made, list: 'hostile', ...scopeOf(term, pod) },
          matches: (other) => isSelectedByTerm(term, pod, other, view.namespaceLabels(other.namespace)),
        }),
      );
      this.#classes[id]?.memberOf.push(counter);
    }
  }

  #compileQuestions(id: number, pod: SchedulingPod): void {
    const { classes } = this.#given.columns;
    const hard = pod.spread.filter((constraint) => constraint.hard);
    setList(
      classes.spread,
      id,
      hard.map((constraint) => this.#spreadCounter(pod, constraint)),
    );
    setList(
      classes.spreadRules,
      id,
      hard.flatMap(({ maxSkew, minDomains, selector }) => [maxSkew, minDomains, Number(isSelected(selector, pod.labels))]),
    );
    setList(
      classes.softSpread,
      id,
      pod.spread.filter((constraint) => !constraint.hard).map((constraint) => this.#spreadCounter(pod, constraint)),
    );
    setList(
      classes.affinity,
      id,
      pod.affinity.map((term) => this.#matchCounter(pod, pod.affinity, term)),
    );
    classes.selfAffine[id] = Number(pod.affinity.length > 0 && pod.affinity.every((term) => this.#isSelected(term, pod, pod)));
    setList(
      classes.antiAffinity,
      id,
      pod.antiAffinity.map((term) => this.#matchCounter(pod, [term], term)),
    );
    const preferred = [...pod.preferredAffinity, ...pod.preferredAntiAffinity.map(({ weight, term }) => ({ weight: -weight, term }))];
    setList(
      classes.preferred,
      id,
      preferred.map(({ term }) => this.#matchCounter(pod, [term], term)),
    );
    setList(
      classes.preferredWeights,
      id,
      preferred.map(({ weight }) => weight),
    );
  }

  #spreadCounter(pod: SchedulingPod, constraint: SpreadConstraint): number {
    const { counters, topology, groups, interner } = this.#given;
    const { selector, topologyKey } = constraint;
    const group = groups.idOf(pod, constraint);
    const text = `spread ${pod.namespace} ${interner.idOf(selector ?? [null])} ${group}`;
    const { namespace } = pod;
    return counters.idOf(text, topology.keyOf(topologyKey), group, (counter) =>
      this.#addSelection({
        ...{ counter, list: 'memberOf', namespaces: [namespace], label: labelOfSelector(selector) },
        matches: (other) => isCounted(other, selector, namespace),
      }),
    );
  }

  /** The counter of pods that match all terms, by the topology key of one of them. */
  #matchCounter(pod: SchedulingPod, terms: readonly PodTerm[], { topologyKey }: PodTerm): number {
    const { counters, topology, interner } = this.#given;
    const ids = terms.map((term) => interner.idOf(term)).join(' ');
    const key = topology.keyOf(topologyKey);
    return counters.idOf(`match ${pod.namespace} ${ids} by ${key}`, key, NONE, (counter) => {
      const [first] = terms;
      if (first === undefined) return;
      this.#addSelection({
        ...{ counter, list: 'memberOf', ...scopeOf(first, pod) },
        matches: (other) => terms.every((term) => this.#isSelected(term, pod, other)),
      });
    });
  }

  #isSelected(term: PodTerm, of: SchedulingPod, other: SchedulingPod): boolean {
    return isSelectedByIncomingTerm(term, of, other, this.#given.view.namespaceLabels(other.namespace));
  }

  #addSelection(selection: Selection): void {
    this.#given.counters.addSelection(selection);
    const candidates = new Set(bucketsOf(selection).flatMap((bucket) => this.#byBucket.get(bucket) ?? []));
    for (const id of candidates) {
      const each = this.#classes[id];
      if (each !== undefined && selection.matches(each.pod)) this.#extend(id, selection.list, selection.counter);
    }
  }

  #extend(id: number, list: 'memberOf' | 'hostile' | ConflictList, counter: number): void {
    this.#classes[id]?.[list].push(counter);
    this.#dirty.add(id);
    if (list === 'memberOf' && id !== this.#compiled) this.#given.onMember(id, counter);
  }

  #requestsOf(pod: SchedulingPod): number {
    const { interner, columns, resourceOf } = this.#given;
    const text = interner.idOf(pod.requests);
    const known = this.#requests.get(text);
    if (known !== undefined) return known;
    const id = this.#requests.size;
    this.#requests.set(text, id);
    const { requests } = columns;
    setList(requests.resources, id, [...pod.requests.keys()].map(resourceOf));
    requests.amounts = grownFloats(requests.amounts, requests.resources.pool.length);
    requests.amounts.set([...pod.requests.values()], requests.resources.start[id] ?? 0);
    requests.cpu = grownFloats(requests.cpu, id + 1);
    requests.memory = grownFloats(requests.memory, id + 1);
    requests.cpu[id] = pod.requests.get('cpu') ?? 0;
    requests.memory[id] = pod.requests.get('memory') ?? 0;
    return id;
  }
}

/** Label keys that the selectors of a pod read. */
export function readLabelKeys(pod: SchedulingPod): readonly string[] {
  const preferred = [...pod.preferredAffinity, ...pod.preferredAntiAffinity].map(({ term }) => term);
  const selectors = [...pod.spread, ...pod.affinity, ...pod.antiAffinity, ...preferred].map(({ selector }) => selector);
  return selectors.flatMap((selector) => [
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
}

function scopeOf(term: PodTerm, { namespace }: SchedulingPod): Pick<Selection, 'namespaces' | 'label'> {
  const namespaces = term.namespaceSelector !== null ? null : term.namespaces.length > 0 ? term.namespaces : [namespace];
  return { namespaces, label: labelOfSelector(term.selector) };
}

function labelOfSelector(selector: LabelSelector | null): Selection['label'] {
  return Object.entries(selector?.matchLabels ?? {})[0] ?? null;
}

const NO_AMOUNTS: ReadonlyMap<string, number> = new Map();

/** A node with one pod, for rules between two pods. */
function nodeOf(pod: SchedulingPod): SchedulingNode {
  return {
    ...{ name: '', labels: {}, taints: [], unschedulable: false, allocatable: NO_AMOUNTS, declaredFeatures: new Set<string>() },
    ...{ pods: new Map([[pod.uid, pod]]), antiAffinePods: new Map<string, SchedulingPod>(), requested: NO_AMOUNTS },
  };
}
