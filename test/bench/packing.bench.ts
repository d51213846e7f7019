// What `evenkeel pack` reaches on recorded pods with real prices, against the lower bound and the other methods, and its time by the number
// of pods. Goals: over the lower bound at most 1.5 % for pods that are small against nodes and 9 % for CPU pods in 10 s, 5 % for all pods
// in 30 s, and at least 5 % cheaper than the best of the other methods. `packing-mix` compares with Karpenter.
//
//   make bench BENCH=packing
//   node test/bench/packing.bench.ts [--record]

import process from 'node:process';
import { ThreadLpSolver } from '../../src/adapters/highs/thread-lp-solver.ts';
import { type PackingPlan, planPacking } from '../../src/cli/pack/plan.ts';
import { packingCost } from '../../src/core/packing/packing.ts';
import { classifyPods, type MachineType, type PodDemand } from '../../src/core/packing/packing-problem.ts';
import { verifyPacking } from '../../src/core/packing/verify-packing.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { gceMachineTypes, openbSets, type PackingSet } from './packing/openb.ts';
import { nodeCount, packBriefly } from './packing/pack-briefly.ts';

const MIN_CHEAPER = 0.05;
const SIZES = [100, 1_000, 5_000, 20_000, 50_000, 150_000];
const SEED = 42;

const solver = new ThreadLpSolver();
const measured: Figure[] = [];
const types = gceMachineTypes();
const sets = openbSets();
if (types === null || sets === null) {
  console.log(JSON.stringify({ figure: 'packing/openb', skipped: 'no openb-2023 or gce-prices in the folder of the data' }));
} else {
  for (const set of sets) await measureSet(set, types);
  const pods = sets[0]?.pods ?? [];
  for (const size of SIZES) await measureTime(size, pods, types);
}
await solver.close();
const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
console.log(JSON.stringify({ figure: 'packing: regression-check', compared, notCompared, regressions }));
if (regressions.length > 0) process.exitCode = 1;
if (process.argv.includes('--record')) recordFigures(measured);

async function measureSet({ name, seconds, maxGap, pods }: PackingSet, machineTypes: readonly MachineType[]): Promise<void> {
  const { problem } = classifyPods(pods, machineTypes);
  const costBySecond: Record<number, number> = {};
  const plan = await planPacking(
    { problem },
    {
      seconds,
      solver,
      signal: new AbortController().signal,
      nowMs: () => performance.now(),
      onProgress: ({ elapsedMs, usdPerHour }) => {
        if (usdPerHour !== null) costBySecond[Math.ceil(elapsedMs / 1000)] = round(usdPerHour);
      },
      onError: (error) => {
        throw error;
      },
    },
  );
  const own = plan.best?.usdPerHour ?? Infinity;
  const gap = own / plan.bound.usdPerHour - 1;
  const peers = Object.fromEntries(
    [...plan.peers].map(([peer, priced]) => [peer, priced === null || priced === 'unfinished' ? Infinity : priced.usdPerHour]),
  );
  const [bestPeer, bestPeerUsd] = Object.entries(peers).reduce((best, peer) => (peer[1] < best[1] ? peer : best));
  console.log(
    JSON.stringify({
      figure: `packing/${name}`,
      pods: pods.length,
      classes: problem.classCount,
      seconds,
      usdPerHour: round(own),
      lowerBound: round(plan.bound.usdPerHour),
      bound: plan.bound.kind,
      gap: round(gap),
      goal: maxGap,
      tighterBound: plan.patternBoundUsdPerHour === null ? null : round(plan.patternBoundUsdPerHour),
      gapToTighterBound: plan.patternBoundUsdPerHour === null ? null : round(own / plan.patternBoundUsdPerHour - 1),
      costBySecond,
      ...shareOf(plan),
      peers: Object.fromEntries(Object.entries(peers).map(([peer, usd]) => [peer, round(usd)])),
      cheaperThanBestPeer: { peer: bestPeer, share: round(1 - own / bestPeerUsd), goal: MIN_CHEAPER },
    }),
  );
  const input = `${pods.length} pods of openb, ${machineTypes.length} types of us-central1, ${seconds} s`;
  measured.push({ id: `packing/${name}/gap`, value: round(gap), unit: 'ratio', input });
}

function shareOf({ steps, seed, best }: PackingPlan): object {
  return { nodes: best === null ? null : nodeCount(best.packing), steps, seed };
}

/** Time to the first packing: classes, the bound over resources, and a node for each pod. */
async function measureTime(size: number, from: readonly PodDemand[], machineTypes: readonly MachineType[]): Promise<void> {
  const pods = Array.from({ length: size }, (_, at) => from[at % from.length]!);
  const started = performance.now();
  const { problem } = classifyPods(pods, machineTypes);
  const packing = await packBriefly(problem, { solver, stepsPerPod: 0, seed: SEED });
  const ms = performance.now() - started;
  const cost = packingCost(problem, packing);
  if (verifyPacking(problem, packing, cost).length > 0) throw new Error('the packing is wrong');
  console.log(
    JSON.stringify({ figure: `packing/time/${size}`, ms: round(ms), usPerPod: round((ms * 1000) / size), nodes: nodeCount(packing) }),
  );
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
