// Reads and checks the whole input before anything is computed or printed.

import { readFileSync, statSync } from 'node:fs';
import { classifyPods, type ClassifiedPods, type MachineType, RESOURCE_COUNT } from '../../../core/packing/packing-problem.ts';
import { totalDemand } from '../../../core/packing/lower-bound.ts';
import { memoryProblem } from './memory-limit.ts';
import { type NamedPod, readPodsCsv } from './read-pods-csv.ts';
import { readPodsYaml } from './read-pods-yaml.ts';
import { readPools } from './read-pools.ts';

export interface PackInput extends ClassifiedPods {
  readonly pods: readonly NamedPod[];
}

export type ReadInput = { readonly ok: true; readonly input: PackInput } | { readonly ok: false; readonly problems: readonly string[] };

const MANIFEST = /\.(ya?ml|json)$/i;

/** Reads both files. Pods are Kubernetes manifests where the name ends in .yaml, .yml or .json, else CSV. */
export function readInput(files: { readonly pods: string; readonly pools: string }): ReadInput {
  const podsText = readText(files.pods);
  const poolsText = readText(files.pools);
  const unread = [podsText, poolsText].flatMap((read) => ('problem' in read ? [read.problem] : []));
  if ('problem' in podsText || 'problem' in poolsText) return { ok: false, problems: unread };
  const tooMany = MANIFEST.test(files.pods) ? null : memoryProblem(files.pods, podsText.text.split('\n').length);
  if (tooMany !== null) return { ok: false, problems: [tooMany] };
  const { shapes, problems: poolProblems } = readPools(files.pools, poolsText.text);
  const { pods, problems: podProblems } = MANIFEST.test(files.pods)
    ? readPodsYaml(files.pods, podsText.text, shapes)
    : readPodsCsv(files.pods, podsText.text, shapes);
  const problems = [...podProblems, ...poolProblems];
  if (problems.length > 0) return { ok: false, problems: firstOf(problems) };
  if (pods.length === 0) return { ok: false, problems: [`${files.pods}: has no pod; add one for each that is to be packed`] };
  const classified = classifyPods(
    pods.map(({ demand }) => demand),
    shapes,
  );
  const { classCount } = classified.problem;
  if (classCount > MAX_CLASSES || classCount * pods.length > MAX_SIZE)
    return { ok: false, problems: [tooManySizes(files.pods, classified)] };
  if (shapes.length > MAX_TYPES) {
    return {
      ok: false,
      problems: [`${files.pools}: has ${shapes.length} machine types, and at most ${MAX_TYPES} are compared; remove some`],
    };
  }
  const unplaceable = [...tooLargeProblems(files.pods, pods, classified, shapes), ...tooFewProblems(files.pools, classified)];
  return unplaceable.length > 0 ? { ok: false, problems: unplaceable } : { ok: true, input: { ...classified, pods } };
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

function firstOf(problems: readonly string[]): string[] {
  const left = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), ...(left > 0 ? [`and ${left} more problems`] : [])];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
/** V8 holds no longer text. */
const MAX_FILE_BYTES = 500_000_000;

function readText(path: string): { readonly text: string } | { readonly problem: string } {
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
    const request = `${demand}${unit === 'm CPU' ? 'm' : unit}`;
    return [
      `${file}: within max, the machine types offer ${offered}${unit}, and the pods request ${request}; raise max, or add a machine type`,
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
  const named = tooLarge.slice(0, MAX_NAMED).map(({ name, line, demand: { cpuMillicores, memoryMib, gpus } }) => {
    const amounts = `${cpuMillicores}m CPU, ${memoryMib} MiB${gpus > 0 ? `, ${gpus} GPUs` : ''}`;
    return `${file}:${line}: pod ${name} (${amounts}) fits on no machine type`;
  });
  const most = `the most of any type are ${largest[0]}m CPU, ${largest[1]} MiB and ${largest[2]} GPUs`;
  const count = `${tooLarge.length} ${tooLarge.length === 1 ? 'pod fits' : 'pods fit'} on no machine type (${most}); add a larger type, or remove these pods`;
  return [...named, count];
}
