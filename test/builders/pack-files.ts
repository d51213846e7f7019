// Files for `evenkeel pack`, and a packing of them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packingCsv } from '../../src/cli/pack/emit.ts';
import { type PackInput, type PendingPod, readInput, type ReadInput } from '../../src/cli/pack/input/read-input.ts';
import { readExistingInput } from '../../src/cli/pack/nodes/read-existing.ts';
import type { InputRules } from '../../src/cli/pack/input/read-pods-yaml.ts';
import { searchPacking, summedPrices } from '../../src/cli/pack/plan.ts';
import { type ChosenPacking, choosePreferred } from '../../src/cli/pack/prefer.ts';
import { provePacking } from '../../src/cli/pack/prove-packing.ts';
import { boundBySingleResource } from '../../src/core/packing/choose-bound.ts';
import { packingCost } from '../../src/core/packing/packing.ts';
import { PackingSearch } from '../../src/core/packing/packing-search.ts';
import { verifyPacking } from '../../src/core/packing/verify-packing.ts';
import { seededRandom } from '../fakes/seeded-random.ts';

export const REQUESTS = 'containers: [{ name: main, resources: { requests: { cpu: 500m, memory: 512Mi } } }]';
export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** A row of the packing that `--emit` writes, by column. */
export type EmittedPod = Readonly<Record<string, string>>;

export interface Packed {
  /** Empty: the input is valid. */
  readonly problems: readonly string[];
  /** Dollars an hour; Infinity: no packing. */
  readonly usdPerHour: number;
  readonly pods: readonly EmittedPod[];
  /** Pods by class of the problem for lower bounds. */
  readonly relaxedPodCounts: readonly number[];
  readonly notes: readonly string[];
  readonly pending: readonly PendingPod[];
}

const NOTHING = { usdPerHour: Infinity, pods: [], relaxedPodCounts: [], notes: [], pending: [] };
const STEPS = 300;

/** Reads manifests, or CSV, and pools as `evenkeel pack` does, searches for a few steps without its threads, and proves the packing. */
export function packFiles(pods: readonly string[] | string, pools: string, { headroom = 0 } = {}): Packed {
  const { input, problems } = inputOf(pods, pools, { headroom, preferenceCost: 0 });
  return input === null ? { problems, ...NOTHING } : search(input);
}

/** What becomes of the preferences of manifests, after a short search. */
export async function preferencesOf(
  pods: readonly string[],
  pools: string,
  { preferenceCost }: { readonly preferenceCost: number },
): Promise<{ readonly chosen: ChosenPacking }> {
  const { input, problems } = inputOf(pods, pools, { headroom: 0, preferenceCost });
  if (input === null) throw new Error(problems.join('\n'));
  // A clock that steps with each look ends both searches after a few slices, on any machine.
  let now = 0;
  const dependencies = { seconds: 1, signal: new AbortController().signal, nowMs: () => (now += 100) };
  const prices = boundBySingleResource(input.relaxed.problem).perPod;
  const best = await searchPacking(input.problem, summedPrices(prices, input.relaxed.classesOf), dependencies);
  if (best === null) throw new Error('no packing');
  const chosen = await choosePreferred(input, prices, best, dependencies);
  provePacking(chosen.input, chosen.best.packing);
  return { chosen };
}

/** What files of nodes that exist become, by the same rules. @param files text by name; `pods` may be left out */
export function packExisting(
  files: { readonly nodes: NamedText; readonly pods?: NamedText; readonly pools: string },
  { headroom = 0 } = {},
): Packed & { readonly input: PackInput | null } {
  const { input, problems } = inFolder((write) => {
    const [nodes, pools] = [write(files.nodes), write({ name: 'pools.csv', text: files.pools })];
    return readExistingInput({ nodes, pods: files.pods === undefined ? null : write(files.pods), pools }, headroom);
  });
  return { ...(input === null ? { problems, ...NOTHING } : search(input)), input };
}

/** A file to be written. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

interface FoundInput {
  readonly input: PackInput | null;
  readonly problems: readonly string[];
}

function inputOf(pods: readonly string[] | string, pools: string, rules: InputRules): FoundInput {
  return inFolder((write) => {
    const podsFile = write(typeof pods === 'string' ? { name: 'pods.csv', text: pods } : { name: 'pods.yaml', text: pods.join('---\n') });
    return readInput({ pods: podsFile, pools: write({ name: 'pools.csv', text: pools }), ...rules });
  });
}

function inFolder(read: (write: (file: NamedText) => string) => ReadInput): FoundInput {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-pack-'));
  try {
    const found = read(({ name, text }) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    if (found.ok) return { input: found.input, problems: [] };
    return { input: null, problems: found.problems.map((problem) => problem.replaceAll(folder, '.')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function search(input: PackInput): Packed {
  const random = seededRandom(1);
  const { problem } = input;
  const found = new PackingSearch(problem, {
    perPod: boundBySingleResource(problem).perPod,
    random: () => random.next(),
    start: input.start,
  });
  found.run(STEPS);
  const packing = found.best;
  if (packing === null) return { problems: [], ...NOTHING };
  const usdPerHour = packingCost(problem, packing);
  const violations = verifyPacking(problem, packing, usdPerHour);
  if (violations.length > 0) throw new Error(violations.map(({ message }) => message).join('; '));
  provePacking(input, packing);
  const relaxedPodCounts = [...input.relaxed.problem.podCounts];
  return {
    problems: [],
    usdPerHour,
    pods: rowsOf(packingCsv(input, packing)),
    relaxedPodCounts,
    notes: input.notes,
    pending: input.pending,
  };
}

function rowsOf(csv: string): EmittedPod[] {
  const [header = '', ...rows] = csv.trimEnd().split('\n');
  const columns = header.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, at) => [columns[at] ?? '', cell])));
}

/** A workload of the namespace `shop` whose pods have the label `app`. @param podSpec in the flow style of YAML */
export function aWorkload(
  name: string,
  replicas: number,
  podSpec: string,
  { kind = 'Deployment', app = name, spec = '' }: { kind?: string; app?: string; spec?: string } = {},
): string {
  return [
    `apiVersion: ${kind === 'Job' ? 'batch' : 'apps'}/v1`,
    `kind: ${kind}`,
    `metadata: { name: ${name}, namespace: shop }`,
    'spec:',
    ...(kind === 'DaemonSet' ? [] : [`  replicas: ${replicas}`]),
    ...(spec === '' ? [] : [`  ${spec}`]),
    `  template: { metadata: { labels: { app: ${app} } }, spec: ${podSpec} }`,
    '',
  ].join('\n');
}
