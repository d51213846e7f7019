// Fourteen days on the embedded cluster with sixty workloads of all common kinds, in four runs with the same seed, usage and
// deploys: sized by their manifests, by Evenkeel with its defaults (one policy: `mode: Auto`), and by VPA's rule in its place, with
// evictions and in place. `hard`: deploys each day, and full nodes each morning. No sizer has a history: the cluster is an hour old
// when they start. Prints one line of JSON per figure.
//
//   make bench BENCH=fortnight
//   node test/bench/fortnight.bench.ts [days] [workloads] [seed] [usual|hard]

import { cpus } from 'node:os';
import type { FortnightFigures } from './fortnight/ledger.ts';
import { type Circumstances, runFortnight, type Sizer, SIZERS } from './fortnight/run-fortnight.ts';
import { newKills, shareFallen, type Runs } from './fortnight/rules.ts';

const [days = 14, workloads = 60, seed = 1] = process.argv.slice(2, 5).map(Number);
const circumstances: Circumstances = process.argv[5] === 'hard' ? 'hard' : 'usual';
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`;
const input = `${workloads} workloads, ${days} days, seed ${seed}${circumstances === 'hard' ? ', daily deploys, full nodes in the mornings' : ''}`;

const runs = {} as Record<Sizer, FortnightFigures>;
for (const sizer of SIZERS) {
  const startedMs = performance.now();
  runs[sizer] = await runFortnight(sizer, { seed, workloads, days, pastDays: 0, circumstances });
  print(`run ${sizer}`, { seconds: Math.round((performance.now() - startedMs) / 1000) });
}
printFigures(runs);

function printFigures(all: Runs): void {
  const bySizer = (pick: (figures: FortnightFigures) => number) => ({
    original: pick(all.original),
    evenkeel: pick(all.evenkeel),
    vpa: pick(all.vpa),
    vpaInPlace: pick(all['vpa-in-place']),
  });
  const reductions = (pick: (figures: FortnightFigures) => number) => ({
    ...bySizer(pick),
    evenkeelFell: shareFallen(all, 'evenkeel', pick),
    vpaFell: shareFallen(all, 'vpa', pick),
    vpaInPlaceFell: shareFallen(all, 'vpa-in-place', pick),
  });
  rule('requested CPU, mean of the second half (cores)', reductions(cpu), shareFallen(all, 'evenkeel', cpu) >= 0.35, 'falls by 35 %');
  rule(
    'requested memory, mean of the second half (GiB)',
    reductions(memory),
    shareFallen(all, 'evenkeel', memory) >= 0.35,
    'falls by 35 %',
  );
  print(
    'requested CPU at the start (cores)',
    bySizer(({ requestedAtStart }) => requestedAtStart.cpuCores),
  );
  print(
    'requested CPU at the end (cores)',
    bySizer(({ requestedAtEnd }) => requestedAtEnd.cpuCores),
  );
  print(
    'requested memory at the start (GiB)',
    bySizer(({ requestedAtStart }) => requestedAtStart.memoryGib),
  );
  print(
    'requested memory at the end (GiB)',
    bySizer(({ requestedAtEnd }) => requestedAtEnd.memoryGib),
  );
  print(
    'used CPU, mean of the second half (cores)',
    bySizer(({ usedMean }) => usedMean.cpuCores),
  );
  print(
    'used memory, mean of the second half (GiB)',
    bySizer(({ usedMean }) => usedMean.memoryGib),
  );
  print(
    'cost of the requests (USD a month)',
    reductions(({ requestsPerMonthUsd }) => requestsPerMonthUsd),
  );
  rule(
    'OOM kills',
    bySizer(({ oomKills }) => oomKills),
    all.evenkeel.oomKills <= all.original.oomKills,
    'no more than original',
  );
  print('OOM kills of containers that had none with the original sizes', {
    original: 0,
    evenkeel: newKills(all, 'evenkeel'),
    vpa: newKills(all, 'vpa'),
    vpaInPlace: newKills(all, 'vpa-in-place'),
  });
  rule(
    'throttled time (container seconds)',
    bySizer(({ throttledSeconds }) => throttledSeconds),
    all.evenkeel.throttledSeconds <= all.original.throttledSeconds,
    'no more than original',
  );
  print(
    'throttled share of the time under a CPU limit',
    bySizer(({ throttledRatio }) => throttledRatio),
  );
  print(
    'share of the wanted CPU that was not given',
    bySizer(({ unmetCpuRatio }) => unmetCpuRatio),
  );
  rule(
    'evictions',
    bySizer(({ evictions }) => evictions),
    all.evenkeel.evictions === 0,
    'none',
  );
  print(
    'share of the time with CPU used above the request',
    bySizer(({ cpuOverrunRatio }) => cpuOverrunRatio),
  );
  print(
    'share of the time with memory used above the request',
    bySizer(({ memoryOverrunRatio }) => memoryOverrunRatio),
  );
  print(
    'restarts',
    bySizer(({ restarts }) => restarts),
  );
  print(
    'pods, mean of the second half',
    bySizer(({ podsMean }) => podsMean),
  );
  print(
    'time pods were pending, sum (seconds)',
    bySizer(({ pendingSeconds }) => pendingSeconds),
  );
  print(
    'time pods were pending, longest (seconds)',
    bySizer(({ longestPendingSeconds }) => longestPendingSeconds),
  );
  print(
    'resizes in place, each workload and day',
    bySizer(({ resizesPerWorkloadDay }) => resizesPerWorkloadDay),
  );
}

function cpu({ requestedMean }: FortnightFigures): number {
  return requestedMean.cpuCores;
}

function memory({ requestedMean }: FortnightFigures): number {
  return requestedMean.memoryGib;
}

/** A figure with a goal; the bench fails where it is missed. */
function rule(figure: string, values: Record<string, number>, isMet: boolean, goal: string): void {
  print(figure, { ...values, goal, isMet });
  if (!isMet) process.exitCode = 1;
}

function print(figure: string, values: Record<string, unknown>): void {
  console.log(JSON.stringify({ figure: `fortnight: ${figure}`, input, ...values, machine }));
}
