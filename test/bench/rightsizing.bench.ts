// Figures of right-sizing on recorded usage: one JSON line each, with its goal and whether it is reached. The bench fails when a goal is
// missed or a figure is a regression. `node test/bench/rightsizing.bench.ts [quality|demo|cost] [SET…] [--record]`

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRecordings } from '../../src/cli/backtest/find-recordings.ts';
import type { ReplayJob } from '../../src/cli/backtest/replay-job.ts';
import { replayAll } from '../../src/cli/backtest/replay-pool.ts';
import { type BacktestSummary, summarize } from '../../src/cli/backtest/report/summary.ts';
import { METHOD_TITLES, METHODS } from '../../src/core/backtest/methods.ts';
import { RESOURCES, SLOT_SECONDS, SLOTS_PER_HOUR, type Trace } from '../../src/core/backtest/time-grid.ts';
import { ContainerModel } from '../../src/core/recommender/container-model.ts';
import { DEFAULT_RECOMMENDER_RULES } from '../../src/core/recommender/advice.ts';
import { isLongEnough, ONLINE_BOUTIQUE, runDemoRule } from './demo-rule.ts';
import type { DemoOutcome } from './demo-rule.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { bitbrainsTraces, CONVERTERS, findDataFolder, type RecordedSet, writeSet } from './recorded-sets.ts';
import { againstVpaInPlace, recordedFigures, SETTINGS } from './rightsizing-figures.ts';
import { type BenchSetting, isDefault, judge } from './rightsizing-goals.ts';

