// Reads the nodes that exist with their pods, beside the pools: what a packing competes with, and what it cannot change.

import { MiB } from '#kube/units';
import { WireError } from '#kube/wire';
import { type FixedNodes, type FixedShape, fixNodes, type PlacedPod } from '../../../core/packing-rules/fix-nodes.ts';
import type { ExistingNode } from '../../../core/packing-rules/fix-nodes.ts';
import { availableShape, type DaemonDemand } from '../../../core/packing-rules/daemon-sets.ts';
import { type PoolShape, ZONE_LABEL } from '../../../core/packing-rules/pool-shape.ts';
import { type ManifestObject, objectsIn } from '../../read-manifests.ts';
import { memoryProblem } from '../input/memory-limit.ts';
import {
  checkInput,
  firstOf,
  type GapVariant,
  type GapVariants,
  MANIFEST,
  notesOfHeadroom,
  type ReadInput,
  readText,
} from '../input/read-input.ts';
import { type NamedPod, readPodsCsv } from '../input/read-pods-csv.ts';
import { readPools } from '../input/read-pools.ts';
import { isOfKnownGroup } from '../input/workloads/workload-kinds.ts';
import { DisruptionBudgets } from './disruption-budgets.ts';
import { LocalClaims } from './local-claims.ts';
import { readPlace } from './movability.ts';
import { NodeEligibility } from './node-eligibility.ts';
import { type PlacedPods, readPlacedPods } from './read-placed-pods.ts';
import { priceNodes, readNodeObjects, readNodesCsv } from './read-nodes.ts';

export interface ExistingFiles {
  /** Null: the pods are in the file of the nodes. */
  readonly pods: string | null;
  readonly nodes: string;
  readonly pools: string;
}

/** Reads and checks all files. */
export function readExistingInput({ pods: podsFile, nodes: nodesFile, pools: poolsFile }: ExistingFiles, headroom: number): ReadInput {
  const texts = new Map([podsFile ?? nodesFile, nodesFile, poolsFile].map((file) => [file, readText(file)]));
  const unread = [...texts.values()].flatMap((read) => ('problem' in read ? [read.problem] : []));
  if (unread.length > 0) return { ok: false, problems: unread };
  const textOf = (file: string): string => {
    const read = texts.get(file);
    return read === undefined || 'problem' in read ? '' : read.text;
  };
  const { shapes: pools, problems } = readPools(poolsFile, textOf(poolsFile));
  const all: string[] = [...problems];
  const objectsOf = (file: string): readonly ManifestObject[] =>
    MANIFEST.test(file) ? objectsIn(file, textOf(file), all).filter(isOfKnownGroup) : [];
  const nodeObjects = objectsOf(nodesFile);
  const source = podsFile ?? nodesFile;
  const podObjects = source === nodesFile ? nodeObjects : objectsOf(source);
  if (source !== nodesFile && nodeObjects.some(({ object }) => object.kind === 'Pod')) {
    all.push(`${nodesFile}: has pods, too, and --pods is given; remove --pods, or the pods of one of the files`);
  }
  const nodes = MANIFEST.test(nodesFile)
    ? priceNodes(readNodeObjects(nodeObjects, all), pools, all)
    : addProblems(readNodesCsv(nodesFile, textOf(nodesFile), pools), all).nodes;
  const read = MANIFEST.test(source)
    ? readObjects(source, { objects: podObjects, beside: source === nodesFile ? [] : nodeObjects }, { nodes, pools }, all)
    : {
        pods: podsFile === null ? refusePods(nodesFile, all) : readCsv(source, textOf(source), pools, all),
        leftOut: [],
        daemonSets: [],
        notes: [],
      };
  const files = { pods: source, nodes: nodesFile, pools: poolsFile };
  return joinExisting({ files, nodes, pools, headroom, problems: all, ...read });
}

function addProblems<T extends { readonly problems: readonly string[] }>(read: T, problems: string[]): T {
  // More than a call takes as arguments.
  for (const problem of read.problems) problems.push(problem);
  return read;
}

function refusePods(nodesFile: string, problems: string[]): readonly NamedPod[] {
  problems.push(`${nodesFile}: has no pods; give them with --pods, or nodes and pods in one .yaml or .json file`);
  return [];
}

function readCsv(source: string, text: string, pools: readonly PoolShape[], problems: string[]): readonly NamedPod[] {
  const tooMany = memoryProblem(source, text.split('\n').length);
  if (tooMany !== null) {
    problems.push(tooMany);
    return [];
  }
  return addProblems(readPodsCsv(source, text, pools), problems).pods;
}

