import { Feasibility } from '#kube/scheduling/feasibility';
import type { Refusal } from '#kube/scheduling/refusal';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import { hasUntoleratedPreference, sumNodeTermWeights } from '#kube/scheduling/score-node';
import type { StorageView } from '#kube/scheduling/volumes/storage-model';
import { sortClaims } from '#kube/scheduling/volumes/volume-claims';
import type { Interner } from './interner.ts';
import type { NodeShapes } from './node-shapes.ts';
import { BEFORE_PORTS, BEFORE_SPREAD, LAST } from '../columns/scheduling-snapshot.ts';
import { bytes, floats, grownBytes, grownFloats } from '../columns/shared-arrays.ts';
import type { RuleColumns } from '../columns/snapshot-columns.ts';

const ZONE_KEYS = [
  ...['failure-domain.beta.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/region'],
  ...['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'],
];

const NO_LIMITS: ReadonlyMap<string, number> = new Map();

/** The limits of attached volumes depend on the pods of a node. */
function withoutLimits(storage: StorageView): StorageView {
  return {
    findClaim: (namespace, name) => storage.findClaim(namespace, name),
    findVolume: (name) => storage.findVolume(name),
    findClass: (name) => storage.findClass(name),
    volumesOfClass: (name) => storage.volumesOfClass(name),
    isCapacityReported: (driver) => storage.isCapacityReported(driver),
    capacities: () => storage.capacities(),
    volumeLimits: () => NO_LIMITS,
    attachedVolumes: (node) => storage.attachedVolumes(node),
  };
}

/** A rule with the object rules that answer for its representative: without claims and features, without features, and in full. */
interface Rule {
  readonly pod: SchedulingPod;
  readonly phases: readonly [Feasibility, Feasibility, Feasibility];
  readonly perNode: boolean;
}

/** The text that pods of one static rule share, and the node labels that the rule reads; null: it reads all, and the node's name. */
interface RuleKey {
  readonly text: string;
  readonly labelKeys: readonly string[] | null;
}

/**
 * Static rules of pods: node selector, node affinity, tolerations, features and the places of their volumes. The object rules answer
 * once for a representative of each rule and each shape of node.
 */
export class StaticRules {
  /** By number. */
  readonly refusals: Refusal[] = [];
  readonly #columns: RuleColumns;
  readonly #shapes: NodeShapes;
  readonly #interner: Interner;
  readonly #view: SchedulingView;
  readonly #rules: Rule[] = [];
  readonly #byText = new Map<string, number>();
  readonly #refusalByText = new Map<string, number>();
  #unshared = 0;