const MAX_STATE_BYTES = 8 * 1024;
const MAX_DECIDING_MS = 500;
const PARTS = ['quality', 'demo', 'cost'];
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`;
const measured: Figure[] = [];
let missedGoals = 0;

async function main(): Promise<void> {
  const wanted = process.argv.slice(2).filter((argument) => argument !== '--record');
  const unknown = wanted.filter((name) => !PARTS.includes(name) && !(name in CONVERTERS));
  if (unknown.length > 0)
    throw new Error(`no part or set named ${unknown.join(', ')}; there are ${[...PARTS, ...Object.keys(CONVERTERS)].join(', ')}`);
  const isSelected = (part: string) => !PARTS.some((name) => wanted.includes(name)) || wanted.includes(part);
  const sets = Object.keys(CONVERTERS).filter((name) => !wanted.some((argument) => argument in CONVERTERS) || wanted.includes(name));
  const folder = findDataFolder();
  if (folder === null) {
    print({ figure: 'rightsizing', skipped: 'no recorded usage: ../shared/data is absent; set EVENKEEL_DATA to the folder that holds it' });
  } else {
    if (isSelected('quality')) for (const name of sets) await printQuality(name, folder);
    const bitbrains = isSelected('demo') ? bitbrainsTraces(folder) : [];
    if (bitbrains.length > 0) printDemoRule(bitbrains);
    else if (isSelected('demo')) print({ figure: 'demo-rule', skipped: 'the set bitbrains-rnd is absent' });
  }
  if (isSelected('cost')) printCost();
  if (process.argv.includes('--record')) recordFigures(measured);
  const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
  for (const regression of regressions) print({ figure: 'regression', ...regression });
  print({ figure: 'regression-check', compared, fallenBehind: regressions.length, notCompared: notCompared.length });
  print({ figure: 'goals', missed: missedGoals });
  if (regressions.length > 0 || missedGoals > 0) process.exitCode = 1;
}

/** Replays one set, read as the CLI reads it, at every setting. */
async function printQuality(name: string, data: string): Promise<void> {
  const set = CONVERTERS[name]?.(data) ?? null;
  if (set === null || set.workloads.size === 0) {
    print({ figure: 'rightsizing-quality', input: name, skipped: 'the set is absent' });
    return;
  }
  const temporary = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  try {
    const folder = writeSet(set, temporary);
    print({ figure: 'converted', input: name, workloads: set.workloads.size, how: set.how, warmUpDays: set.warmUpDays });
    const input = fingerprint(set);
    for (const setting of set.extra ? SETTINGS.filter(isDefault) : SETTINGS) {
      const started = performance.now();
      const summary = await backtest(folder, set, setting);
      printSummary(set, setting, summary, { input, seconds: (performance.now() - started) / 1000 });
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function backtest(folder: string, { warmUpDays }: RecordedSet, setting: BenchSetting): Promise<BacktestSummary> {
  const jobs = findRecordings([folder]).files.map(({ path, name }): ReplayJob => ({
    name,
    from: { kind: 'file', path },
    setting,
    resources: RESOURCES,
    warmUpDays,
    emitTo: null,
    withPlots: false,
  }));
  const outcomes = await replayAll({ jobs, threads: null, signal: new AbortController().signal, onDone: () => undefined });
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  for (const problem of problems) print({ figure: 'not-replayed', ...problem });
  return summarize(
    setting,
    outcomes.flatMap(({ workload }) => workload ?? []),
    problems,
  );
}

function printSummary(
  set: RecordedSet,
  setting: BenchSetting,
  summary: BacktestSummary,
  { input, seconds }: { readonly input: string; readonly seconds: number },
): void {
  for (const resource of RESOURCES) {
    const overall = summary.overall[resource];
    if (overall === undefined) continue;
    const settingName = `${setting.goal}, ${setting.pace}${isDefault(setting) ? ' (default)' : ''}`;
    const about = { input: set.name, resource, setting: settingName };
    for (const method of isDefault(setting) ? METHODS : (['evenkeel'] as const)) {
      print({
        figure: 'rightsizing-quality',
        ...about,
        workloads: overall.workloads,
        method: METHOD_TITLES[method],
        ...rounded(overall.methods[method]),
        ...(method === 'evenkeel'
          ? {
              changeAgainstVpa: rounded(overall.againstVpa),
              changeAgainstVpaInPlace: rounded(againstVpaInPlace(overall)),
              replaySeconds: Math.round(seconds),
            }
          : {}),
      });
    }
    for (const judged of judge(set.name, resource, setting, overall))
      printGoal({ figure: 'rightsizing-goal', ...about, ...rounded(judged), reached: judged.reached });
    measured.push(...recordedFigures({ set: set.name, resource, setting, input }, overall));
  }
}

/** Identifies the input. */
function fingerprint({ workloads }: RecordedSet): string {
  const hash = createHash('sha256');
  for (const [name, csv] of workloads) hash.update(name).update(csv);
  return `${workloads.size} workloads, sha256 ${hash.digest('hex').slice(0, 12)}`;
}

function rounded(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'number' ? Number(value.toPrecision(4)) : value,
    ]),
  );
}

/** Assigns 12 recordings at a time, in order and at random, to the containers of the Online Boutique. */
function printDemoRule(recorded: readonly Trace[]): void {
  const traces = recorded.filter((trace) => isLongEnough(trace, 0));
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
    input: `${traces.length} bitbrains-rnd recordings, ${results.length} dealings to ${ONLINE_BOUTIQUE.length} containers`,
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
    const before = process.cpuUsage();
    for (const model of models) model.advise('c', now, DEFAULT_RECOMMENDER_RULES);
    const { user, system } = process.cpuUsage(before);
    decidingMs += (user + system) / 1000;
  }
  printGoal({
    figure: 'cost-of-deciding',
    input: `${containers} containers, 28 days of history, one hourly decision of CPU and memory each`,
    valueMs: Math.round(decidingMs / hours),
    goal: `under ${MAX_DECIDING_MS} ms of CPU`,
    reached: decidingMs / hours < MAX_DECIDING_MS,
  });
  printGoal({
    figure: 'state-per-container',
    input: 'checkpoint after 28 days, CPU and memory',
    valueBytes: bytes.byteLength,
    goal: `at most ${MAX_STATE_BYTES} bytes`,
    reached: bytes.byteLength <= MAX_STATE_BYTES,
  });
  const input = 'synthetic';
  measured.push(
    { id: 'rightsizing/cost-of-deciding', value: Math.round(decidingMs / hours), unit: 'milliseconds', input },
    { id: 'rightsizing/state-per-container', value: bytes.byteLength, unit: 'bytes', input },
  );
}

function sizeKey(container: (typeof ONLINE_BOUTIQUE)[number]): string {
  return `${container.cpuMillicores}/${container.memoryMiB}/${container.memoryLimitMiB}`;
}

function pickDistinct(count: number, of: number, next: () => number): number[] {
  const all = Array.from({ length: of }, (_, index) => index);
  return Array.from({ length: count }, () => all.splice(Math.floor(next() * all.length), 1)[0]!);
}

/** A pseudo-random generator, so that every run of the bench is the same. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function printGoal(line: Record<string, unknown> & { readonly reached: boolean }): void {
  if (!line.reached) missedGoals++;
  print(line);
}

function print(line: Record<string, unknown>): void {
  console.log(JSON.stringify({ ...line, machine }));
}

await main();