/** What decides about pods, also in the file of the nodes. */
const KINDS_BESIDE = new Set(['PersistentVolume', 'PersistentVolumeClaim', 'StorageClass', 'DaemonSet', 'PriorityClass']);

export interface PodObjects {
  readonly objects: readonly ManifestObject[];
  /** Of the file of the nodes, where it is another one. */
  readonly beside: readonly ManifestObject[];
}

/** Reads the pods of objects with what decides whether they may move. */
export function readObjects(
  source: string,
  { objects, beside }: PodObjects,
  { nodes, pools }: { readonly nodes: readonly ExistingNode[]; readonly pools: readonly PoolShape[] },
  problems: string[],
): PlacedPods {
  try {
    const all = [...objects, ...withoutRepeated(beside, objects)];
    const facts = { budgets: new DisruptionBudgets(all), localClaims: new LocalClaims(all) };
    const findPlace = ({ object }: ManifestObject): ReturnType<typeof readPlace> =>
      readPlace(object, object.metadata.namespace ?? 'default', facts);
    const further = all.slice(objects.length).filter(({ object }) => KINDS_BESIDE.has(object.kind));
    return readPlacedPods(source, [...objects, ...further], pools, { problems, findPlace, zoneOf: zonesOf(nodes) });
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    problems.push(`${source}: a PodDisruptionBudget or volume is invalid: ${error.message}`);
    return { pods: [], leftOut: [], daemonSets: [], notes: [] };
  }
}

/** Objects that are not in the other file, too. */
function withoutRepeated(beside: readonly ManifestObject[], objects: readonly ManifestObject[]): ManifestObject[] {
  const keyOf = ({ object: { kind, metadata } }: ManifestObject): string =>
    JSON.stringify([kind, metadata.namespace ?? 'default', metadata.name]);
  const known = new Set(beside.length === 0 ? [] : objects.map((object) => keyOf(object)));
  return beside.filter((object) => !known.has(keyOf(object)));
}

/** Zones of nodes by name. */
function zonesOf(nodes: readonly ExistingNode[]): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ name, labels }) => {
      const zone = labels[ZONE_LABEL];
      return zone === undefined ? [] : [[name, zone] as const];
    }),
  );
}

export interface ExistingParts {
  /** Names for problems. */
  readonly files: { readonly pods: string; readonly nodes: string; readonly pools: string };
  readonly nodes: readonly ExistingNode[];
  readonly pods: readonly NamedPod[];
  /** Names of pods on no node that no pool may hold. */
  readonly leftOut: readonly string[];
  /** As they are stated. */
  readonly pools: readonly PoolShape[];
  /** What is subtracted from new nodes. */
  readonly daemonSets: readonly DaemonDemand[];
  /** Subtracts from what a new node offers the pods that run on every one; absent: `daemonSets` states them. */
  readonly withoutDaemonPods?: (offered: PoolShape) => PoolShape;
  /** Share of CPU, memory and pods of every node that stays free. */
  readonly headroom: number;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Which pools a pod may use besides its rules; absent: all. */
  readonly choice?: PoolRestriction;
  /** Whether every pod may use spot nodes. */
  readonly anySpot?: boolean;
  /** Where prices come from that no pools file states. */
  readonly priceSources?: readonly string[];
}

/** Pools that a pod must not use for another reason than its rules. */
export interface PoolRestriction {
  readonly hasSpot: boolean;
  mayUseSpot(pod: NamedPod, anySpot: boolean): boolean;
  restrict(pod: NamedPod, anySpot: boolean): NamedPod;
}

/** Joins nodes, pods and pools to the input of a packing of what may move. */
export function joinExisting(parts: ExistingParts): ReadInput {
  const { files, nodes, pods, problems } = parts;
  const known = new Set(nodes.map(({ name }) => name));
  // Nodes that could not be read are problems already.
  const lost = problems.length > 0 ? [] : pods.filter(({ place }) => place !== null && !known.has(place.node));
  const all = [
    ...problems,
    ...lost.map(
      ({ name, line, place }) =>
        `${files.pods}:${line}: pod ${name} is on node ${place?.node ?? ''}, which ${files.nodes} does not have; add the node`,
    ),
    ...(problems.length === 0 && nodes.length === 0 ? [`${files.nodes}: has no node; add one for each that exists`] : []),
  ];
  if (all.length > 0) return { ok: false, problems: firstOf(all) };
  return inputOf(withoutUnplaceable(parts));
}