  constructor(columns: RuleColumns, shapes: NodeShapes, interner: Interner, view: SchedulingView) {
    this.#columns = columns;
    this.#shapes = shapes;
    this.#interner = interner;
    this.#view = {
      ...{ nodes: [], storage: withoutLimits(view.storage) },
      namespaceLabels: (namespace) => view.namespaceLabels(namespace),
    };
  }

  /** Number of the pod's rule. A new one is evaluated for all shapes, or for all nodes. */
  idOf(pod: SchedulingPod): number {
    const { text, labelKeys } = this.#keyOf(pod);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    if (labelKeys !== null) this.#shapes.readLabels(labelKeys);
    const perNode = labelKeys === null || labelKeys.some((key) => this.#shapes.isIdentity(key));
    const id = this.#rules.length;
    this.#byText.set(text, id);
    this.#rules.push({ pod, phases: this.#phasesOf(pod), perNode });
    const columns = this.#columns;
    columns.perNode = grownBytes(columns.perNode, id + 1);
    columns.perNode[id] = Number(perNode);
    columns.verdict.push(bytes(0));
    columns.untolerated.push(bytes(0));
    columns.termWeight.push(floats(0));
    const places = perNode ? this.#shapes.nodes : this.#shapes.shapes;
    for (const [place, node] of places.entries()) if (node !== null) this.#evaluate(id, place, node);
    return id;
  }

  /** Evaluates the rules by shape for a new shape. */
  addShape(shape: number, node: SchedulingNode): void {
    for (const [id, { perNode }] of this.#rules.entries()) if (!perNode) this.#evaluate(id, shape, node);
  }

  /** Evaluates the rules by node for a new node. */
  addNode(index: number, node: SchedulingNode): void {
    for (const [id, { perNode }] of this.#rules.entries()) if (perNode) this.#evaluate(id, index, node);
  }

  #evaluate(id: number, place: number, node: SchedulingNode): void {
    const rule = this.#rules[id];
    if (rule === undefined) return;
    const columns = this.#columns;
    const verdict = (columns.verdict[id] = grownBytes(columns.verdict[id] ?? bytes(0), place + 1));
    const untolerated = (columns.untolerated[id] = grownBytes(columns.untolerated[id] ?? bytes(0), place + 1));
    const weight = (columns.termWeight[id] = grownFloats(columns.termWeight[id] ?? floats(0), place + 1));
    verdict[place] = this.#verdictOf(rule, node);
    untolerated[place] = Number(hasUntoleratedPreference(rule.pod, node));
    weight[place] = sumNodeTermWeights(rule.pod, node);
  }

  #verdictOf({ phases }: Rule, node: SchedulingNode): number {
    const [first, second, full] = phases;
    const refusal = full.refusalOf(node);
    if (refusal === null) return 0;
    if (first.refusalOf(node) !== null) return this.#numberOf(refusal, BEFORE_PORTS);
    return this.#numberOf(refusal, second.refusalOf(node) === null ? LAST : BEFORE_SPREAD);
  }

  #numberOf(refusal: Refusal, phase: number): number {
    const text = JSON.stringify([phase, refusal]);
    const known = this.#refusalByText.get(text);
    if (known !== undefined) return known + 1;
    const number = this.refusals.length;
    if (number >= 255) throw new Error('more than 255 kinds of static refusals');
    this.#refusalByText.set(text, number);
    this.refusals.push(refusal);
    this.#columns.phase = grownBytes(this.#columns.phase, number + 1);
    this.#columns.phase[number] = phase;
    return number + 1;
  }

  #phasesOf(pod: SchedulingPod): Rule['phases'] {
    const full: SchedulingPod = { ...pod, requests: new Map(), ports: [], disks: [], spread: [], affinity: [], antiAffinity: [] };
    const featureless: SchedulingPod = { ...full, features: [] };
    return [
      new Feasibility({ ...featureless, claims: [] }, this.#view),
      new Feasibility(featureless, this.#view),
      new Feasibility(full, this.#view),
    ];
  }

  #keyOf(pod: SchedulingPod): RuleKey {
    const { nodeSelector, nodeTerms, preferredNodeTerms, tolerations, features, nodeName } = pod;
    const parts = [nodeSelector, nodeTerms ?? [null], preferredNodeTerms, tolerations, features].map((part) => this.#interner.idOf(part));
    const claims = this.#claimsKeyOf(pod);
    const text = `${parts.join(' ')} ${nodeName ?? ''} ${claims.text}`;
    const terms = [...(nodeTerms ?? []), ...preferredNodeTerms.map(({ term }) => term)];
    if (nodeName !== null || claims.labelKeys === null || terms.some(({ fields }) => fields.length > 0)) return { text, labelKeys: null };
    const labelKeys = [...Object.keys(nodeSelector), ...terms.flatMap(({ labels }) => labels.map(({ key }) => key)), ...claims.labelKeys];
    return { text, labelKeys };
  }

  /** Pods share a rule if their volumes are bound, and accessible from the same nodes. */
  #claimsKeyOf(pod: SchedulingPod): RuleKey {
    if (pod.claims.length === 0) return { text: '', labelKeys: [] };
    const answer = sortClaims(pod, this.#view);
    // Such a pod is excluded from every node.
    if (answer.kind === 'refused') return { text: 'refused', labelKeys: [] };
    const { bound, waiting, shared } = answer.claims;
    const volumes = bound.map(({ volumeName }) => this.#view.storage.findVolume(volumeName));
    if (waiting.length > 0 || volumes.includes(null)) return { text: `unshared ${this.#unshared++}`, labelKeys: null };
    const zones = shared.map(({ volumeName }) => this.#view.storage.findVolume(volumeName)?.labels ?? {});
    const labelKeys = volumes.flatMap((volume) => (volume?.nodeTerms ?? []).flatMap(({ labels }) => labels.map(({ key }) => key)));
    return { text: JSON.stringify([volumes.map((volume) => volume?.nodeTerms ?? null), zones]), labelKeys: [...labelKeys, ...ZONE_KEYS] };
  }
}
