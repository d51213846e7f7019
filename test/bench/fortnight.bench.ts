// Fourteen days on the embedded cluster with sixty workloads of every sort, four times with the same seed, the same use
// and the same deploys: sized by their manifests, by Evenkeel as it is shipped (one policy: `mode: Auto`), and by VPA's
// rule in its place, with evictions and in place. `hard`: deploys each day, and full nodes each morning. Nobody knows a past: the cluster is an hour old when they begin. One line of JSON a figure.
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
tell(runs);

function tell(all: Runs): void {
  const each = (pick: (figures: FortnightFigures) => number) => ({
    original: pick(all.original),
    evenkeel: pick(all.evenkeel),
    vpa: pick(all.vpa),
    vpaInPlace: pick(all['vpa-in-place']),
  });
  const fallen = (pick: (figures: FortnightFigures) => number) => ({
    ...each(pick),
    evenkeelFell: shareFallen(all, 'evenkeel', pick),
    vpaFell: shareFallen(all, 'vpa', pick),
    vpaInPlaceFell: shareFallen(all, 'vpa-in-place', pick),
  });
  rule('requested CPU, mean of the second half (cores)', fallen(cpu), shareFallen(all, 'evenkeel', cpu) >= 0.35, 'falls by 35 %');
  rule('requested memory, mean of the second half (GiB)', fallen(memory), shareFallen(all, 'evenkeel', memory) >= 0.35, 'falls by 35 %');
  print(
    'requested CPU at the start (cores)',
    each(({ requestedAtStart }) => requestedAtStart.cpuCores),
  );
  print(
    'requested CPU at the end (cores)',
    each(({ requestedAtEnd }) => requestedAtEnd.cpuCores),
  );
  print(
    'requested memory at the start (GiB)',
    each(({ requestedAtStart }) => requestedAtStart.memoryGib),
  );
  print(
    'requested memory at the end (GiB)',
    each(({ requestedAtEnd }) => requestedAtEnd.memoryGib),
  );
  print(
    'used CPU, mean of the second half (cores)',
    each(({ usedMean }) => usedMean.cpuCores),
  );
  print(
    'used memory, mean of the second half (GiB)',
    each(({ usedMean }) => usedMean.memoryGib),
  );
  print(
    'cost of the requests (USD a month)',
    fallen(({ requestsPerMonthUsd }) => requestsPerMonthUsd),
  );
  rule(
    'OOM kills',
    each(({ oomKills }) => oomKills),
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
    each(({ throttledSeconds }) => throttledSeconds),
    all.evenkeel.throttledSeconds <= all.original.throttledSeconds,
    'no more than original',
  );
  print(
    'throttled share of the time under a CPU limit',
    each(({ throttledRatio }) => throttledRatio),
  );
  print(
    'share of the wanted CPU that was not given',
    each(({ unmetCpuRatio }) => unmetCpuRatio),
  );
  rule(
    'evictions',
    each(({ evictions }) => evictions),
    all.evenkeel.evictions === 0,
    'none',
  );
  print(
    'share of the time with CPU used above the request',
    each(({ cpuOverrunRatio }) => cpuOverrunRatio),
  );
  print(
    'share of the time with memory used above the request',
    each(({ memoryOverrunRatio }) => memoryOverrunRatio),
  );
  print(
    'restarts',
    each(({ restarts }) => restarts),
  );
  print(
    'pods, mean of the second half',
    each(({ podsMean }) => podsMean),
  );
  print(
    'time pods were pending, sum (seconds)',
    each(({ pendingSeconds }) => pendingSeconds),
  );
  print(
    'time pods were pending, longest (seconds)',
    each(({ longestPendingSeconds }) => longestPendingSeconds),
  );
  print(
    'resizes in place, each workload and day',
    each(({ resizesPerWorkloadDay }) => resizesPerWorkloadDay),
  );
}

function cpu({ requestedMean }: FortnightFigures): number {
  return requestedMean.cpuCores;
}

function memory({ requestedMean }: FortnightFigures): number {
  return requestedMean.memoryGib;
}

/** A figure with a goal; the bench fails where it is missed. */
function rule(figure: string, values: Record<string, number>, holds: boolean, goal: string): void {
  print(figure, { ...values, goal, holds });
  if (!holds) process.exitCode = 1;
}

function print(figure: string, values: Record<string, unknown>): void {
  console.log(JSON.stringify({ figure: `fortnight: ${figure}`, input, ...values, machine }));
}