/** Pods that are named where they are left out. */
const MAX_NAMED = 10;

/** Without pods on no node that no node may hold: they change nothing of the nodes that exist, and stay pending. */
function withoutUnplaceable(parts: ExistingParts): ExistingParts {
  const { packed, shapes } = offerOf(parts);
  const open = shapes.filter(({ maxNodes }) => maxNodes !== 0);
  const tooLarge = packed.filter((pod) => pod.place === null && !isPlaceable(pod, open)).map(({ name }) => name);
  const leftOut = [...parts.leftOut, ...tooLarge];
  if (leftOut.length === 0) return parts;
  const isLeftOut = new Set(tooLarge);
  const named = leftOut.slice(0, MAX_NAMED).join(', ');
  const more = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : '';
  const counted =
    leftOut.length === 1
      ? '1 pending pod fits on no node that it may use, and is'
      : `${leftOut.length} pending pods fit on no node that they may use, and are`;
  return {
    ...parts,
    pods: parts.pods.filter(({ place, name }) => place !== null || !isLeftOut.has(name)),
    notes: [...parts.notes, `${counted} left out: ${named}${more}`],
  };
}

interface Offer {
  /** With those that stay. */
  readonly pods: readonly NamedPod[];
  readonly fixed: FixedNodes;
  /** Pods that are packed, with the shapes that they may use. */
  readonly packed: readonly NamedPod[];
  /** Of pools, and of nodes that stay. */
  readonly shapes: readonly PoolShape[];
}

/** What new nodes offer: headroom is a part of the whole node, before pods of DaemonSets are subtracted. */
function offeredTypes({ pools, daemonSets, headroom, withoutDaemonPods = (offered) => offered }: ExistingParts): PoolShape[] {
  return pools.map((pool) => withoutDaemonPods(availableShape(pool, daemonSets, headroom)));
}

function offerOf(parts: ExistingParts): Offer {
  const { nodes, headroom } = parts;
  const machineTypes = offeredTypes(parts);
  const pods = restricted(parts).map((pod) => stayingWhereUnplaceable(pod, machineTypes));
  const fixed = fixNodes(
    nodes,
    pods.flatMap((pod) => placedOf(pod)),
    headroom,
  );
  const packed = pods.filter(({ place }) => place === null || place.movement === 'moves');
  const staying = fixed.staying.map(({ node }) => node.pool);
  return {
    pods,
    fixed,
    packed: withFixedNodes(packed, machineTypes, fixed.shapes, parts),
    shapes: [...lessFixed(machineTypes, staying), ...fixed.shapes],
  };
}

function inputOf(parts: ExistingParts): ReadInput {
  const { files, nodes, pools, headroom } = parts;
  const { pods, fixed, packed, shapes } = offerOf(parts);
  return checkInput(files, {
    pods: packed,
    shapes,
    ...{ pools: [...pools, ...fixed.shapes], headroom, facts: null, preferring: [], preferenceCost: 0 },
    notes: [...notesOfHeadroom(headroom), ...parts.notes],
    existing: {
      ...fixed,
      nodeCount: nodes.length,
      stayingPods: pods.filter(({ place }) => place?.movement === 'stays'),
      pendingPods: packed.filter(({ place }) => place === null).length,
      priceSources: parts.priceSources ?? [],
      variants: () => variantsOf(parts),
    },
  });
}

/** The same cluster with other restrictions. A variant that has no input, such as one without pods, is left out. */
function variantsOf(parts: ExistingParts): GapVariants {
  const { pods, pools, headroom } = parts;
  const machineTypes = offeredTypes(parts);
  const placeable = restricted(parts);
  const freedPods = pods.map((pod, at) => (isPlaceable(placeable[at] ?? pod, machineTypes) ? freed(pod) : pod));
  const unlimited = pools.map((type) => ({ ...type, maxNodes: null }));
  const runningPods = pods.filter(({ place }) => place !== null);
  const steps: readonly { readonly cause: GapVariant['cause']; readonly isDifferent: boolean; readonly parts: ExistingParts }[] = [
    {
      cause: 'immovable-pods',
      isDifferent: freedPods.some((pod, at) => pod !== pods[at]),
      parts: { ...parts, pods: freedPods },
    },
    {
      cause: 'policy',
      isDifferent: headroom > 0 || pools.some(({ maxNodes }) => maxNodes !== null),
      parts: { ...parts, pods: freedPods, pools: unlimited, headroom: 0 },
    },
    {
      cause: 'spot-caution',
      isDifferent: parts.choice?.hasSpot === true,
      parts: { ...parts, pods: freedPods, pools: unlimited, headroom: 0, anySpot: true },
    },
  ];
  const running = runningPods.length === pods.length ? null : inputOf({ ...parts, pods: runningPods });
  return {
    running: running?.ok === true ? running.input : null,
    freer: steps.flatMap(({ cause, isDifferent, parts: changed }): GapVariant[] => {
      const read = isDifferent ? inputOf(changed) : null;
      return read?.ok === true ? [{ cause, input: read.input }] : [];
    }),
  };
}

