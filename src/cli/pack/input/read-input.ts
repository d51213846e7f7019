// Reads and checks the whole input before anything is computed or printed.

import { readFileSync, statSync } from 'node:fs';
import {
  classifyPods,
  type ClassifiedPods,
  type MachineType,
  type PackingProblem,
  relaxProblem,
  RESOURCE_COUNT,
} from '../../../core/packing/packing-problem.ts';
import { availableShape } from '../../../core/packing-rules/daemon-sets.ts';
import type { FixedNodes } from '../../../core/packing-rules/fix-nodes.ts';
import type { GapStep } from '../../../core/packing/gap/split-gap.ts';
import type { Packing } from '../../../core/packing/packing.ts';
import { isRanked, packByPriority, pendingPods, type RankedPod } from '../../../core/packing-rules/pending-pods.ts';
import type { PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import { totalDemand } from '../../../core/packing/lower-bound.ts';
import { memoryProblem } from './memory-limit.ts';
import { statedAmount } from './pod-quantities.ts';
import { type NamedPod, readPodsCsv } from './read-pods-csv.ts';
import { type InputRules, type ManifestFacts, type PreferringPods, readPodsYaml, type ReadPodsYaml } from './read-pods-yaml.ts';
import { readPools } from './read-pools.ts';

export interface PackInput extends ClassifiedPods {
  readonly pods: readonly NamedPod[];
  /** Without rules that the packing keeps more strictly than they ask: no placement of the pods costs less than its bounds. */
  readonly relaxed: RelaxedInput;
  /** Pools as they are stated, by shape of the problem. */
  readonly pools: readonly PoolShape[];
  /** Share of CPU, memory and pods of a node that stays free. */
  readonly headroom: number;
  /** What a packing of manifests is proven with; null: the pods are of a CSV file. */
  readonly facts: ManifestFacts | null;
  /** What the result depends on and is not stated. */
  readonly notes: readonly string[];
  /** Pods for which `max` of the pools leaves no place, the highest priority first. */
  readonly pending: readonly PendingPod[];
  /** A packing to begin with; null: none is known. */
  readonly start: Packing | null;
  /** The same pods with preferences as requirements, most of them first; empty: none is to be kept. */
  readonly preferring: readonly PreferringInput[];
  /** Null: nodes that exist are not asked for. */
  readonly existing: ExistingInput | null;
}

export interface PreferringInput extends ClassifiedPods {
  /** Classes of the relaxed problem for each class. */
  readonly classesOf: readonly (readonly number[])[];
  /** What the preferences may cost, in dollars an hour. */
  readonly maxUsd: number;
}

export interface PendingPod {
  readonly name: string;
  readonly priority: number;
  readonly reason: string;
}

export interface RelaxedInput {
  readonly problem: PackingProblem;
  /** Its classes for each class of the problem, the sum of which a pod of that class is. */
  readonly classesOf: readonly (readonly number[])[];
}

/** Nodes that exist. */
export interface ExistingInput extends FixedNodes {
  readonly nodeCount: number;
  /** Pods that stay. */
  readonly stayingPods: readonly NamedPod[];
  /** Pods that are on no node. */
  readonly pendingPods: number;
  /** Where prices come from that no pools file states. */
  readonly priceSources: readonly string[];
  /** The same cluster with other restrictions. */
  readonly variants: () => GapVariants;
}

/** A packing of the same cluster with other restrictions. */
export interface GapVariant {
  readonly cause: GapStep['cause'];
  readonly input: PackInput;
}

/** What is packed to split the gap, in the order of the parts. */
export interface GapVariants {
  /** Pods that are on a node, alone; null: all are. */
  readonly running: PackInput | null;
  /** Each free of one more restriction than the packing that is printed. */
  readonly freer: readonly GapVariant[];
}

export type ReadInput = { readonly ok: true; readonly input: PackInput } | { readonly ok: false; readonly problems: readonly string[] };

export const MANIFEST = /\.(ya?ml|json)$/i;

export interface InputFiles extends InputRules {
  readonly pods: string;
  readonly pools: string;
}

/** Reads both files. Pods are Kubernetes manifests where the name ends in .yaml, .yml or .json, else CSV. */
export function readInput(files: InputFiles): ReadInput {
  const { headroom, preferenceCost } = files;
  const podsText = readText(files.pods);
  const poolsText = readText(files.pools);
  const unread = [podsText, poolsText].flatMap((read) => ('problem' in read ? [read.problem] : []));
  if ('problem' in podsText || 'problem' in poolsText) return { ok: false, problems: unread };
  const tooMany = MANIFEST.test(files.pods) ? null : memoryProblem(files.pods, podsText.text.split('\n').length);
  if (tooMany !== null) return { ok: false, problems: [tooMany] };
  const { shapes: pools, problems: poolProblems } = readPools(files.pools, poolsText.text);
  const read = readPods(files, podsText.text, pools);
  const problems = [...read.problems, ...poolProblems];
  if (problems.length > 0) return { ok: false, problems: firstOf(problems) };
  const { pods, shapes, facts, notes, preferring } = read;
  if (pods.length === 0) {
    const why = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
    return { ok: false, problems: [`${files.pods}: has no pod${why}; add one for each that is to be packed`] };
  }
  return checkInput(files, { pods, shapes, pools, headroom, facts, notes, preferring, preferenceCost, existing: null });
}

/** What was read, before it is compared. */
export interface UncheckedInput extends Pick<PackInput, 'pods' | 'pools' | 'headroom' | 'facts' | 'notes' | 'existing'> {
  /** What the pools, and nodes that exist, offer to the pods. */
  readonly shapes: readonly PoolShape[];
  readonly preferring: readonly PreferringPods[];
  readonly preferenceCost: number;
}

/** Checks sizes, and whether the shapes can hold the pods. */
export function checkInput(files: { readonly pods: string; readonly pools: string }, read: UncheckedInput): ReadInput {
  const { pods, shapes, pools, headroom, facts, notes, preferenceCost, existing } = read;
  const classified = classifyPods(
    pods.map(({ demand }) => demand),
    shapes,
  );
  const tooLarge = inputSizeProblem(files, pods.length, classified, shapes.length);
  if (tooLarge !== null) return { ok: false, problems: [tooLarge] };
  // Beside nodes that exist every pod is packed.
  const ranked = existing === null && isRanked(classified.problem, pods);
  const unplaceable = [
    ...tooLargeProblems(files.pods, pods, classified, shapes),
    ...(ranked ? [] : tooFewProblems(files.pools, classified)),
  ];
  if (unplaceable.length > 0) return { ok: false, problems: unplaceable };
  const placed = ranked ? withoutPending(pods, classified, shapes) : { pods, classified, pending: [], start: null };
  // Beside nodes that exist all pods may stay.
  if (placed.pods.length === 0 && existing === null)
    return { ok: false, problems: [`${files.pools}: within max, the pools hold none of the pods; raise max`] };
  const relaxed = relaxedOf(placed.pods, placed.classified, shapes);
  const { pending, start } = placed;
  const preferring = read.preferring.map((each) => preferringInput(each, placed.pods, shapes, preferenceCost * each.ownUsd));
  return {
    ok: true,
    input: { ...placed.classified, pods: placed.pods, relaxed, pools, headroom, facts, notes, pending, start, preferring, existing },
  };
}

/** The pods that are placed, with the demands of their preferences. */
function preferringInput(
  { pods }: PreferringPods,
  placed: readonly NamedPod[],
  shapes: readonly PoolShape[],
  maxUsd: number,
): PreferringInput {
  const items = new Set(placed.map(({ item }) => item));
  const kept = pods.filter(({ item }) => items.has(item));
  const classified = classifyPods(
    kept.map(({ demand }) => demand),
    shapes,
  );
  return { ...classified, classesOf: relaxedOf(kept, classified, shapes).classesOf, maxUsd };
}

interface PlacedPods {
  readonly pods: readonly NamedPod[];
  readonly classified: ClassifiedPods;
  readonly pending: readonly PendingPod[];
  readonly start: Packing | null;
}

/** The pods that find a place within `max`, by priority, and those that stay pending. */
function withoutPending(pods: readonly NamedPod[], classified: ClassifiedPods, shapes: readonly PoolShape[]): PlacedPods {
  const rank = (each: readonly NamedPod[], { classOf }: ClassifiedPods): RankedPod[] =>
    each.map(({ priority, item }, at) => ({ podClass: classOf[at] ?? 0, priority, spread: item?.spread ?? null }));
  const ranked = rank(pods, classified);
  const pending = pendingPods(classified.problem, ranked);
  if (pending.size === 0) return { pods, classified, pending: [], start: packByPriority(classified.problem, ranked) };
  const kept = pods.filter((_, at) => !pending.has(at));
  const again = classifyPods(
    kept.map(({ demand }) => demand),
    shapes,
  );
  const listed = [...pending].flatMap(([at, reason]) => {
    const { name = '', priority = 0, item = null } = pods[at] ?? {};
    const why = reason === 'spread' ? 'would skew its topology spread' : fullPools(classified, at);
    return (item?.pods ?? [{ name }]).map((pod): PendingPod => ({ name: pod.name, priority, reason: why }));
  });
  listed.sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  return { pods: kept, classified: again, pending: listed, start: packByPriority(again.problem, rank(kept, again)) };
}

/** Pools that are named where they are full. */
const MAX_FULL = 3;

/** Why a pod finds no place within `max`. */
function fullPools({ problem, classOf }: ClassifiedPods, pod: number): string {
  const row = (classOf[pod] ?? 0) * problem.machineTypes.length;
  const full = problem.machineTypes.filter((_, shape) => (problem.mostPerNode[row + shape] ?? 0) > 0);
  const named = full.slice(0, MAX_FULL).map(({ name, maxNodes }) => `${name} (max ${maxNodes ?? 'none'})`);
  return `the pools that it may use are full: ${[...named, ...(full.length > MAX_FULL ? [`${full.length - MAX_FULL} more`] : [])].join(', ')}`;
}

export function notesOfHeadroom(headroom: number): string[] {
  return headroom === 0 ? [] : [`${Math.round(headroom * 1000) / 10} % of the CPU, memory and pods of every node stay free`];
}

/** The pods of either kind of file, and what DaemonSets and headroom leave of the pools. */
function readPods(files: InputFiles, text: string, pools: readonly PoolShape[]): ReadPodsYaml | UnprovenPods {
  const { headroom } = files;
  const headroomNotes = notesOfHeadroom(headroom);
  if (MANIFEST.test(files.pods)) {
    const read = readPodsYaml(files.pods, text, pools, files);
    return { ...read, notes: [...headroomNotes, ...read.notes] };
  }
  const shapes = pools.map((pool) => availableShape(pool, [], headroom));
  return { ...readPodsCsv(files.pods, text, pools), shapes, facts: null, preferring: [], notes: headroomNotes };
}

/** Pods of a CSV file. */
type UnprovenPods = Omit<ReadPodsYaml, 'facts'> & { readonly facts: null };

/** Why the input is too large for a search; null: it is not. */
function inputSizeProblem(
  files: Pick<InputFiles, 'pods' | 'pools'>,
  pods: number,
  classified: ClassifiedPods,
  pools: number,
): string | null {
  const { classCount } = classified.problem;
  if (classCount > MAX_CLASSES || classCount * pods > MAX_SIZE) return tooManySizes(files.pods, classified);
  return pools > MAX_TYPES ? `${files.pools}: has ${pools} machine types, and at most ${MAX_TYPES} are compared; remove some` : null;
}

/** The problem of the single pods without what zones and companions add to their demands, and without limits that are not necessary. */
function relaxedOf(pods: readonly NamedPod[], { problem, classOf }: ClassifiedPods, shapes: readonly PoolShape[]): RelaxedInput {
  const isSame = pods.every(({ item, demand }) => item === null || (item.pods.length === 1 && item.pods[0]?.freeDemand === demand));
  if (isSame) return { problem: relaxProblem(problem), classesOf: Array.from({ length: problem.classCount }, (_, at) => [at]) };
  const free = pods.flatMap(({ item, demand }) => (item === null ? [demand] : item.pods.map(({ freeDemand }) => freeDemand)));
  const classified = classifyPods(free, shapes);
  const classesOf: (readonly number[])[] = [];
  let next = 0;
  pods.forEach(({ item }, at) => {
    const count = item?.pods.length ?? 1;
    // Pods of one class may differ in what zones add. Any of them is good enough: the classes are for what a pod is worth, about.
    classesOf[classOf[at] ?? 0] ??= [...classified.classOf.subarray(next, next + count)];
    next += count;
  });
  return { problem: relaxProblem(classified.problem), classesOf };
}

/** The first packing of 20,000 sizes takes ten seconds, and its time grows with their square. Nothing interrupts it. */
const MAX_CLASSES = 20_000;
/** It also grows with sizes times pods: with 2 · 10¹⁰ it takes more than a minute. */
const MAX_SIZE = 2e9;
/** Types are compared with each other: 10,000 of them for half a minute. */
const MAX_TYPES = 2_000;

function tooManySizes(file: string, { problem }: ClassifiedPods): string {
  const pods = problem.podCounts.reduce((sum, count) => sum + count, 0);
  const most = Math.min(MAX_CLASSES, Math.floor(MAX_SIZE / pods));
  return `${file}: has ${pods} pods of ${problem.classCount} different sizes, and at most ${most} sizes are packed; round requests up, for example to 10m and 16 MiB`;
}

/** Problems that are printed; the others are counted. */
const MAX_PROBLEMS = 20;

export function firstOf(problems: readonly string[]): string[] {
  const left = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), ...(left > 0 ? [`and ${left} more problems`] : [])];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
