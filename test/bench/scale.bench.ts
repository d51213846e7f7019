// The controller's process at the size of a cluster: memory, start, CPU, event loop, writes, requests and reads, against a played API server
// and played kubelets in processes of their own. Each size is measured in these steps:
//
//   1. a start against the same cluster without pods, for the heap that pods do not take
//   2. the first start with pods, and a minute in which every node is read twice
//   3. MINUTES of steady load in three equal phases: 200 watch events a second at 5,000 nodes (`events`), also one client that waits for an
//      event (`waiting`), also 100 dashboard reads a second and an event stream (`reads`)
//   4. the stop at SIGTERM, and a restart against the same cluster
//
//   make bench BENCH=scale
//   node test/bench/scale.bench.ts [--nodes N]… [--minutes M] [--record | --profiles FOLDER]

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../e2e/free-ports.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { measurePhase, phaseDetails } from './scale/measure-phase.ts';
import { MeasuredController } from './scale/measured-controller.ts';
import { planCluster, WORKLOADS_PER_NODE } from './scale/played/cluster-plan.ts';
import { createIdentities, PlayedProcesses } from './scale/played-processes.ts';
import { type Phase, scaleFigures, type ScaleMeasurements } from './scale/scale-figures.ts';
import { startClients } from './scale/start-clients.ts';
import { readScaleOptions, type ScaleOptions } from './scale/scale-options.ts';

const SETTLE_MS = 60_000;
const MINUTE_MS = 60_000;
const PHASES = 3;
const NOT_CARRIED = [
  'two cores are shared by the controller, the played cluster and the clients: latencies and delays are upper bounds, CPU time is not affected',
  'a day of usage: memory is that of minutes, and workloads are still collecting usage, so that there are no effects in less than ten minutes',
  'wide area networks, a slow API server and etcd: requests are answered from memory over loopback',
  'a cycle over all workloads, which ends after 5 minutes: a shorter run has no figure recommender/cycle',
  'a metrics scraper, several replicas, PostgreSQL and Prometheus',
];

const { sizes, minutes, record, profiles } = readOptions();
// The compiled program is measured, as it is deployed.
execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
const figures: Figure[] = [];
for (const nodes of sizes) figures.push(...(await measureSize(nodes)));
for (const limit of NOT_CARRIED) console.log(JSON.stringify({ figure: 'scale: not measured', limit }));
const { regressions, compared, notCompared } = compareFigures(figures, readRecordedFigures());
console.log(JSON.stringify({ figure: 'scale: regression-check', compared, notCompared, regressions }));
if (record) recordFigures(figures);
else if (regressions.length > 0) process.exitCode = 1;

async function measureSize(nodes: number): Promise<readonly Figure[]> {
  const fixture = new TestFixture();
  try {
    const measured = scaleFigures(await measure(fixture, nodes));
    return measured.map(({ goal, ...figure }) => {
      const { id, ...rest } = figure;
      const isMet = goal === undefined ? {} : { goal, isMet: figure.value <= goal };
      console.log(JSON.stringify({ figure: id, ...rest, ...isMet }));
      return figure;
    });
  } finally {
    await fixture.tearDown();
  }
}

async function measure(fixture: TestFixture, nodes: number): Promise<ScaleMeasurements> {
  const emptyHeapBytes = await measureEmptyHeap(fixture, nodes);
  const identities = await createIdentities(join(fixture.folder, 'played'));
  const played = await PlayedProcesses.start(nodes, identities, true);
  fixture.addCleanup(() => played.end());
  const { workloads } = planCluster(nodes);
  const options = { ...(await freeAddresses()), workloads: workloads.length, profiles };

  const { controller, ...firstStart } = await MeasuredController.start(fixture, played, { ...options, name: 'first' });
  const { heapUsed: fullHeapBytes, ...starting } = await controller.report();
  note('started', nodes, { starting, times: controller.times() });
  played.setLoad(true);
  await wait(SETTLE_MS);
  const settling = await controller.report();

  const phase = async (name: string, visibility: boolean): Promise<Phase> => {
    const measured = await measurePhase(controller, played, (minutes / PHASES) * MINUTE_MS, visibility);
    note(name, nodes, phaseDetails(measured));
    return measured;
  };
  const events = await phase('events', false);
  const waiting = await phase('waiting', true);
  const clients = startClients(fixture, controller.dashboard, workloads);
  const reading = await phase('reads', true);
  const reads = await clients.stop();
  const cycles = await controller.counter('evenkeel_resize_cycles_total{policy="everything"}');
  const lostLeases = controller.lostLeases();
  note('clients', nodes, { reads, cycles, problems: controller.problems() });
  const unknown = Object.entries(reading.to.counts.counts).filter(([name]) => /^(?:unknown|failed)/.test(name));
  if (unknown.length > 0) throw new Error(`the played API server does not know these requests: ${JSON.stringify(unknown)}`);
  const { ms: stopMs, code } = await controller.stop();
  if (code !== 0) throw new Error(`the controller ended with ${String(code)} after SIGTERM\n${controller.process.recentOutput()}`);

  const { controller: again, ...restart } = await MeasuredController.start(fixture, played, { ...options, name: 'restart' });
  note('restarted', nodes, { starting: await again.report(), problems: again.problems() });
  await again.stop();
  return {
    nodes,
    minutes,
    pods: reading.to.counts.objects['pods'] ?? 0,
    emptyHeapBytes,
    fullHeapBytes,
    firstStart,
    restart,
    settling,
    events,
    waiting,
    reading,
    reads,
    lostLeases,
    recommenderSeconds: cycles === 0 ? null : (reading.to.times.threadSeconds['recommender'] ?? 0) / cycles,
    stopMs,
  };
}

/** Heap of the main thread after the first sync of the cluster without pods. */
async function measureEmptyHeap(fixture: TestFixture, nodes: number): Promise<number> {
  const played = await PlayedProcesses.start(nodes, await createIdentities(join(fixture.folder, 'without-pods')), false);
  try {
    const options = { ...(await freeAddresses()), workloads: nodes * WORKLOADS_PER_NODE, profiles: null };
    const { controller } = await MeasuredController.start(fixture, played, { ...options, name: 'without-pods' });
    const { heapUsed } = await controller.report();
    await controller.process.kill();
    return heapUsed;
  } finally {
    played.end();
  }
}

async function freeAddresses(): Promise<{ readonly dashboard: number; readonly metrics: number }> {
  const [dashboard = 0, metrics = 0] = await freePorts(2);
  return { dashboard, metrics };
}

/** A line with the details behind the figures. */
function note(step: string, nodes: number, details: object): void {
  console.log(JSON.stringify({ figure: `scale/${nodes}-nodes: ${step}`, ...details }));
}

function readOptions(): ScaleOptions {
  try {
    return readScaleOptions(process.argv.slice(2));
  } catch (err) {
    console.error(
      `${(err as Error).message}\n\nusage: node test/bench/scale.bench.ts [--nodes N]… [--minutes M] [--record | --profiles FOLDER]`,
    );
    process.exit(2);
  }
}