/** The pods without the pools that they must not use. */
function restricted({ pods, choice, anySpot }: ExistingParts): readonly NamedPod[] {
  return choice === undefined ? pods : pods.map((pod) => choice.restrict(pod, anySpot === true));
}

/** A pod that stays as one that may move. */
function freed(pod: NamedPod): NamedPod {
  if (pod.place?.movement !== 'stays') return pod;
  return { ...pod, place: { ...pod.place, movement: 'moves', why: null, isApart: false } };
}

/** A pod that runs and fits on no machine type stays where it is. */
function stayingWhereUnplaceable(pod: NamedPod, machineTypes: readonly PoolShape[]): NamedPod {
  if (pod.place?.movement !== 'moves' || isPlaceable(pod, machineTypes)) return pod;
  return { ...pod, place: { ...pod.place, movement: 'stays', why: 'it fits on no machine type of the pools' } };
}

function isPlaceable({ demand }: NamedPod, machineTypes: readonly PoolShape[]): boolean {
  return machineTypes.some(({ name, cpuMillicores, memoryMib, gpus, maxPods }) => {
    if (demand.machineTypes !== null && !demand.machineTypes.includes(name)) return false;
    return cpuMillicores >= demand.cpuMillicores && memoryMib >= demand.memoryMib && gpus >= demand.gpus && maxPods > 0;
  });
}

function placedOf({ place, demand }: NamedPod): PlacedPod[] {
  if (place === null) return [];
  const { cpuMillicores, memoryMib, gpus, group } = demand;
  const { held } = place;
  const [cpu, memory] = held === undefined ? [cpuMillicores, memoryMib] : [held.get('cpu') ?? 0, (held.get('memory') ?? 0) / MiB];
  return [{ place, requests: [cpu, memory, gpus, 1], group }];
}

/** Nodes that stay count for the `max` of their machine type. */
function lessFixed(machineTypes: readonly PoolShape[], staying: readonly (string | null)[]): PoolShape[] {
  return machineTypes.map((type) => {
    const { name, maxNodes } = type;
    if (maxNodes === null) return type;
    return { ...type, maxNodes: Math.max(0, maxNodes - staying.filter((each) => each === name).length) };
  });
}

/** Lets pods be added to the fixed nodes that their rules, volumes and the choice of pools allow. */
function withFixedNodes(
  pods: readonly NamedPod[],
  machineTypes: readonly PoolShape[],
  fixedShapes: readonly FixedShape[],
  { choice, anySpot = false }: Pick<ExistingParts, 'choice' | 'anySpot'>,
): readonly NamedPod[] {
  if (fixedShapes.length === 0) return pods;
  const eligibility = new NodeEligibility(fixedShapes);
  const spot = new Set(fixedShapes.filter(({ offering }) => offering.capacityType === 'spot').map(({ name }) => name));
  const names = machineTypes.map(({ name }) => name);
  return pods.map((pod) => {
    const { demand, rules, volumes } = pod;
    const allowed = eligibility.shapesFor(rules, demand.group?.name ?? null);
    const reached = volumes === null ? null : new Set(volumes(fixedShapes));
    const maySpot = choice === undefined || choice.mayUseSpot(pod, anySpot);
    const fixed = allowed.filter((name) => (reached === null || reached.has(name)) && (maySpot || !spot.has(name)));
    const isEverywhere = demand.machineTypes === null && fixed.length === fixedShapes.length;
    return { ...pod, demand: { ...demand, machineTypes: isEverywhere ? null : [...(demand.machineTypes ?? names), ...fixed] } };
  });
}
