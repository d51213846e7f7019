// Packing beside Karpenter's own scheduler, compiled from its Go module, on the same pods of its benchmark: nodes, price, and CPU time by the
// number of pods. Goals: at 5,000 pods 20 times its pods for each second of CPU, no more nodes and no higher price, and a time for each pod
// that does not grow to 150,000 pods. Without Go, Karpenter's recorded CPU time counts.
//
//   make bench BENCH=packing-mix
//   node test/bench/packing-mix.bench.ts [--record]

import process from 'node:process';
import { ThreadLpSolver } from '../../src/adapters/highs/thread-lp-solver.ts';
import { SeededRandom } from '../../src/runtime/random.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { buildKarpenter, type KarpenterResult, runKarpenter } from './packing/karpenter.ts';
import { mixedPods } from './packing/karpenter-mix.ts';
import { type MixPacking, packMix } from './packing/pack-mix.ts';

const SIZES = [100, 500, 1_000, 5_000, 20_000, 50_000, 150_000];
const GOAL_PODS = 5_000;
const GOAL_SPEEDUP = 20;
/** Karpenter gets no size for which it would need more CPU time than this if it took the same for each pod as for the size before. */
const MAX_KARPENTER_CPU_SECONDS = 60;
/** Beside other work, that takes a multiple of its CPU time. */
const KARPENTER_TIMEOUT_SECONDS = 300;
const STEPS_PER_POD = 100;
const SEED = 42;

interface Row {
  readonly size: number;
  readonly packing: MixPacking;
  /** Null: not run. */
  readonly karpenter: KarpenterResult | null;
}

const solver = new ThreadLpSolver();
const effort = { solver, stepsPerPod: STEPS_PER_POD, seed: SEED };
const built = buildKarpenter();
if ('problem' in built) console.log(JSON.stringify({ figure: 'packing/mix: Karpenter', skipped: built.problem }));
// The solver's thread and the compiler of Node.js have begun then, as in a process that runs.
await packMix(mixedPods(SIZES[2] ?? 0, new SeededRandom(0)), effort);
const rows: Row[] = [];
for (const size of SIZES) {
  const pods = mixedPods(size, new SeededRandom(SEED));
  const packing = await packMix(pods, effort);
  const binary = 'binary' in built && isWithinTime(size, rows.at(-1)) ? built.binary : null;
  const karpenter = binary === null ? null : runKarpenter(binary, pods, KARPENTER_TIMEOUT_SECONDS);
  rows.push({ size, packing, karpenter: karpenter?.finished === true && karpenter.unscheduled === 0 ? karpenter : null });
  console.log(JSON.stringify({ figure: `packing/mix/${size}`, stepsPerPod: STEPS_PER_POD, ...packing, karpenter }));
}
await solver.close();
printTable(rows);
const recorded = readRecordedFigures();
const goals = rows.filter(({ size }) => size === GOAL_PODS).map(compareWithGoals);
for (const goal of goals) console.log(JSON.stringify({ figure: `packing/mix/${GOAL_PODS}: goals`, ...goal }));
const measured = rows.map(({ size, packing }) => cpuFigure(`packing/mix/${size}/cpu`, packing.cpuSeconds, size));
const { regressions, compared, notCompared } = compareFigures(measured, recorded);
console.log(JSON.stringify({ figure: 'packing/mix: regression-check', compared, notCompared, regressions }));
if (regressions.length > 0 || goals.some(({ isMet }) => !isMet)) process.exitCode = 1;
// Karpenter's speed is compared with, and its change is no regression.
const beside = rows.flatMap(({ size, karpenter }) =>
  karpenter === null ? [] : [cpuFigure(karpenterFigure(size), karpenter.cpuSeconds, size)],
);
if (process.argv.includes('--record')) recordFigures([...measured, ...beside]);

function isWithinTime(size: number, before: Row | undefined): boolean {
  if (before === undefined) return true;
  return before.karpenter !== null && (before.karpenter.cpuSeconds * size) / before.size <= MAX_KARPENTER_CPU_SECONDS;
}

function compareWithGoals({ size, packing, karpenter }: Row): { readonly isMet: boolean; readonly [figure: string]: unknown } {
  const recordedMs = recorded[karpenterFigure(size)]?.value;
  const karpenterSeconds = karpenter?.cpuSeconds ?? (recordedMs === undefined ? null : recordedMs / 1000);
  const timesKarpenter = karpenterSeconds === null ? null : round(karpenterSeconds / packing.cpuSeconds);
  const isFast = timesKarpenter === null ? null : timesKarpenter >= GOAL_SPEEDUP;
  const isCheap = karpenter === null ? null : packing.nodes <= karpenter.nodes && packing.usdPerHour <= karpenter.usdPerHour;
  const comparedWith = karpenter === null ? 'its recorded CPU time alone' : 'Karpenter in this run';
  return { timesKarpenter, goal: GOAL_SPEEDUP, comparedWith, isFast, isCheap, isMet: isFast !== false && isCheap !== false };
}

function printTable(all: readonly Row[]): void {
  const perPod = (cpuSeconds: number, size: number): number => Math.round((cpuSeconds * 1e6) / size);
  console.log('    pods  CPU µs a pod  nodes      $/hour  Karpenter: CPU µs a pod  nodes     $/hour');
  for (const { size, packing, karpenter } of all) {
    const cells = [
      String(size).padStart(8),
      String(perPod(packing.cpuSeconds, size)).padStart(14),
      String(packing.nodes).padStart(7),
      packing.usdPerHour.toFixed(2).padStart(12),
      (karpenter === null ? '-' : String(perPod(karpenter.cpuSeconds, size))).padStart(25),
      (karpenter === null ? '-' : String(karpenter.nodes)).padStart(7),
      (karpenter === null ? '-' : karpenter.usdPerHour.toFixed(2)).padStart(11),
    ];
    console.log(cells.join(''));
  }
}

function karpenterFigure(size: number): string {
  return `packing/mix/${size}/karpenter-cpu`;
}

function cpuFigure(id: string, cpuSeconds: number, size: number): Figure {
  return { id, value: round(cpuSeconds * 1000), unit: 'cpuMilliseconds', input: `${size} pods of the mix, 400 types` };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