/** V8 holds no longer text. */
const MAX_FILE_BYTES = 500_000_000;

export function readText(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    const { size } = statSync(path);
    if (size > MAX_FILE_BYTES) return { problem: `${path}: has ${size} bytes, and at most ${MAX_FILE_BYTES} are read; give fewer pods` };
    return { text: UTF8.decode(readFileSync(path)) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: `${path}: is not UTF-8; convert it` };
    return { problem: `${path}: cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const UNITS = ['m CPU', ' MiB', ' GPUs', ' pods'] as const;

/** Resources of which all nodes within `max` together offer less than the pods request. */
function tooFewProblems(file: string, { problem }: ClassifiedPods): string[] {
  const { capacities, maxNodes } = problem;
  return [...totalDemand(problem)].flatMap((demand, resource) => {
    let offered = 0;
    maxNodes.forEach((most, shape) => {
      const capacity = capacities[shape * RESOURCE_COUNT + resource] ?? 0;
      if (capacity > 0) offered += most * capacity;
    });
    if (offered >= demand) return [];
    const unit = UNITS[resource] ?? '';
    const request = `${statedAmount(demand, 'up')}${unit === 'm CPU' ? 'm' : unit}`;
    return [
      `${file}: within max, the machine types offer ${statedAmount(offered, 'down')}${unit}, and the pods request ${request}; raise max, or add a machine type`,
    ];
  });
}

/** Pods that are named where no node holds them. */
const MAX_NAMED = 10;

/** Pods that no empty node of any machine type holds. */
function tooLargeProblems(
  file: string,
  pods: readonly NamedPod[],
  { problem, classOf }: ClassifiedPods,
  machineTypes: readonly MachineType[],
): string[] {
  const shapes = machineTypes.length;
  const fitsSome = (podClass: number): boolean =>
    problem.mostPerNode
      .subarray(podClass * shapes, (podClass + 1) * shapes)
      .some((most, shape) => most > 0 && (problem.maxNodes[shape] ?? 0) > 0);
  const fits = Array.from({ length: problem.classCount }, (_, podClass) => fitsSome(podClass));
  const tooLarge = pods.filter((_, index) => fits[classOf[index] ?? -1] !== true);
  if (tooLarge.length === 0) return [];
  const largest = Array.from({ length: RESOURCE_COUNT }, (_, resource) =>
    machineTypes.reduce((most, _type, shape) => Math.max(most, problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0), 0),
  );
  const named = tooLarge.slice(0, MAX_NAMED).map(({ name, line, item, demand: { cpuMillicores, memoryMib, gpus } }) => {
    const companions = (item?.pods.length ?? 1) - 1;
    const all = companions > 0 ? `${name} with ${companions} that must be on its node` : name;
    const amounts = `${cpuMillicores}m CPU, ${statedAmount(memoryMib, 'up')} MiB${gpus > 0 ? `, ${gpus} GPUs` : ''}`;
    return `${file}:${line}: pod ${all} (${amounts}) fits on no machine type`;
  });
  const most = `the most of any type are ${largest[0]}m CPU, ${statedAmount(largest[1] ?? 0, 'down')} MiB and ${largest[2]} GPUs`;
  const count = `${tooLarge.length} ${tooLarge.length === 1 ? 'pod fits' : 'pods fit'} on no machine type (${most}); add a larger type, or remove these pods`;
  return [...named, count];
}
