// Figures of right-sizing on recorded usage: `node test/bench/rightsizing.bench.ts [quality|demo|cost]`. One JSON line each.

import { cpus } from 'node:os';
import { ContainerModel } from '../../src/core/rightsizing/container-model.ts';
import { DEFAULT_RECOMMENDER_RULES } from '../../src/core/rightsizing/advice.ts';
import type { Goal } from '../../src/core/rightsizing/advice.ts';
import { longEnough, ONLINE_BOUTIQUE, runDemoRule } from './demo-rule.ts';
import type { DemoOutcome } from './demo-rule.ts';
import { evenkeelPolicy, krrPolicy, vpaPolicy } from './policies.ts';
import { COST_J, joinScores, score } from './scoring.ts';
import { findDataFolder, loadBitbrains, loadTraceSets, SLOT_SECONDS, SLOTS_PER_HOUR } from './traces.ts';
import type { Trace, TraceSet } from './traces.ts';

const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`;

function main(): void {
  const part = process.argv[2] ?? 'all';
  const folder = findDataFolder();
  if (folder === null) {
    print({ figure: 'rightsizing', skipped: 'no recorded usage: ../shared/data is absent; set EVENKEEL_DATA to the folder that holds it' });
  } else {
    if (part === 'all' || part === 'quality') for (const set of loadTraceSets(folder)) printQuality(set);
    const bitbrains = part === 'all' || part === 'demo' ? loadBitbrains(folder) : null;
    if (bitbrains !== null) printDemoRule(bitbrains);
  }
  if (part === 'all' || part === 'cost') printCost();
}

function printQuality(set: TraceSet): void {
  for (const resource of ['cpu', 'memory'] as const) {
    const traces = set.traces.filter((trace) => trace[resource] !== null);
    if (traces.length === 0) continue;
    const run = (policy: () => Parameters<typeof score>[2]) =>
      joinScores(traces.map((trace) => score(trace[resource]!, set.warmUpDays, policy(), COST_J[resource])));
    const vpa = run(() => vpaPolicy(resource));
    printScores(set, resource, traces, 'VPA + updater', vpa, vpa);
    printScores(
      set,
      resource,
      traces,
      'KRR simple, daily',
      run(() => krrPolicy(resource)),
      vpa,
    );
    for (const goal of GOALS)
      printScores(
        set,
        resource,
        traces,
        `Evenkeel ${goal}`,
        run(() => evenkeelPolicy(resource, goal)),
        vpa,
      );
  }
}

function printScores(
  set: TraceSet,
  resource: string,
  traces: readonly Trace[],
  method: string,
  values: Record<string, number>,
  vpa: Record<string, number>,
): void {
  const rounded = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(4))]));
  const change = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, vpa[name] === 0 ? null : Number((value / (vpa[name] ?? NaN) - 1).toFixed(3))]),
  );
  print({
    figure: 'rightsizing-quality',
    input: set.name,
    resource,
    workloads: traces.length,
    method,
    ...rounded,
    changeAgainstVpa: change,
  });
}

/** Every run of 12 recordings in a row, and many at random, dealt to the Online Boutique. */
function printDemoRule(set: TraceSet): void {
  const traces = set.traces.filter((trace) => longEnough(trace, 0));
  const sizes = new Map<string, DemoOutcome[]>();
  for (const container of ONLINE_BOUTIQUE) {
    const key = sizeKey(container);
    if (!sizes.has(key))
      sizes.set(
        key,
        traces.map((trace) => runDemoRule(trace, container)),
      );
  }
  const dealings = [...traces.keys()].map((first) => ONLINE_BOUTIQUE.map((_, index) => (first + index) % traces.length));
  const next = lehmer(1);
  for (let dealing = 0; dealing < 5000; dealing++) dealings.push(pickDistinct(ONLINE_BOUTIQUE.length, traces.length, next));
  const results = dealings.map((dealing) => {
    const sum = { cpu: 0, memory: 0, cpuStart: 0, memoryStart: 0, kills: 0 };
    for (const [index, container] of ONLINE_BOUTIQUE.entries()) {
      const outcome = sizes.get(sizeKey(container))![dealing[index]!]!;
      sum.cpu += outcome.cpuEnd;
      sum.memory += outcome.memoryEnd;
      sum.cpuStart += outcome.cpuStart;
      sum.memoryStart += outcome.memoryStart;
      sum.kills += outcome.oomKills - outcome.oomKillsWithout;
    }
    return { cpuRatio: sum.cpu / sum.cpuStart, memoryRatio: sum.memory / sum.memoryStart, kills: sum.kills };
  });
  const spread = (pick: (result: (typeof results)[number]) => number) => {
    const sorted = results.map(pick).sort((a, b) => a - b);
    return {
      first: pick(results[0]!),
      p50: sorted[Math.floor(sorted.length / 2)],
      p99: sorted[Math.floor(sorted.length * 0.99)],
      worst: sorted.at(-1),
    };
  };
  print({
    figure: 'demo-rule',
    input: `${traces.length} ${set.name} recordings, ${results.length} dealings to ${ONLINE_BOUTIQUE.length} containers`,
    requestedCpuEndOverStart: spread((result) => result.cpuRatio),
    requestedMemoryEndOverStart: spread((result) => result.memoryRatio),
    oomKillsMore: spread((result) => result.kills),
    missed: results.filter((result) => result.cpuRatio > 2 / 3 || result.memoryRatio > 0.75 || result.kills > 1).length,
  });
}

function printCost(): void {
  const containers = 1000;
  const slotMs = SLOT_SECONDS * 1000;
  const hourMs = SLOTS_PER_HOUR * slotMs;
  const start = 1_600_000_000_000 - (1_600_000_000_000 % hourMs);
  const next = lehmer(7);
  const learn = (model: ContainerModel, fromHour: number, hours: number) => {
    for (let slot = fromHour * SLOTS_PER_HOUR; slot < (fromHour + hours) * SLOTS_PER_HOUR; slot++) {
      const day = Math.sin((slot / 288) * 2 * Math.PI);
      const cpuMillicores = 200 * (1.2 + day) * (0.7 + 0.6 * next());
      model.observe('p', { at: start + (slot + 1) * slotMs, cpuMillicores, memoryBytes: (300 + 60 * day + 30 * next()) * 1048576 });
    }
  };
  const first = new ContainerModel();
  learn(first, 0, 28 * 24);
  const bytes = first.checkpoint();
  const models = Array.from({ length: containers }, () => ContainerModel.restore(bytes)!);
  let decidingMs = 0;
  const hours = 4;
  for (let hour = 28 * 24; hour < 28 * 24 + hours; hour++) {
    for (const model of models) learn(model, hour, 1);
    const now = start + (hour + 1) * hourMs + 31_000;
    const before = performance.now();
    for (const model of models) model.advise('c', now, DEFAULT_RECOMMENDER_RULES);
    decidingMs += performance.now() - before;
  }
  print({
    figure: 'cost-of-deciding',
    input: `${containers} containers, 28 days of history, one hourly decision of CPU and memory each`,
    valueMs: Math.round(decidingMs / hours),
    goalMs: 1000,
  });
  print({
    figure: 'state-per-container',
    input: 'checkpoint after 28 days, CPU and memory',
    valueBytes: bytes.byteLength,
    goalBytes: 12 * 1024,
  });
}

function sizeKey(container: (typeof ONLINE_BOUTIQUE)[number]): string {
  return `${container.cpuMillicores}/${container.memoryMiB}/${container.memoryLimitMiB}`;
}

function pickDistinct(count: number, of: number, next: () => number): number[] {
  const all = Array.from({ length: of }, (_, index) => index);
  return Array.from({ length: count }, () => all.splice(Math.floor(next() * all.length), 1)[0]!);
}

/** A small generator, so that the bench is the same each time. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function print(line: Record<string, unknown>): void {
  console.log(JSON.stringify({ ...line, machine }));
}

main();
