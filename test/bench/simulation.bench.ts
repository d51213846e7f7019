// Speed of the embedded cluster at speed max: a fortnight of sixty workloads, with and without the controller. It is measured in
// virtual seconds per CPU second of the process, so that other processes on the machine count little. The digest of the final state
// is the same for the same seed and Node.js version: a pure speed-up does not change it. A different state is printed as a line of
// `simulation: end` and fails, until it is recorded.
//
//   make bench BENCH=simulation
//   node --max-semi-space-size=32 test/bench/simulation.bench.ts [days] [workloads] [seed] | --record

import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import { DAY_MS } from '#kube/units';
import { compareEnds, compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { runFortnight, type Sizer } from './fortnight/run-fortnight.ts';
import { readSimulationOptions, type SimulationOptions } from './simulation-options.ts';

const { days, workloads, seed, record } = readOptions();
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`;
const input = `${workloads} workloads, ${days} days, seed ${seed}`;
const SIZERS: readonly Sizer[] = ['original', 'evenkeel'];

const measured: Figure[] = [];
for (const sizer of SIZERS) {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const figures = await runFortnight(sizer, { seed, workloads, days, pastDays: 0 });
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  const value = Math.round((days * DAY_MS) / 1000 / cpuSeconds);
  const id = `simulation/${sizer}/virtualSecondsPerCpuSecond`;
  const end = createHash('sha256').update(JSON.stringify(figures)).digest('hex').slice(0, 12);
  measured.push({ id, value, unit: 'virtualSecondsPerCpuSecond', input, end, node: process.versions.node });
  const wallSeconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(JSON.stringify({ figure: id, input, value, cpuSeconds: Math.round(cpuSeconds * 10) / 10, wallSeconds, end, machine }));
}
const recorded = readRecordedFigures();
const { regressions, compared, notCompared } = compareFigures(measured, recorded);
const differences = compareEnds(measured, recorded);
for (const difference of differences) console.log(JSON.stringify({ figure: 'simulation: end', difference }));
console.log(JSON.stringify({ figure: 'simulation: regression-check', compared, notCompared, regressions }));
if (record) recordFigures(measured);
else if (regressions.length > 0 || differences.length > 0) process.exitCode = 1;

function readOptions(): SimulationOptions {
  try {
    return readSimulationOptions(process.argv.slice(2));
  } catch (err) {
    console.error(
      `${(err as Error).message}\n\nusage: node --max-semi-space-size=32 test/bench/simulation.bench.ts [DAYS] [WORKLOADS] [SEED] | --record`,
    );
    process.exit(2);
  }
}
