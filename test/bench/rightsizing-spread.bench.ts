// Spread of the right-sizing figures: each goal's figure on a recorded set, on halves of its workloads, and on variants of its usage
// (shifted hours, lost points, outages, other sizes, only its first days). `node test/bench/rightsizing-spread.bench.ts [SET…]` prints one
// JSON line per figure and variant.

import { createHash } from 'node:crypto';
import { replayAll } from '../../src/cli/backtest/replay-pool.ts';
import type { ReplayedWorkload } from '../../src/cli/backtest/replay-job.ts';
import { summarize } from '../../src/cli/backtest/report/summary.ts';
import { parseRecordedCsv } from '../../src/core/backtest/recorded-csv.ts';
import { fillGaps, RESOURCES, SLOTS_PER_DAY, SLOTS_PER_HOUR, type Trace, traceOf } from '../../src/core/backtest/time-grid.ts';
import { CONVERTERS, findDataFolder, type RecordedSet } from './recorded-sets.ts';
import { judge } from './rightsizing-goals.ts';

const SETTING = { goal: 'Balanced', pace: 'Daily' } as const;
const HALVINGS = 12;
/** Of a larger set, workloads at equal distances are used. */
const MAX_WORKLOADS = 40;

type Values = Float64Array;
interface UsageVariant {
  readonly name: string;
  readonly of: (trace: Trace) => Trace;
  /** Days that are replayed but not scored; those of the set when left out. */
  readonly warmUpDays?: number;
}

const USAGE_VARIANTS: readonly UsageVariant[] = [
  { name: 'as it is', of: (trace) => trace },
  { name: 'hours that begin 25 minutes later', of: (trace) => ({ ...trace, firstSlot: trace.firstSlot + 5 }) },
  {
    name: 'a fifth of its points lost',
    of: mapValues((values, next) => fillGaps(values.map((value) => (next() < 0.2 ? NaN : value)))),
  },
  { name: 'outages of 1 to 12 hours, a tenth of the time', of: mapValues(withOutages) },
  { name: 'ten times as large', of: mapValues((values) => values.map((value) => value * 10)) },
  {
    name: 'its first two days, of which the second is scored',
    of: mapValues((values) => values.slice(0, 2 * SLOTS_PER_DAY)),
    warmUpDays: 1,
  },
];

const folder = findDataFolder();
const wanted = process.argv.slice(2);
for (const name of wanted)
  if (!(name in CONVERTERS)) throw new Error(`no set named ${name}; there are ${Object.keys(CONVERTERS).join(', ')}`);
if (folder === null) print({ figure: 'rightsizing-spread', skipped: 'no recorded usage: ../shared/data is absent; set EVENKEEL_DATA' });
for (const [name, convert] of folder === null ? [] : Object.entries(CONVERTERS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const set = convert(folder ?? '');
  if (set === null || set.extra) continue;
  for (const variant of USAGE_VARIANTS) printSpread(set, variant, await replayed(set, variant));
}

async function replayed(set: RecordedSet, { of, warmUpDays = set.warmUpDays }: UsageVariant): Promise<ReplayedWorkload[]> {
  const every = Math.ceil(set.workloads.size / MAX_WORKLOADS);
  const picked = [...set.workloads].filter((_, index) => index % every === 0);
  const jobs = picked.flatMap(([name, csv]) => {
    const parsed = parseRecordedCsv(csv);
    if (!parsed.ok) return [];
    const trace = of(traceOf(name, parsed.samples));
    const from = { kind: 'trace', source: set.name, trace } as const;
    return [{ name, from, setting: SETTING, resources: RESOURCES, warmUpDays, emitTo: null, withPlots: false }];
  });
  const outcomes = await replayAll({ jobs, threads: null, signal: new AbortController().signal, onDone: () => undefined });
  return outcomes.flatMap(({ workload }) => workload ?? []);
}

/** Each figure on all workloads, and its lowest value, highest value and success rate on halves of them. */
function printSpread(set: RecordedSet, { name: variantName }: UsageVariant, workloads: readonly ReplayedWorkload[]): void {
  const halves = Array.from({ length: HALVINGS }, (_, seed) =>
    [0, 1].map((side) => workloads.filter((workload) => sideOf(workload.name, seed) === side)),
  );
  for (const resource of RESOURCES) {
    const judged = (some: readonly ReplayedWorkload[]) => {
      const overall = summarize(SETTING, some, []).overall[resource];
      return overall === undefined ? [] : judge(set.name, resource, SETTING, overall);
    };
    const onHalves = halves.flat().map(judged);
    for (const onAll of judged(workloads)) {
      const same = onHalves.flatMap((half) => half.filter(({ goalOf, of }) => goalOf === onAll.goalOf && of === onAll.of));
      const changes = same.flatMap(({ change }) => change ?? []);
      print({
        figure: 'rightsizing-spread',
        input: set.name,
        variant: variantName,
        resource,
        goalOf: onAll.goalOf,
        of: onAll.of,
        goal: onAll.goal,
        change: rounded(onAll.change),
        reached: onAll.reached,
        halves: {
          least: rounded(Math.min(...changes)),
          most: rounded(Math.max(...changes)),
          reached: `${same.filter(({ reached }) => reached).length} of ${same.length}`,
        },
      });
    }
  }
}

function sideOf(name: string, seed: number): number {
  return (createHash('sha256').update(`${name}/${seed}`).digest()[0] ?? 0) & 1;
}

/** Changes each resource's values; the random draws are the same for the same workload. */
function mapValues(change: (values: Values, next: () => number) => Values): UsageVariant['of'] {
  return (trace) => {
    const changed = (values: Values | null) => (values === null ? null : change(Float64Array.from(values), drawsFor(trace.name)));
    return { ...trace, cpu: changed(trace.cpu), memory: changed(trace.memory) };
  };
}

function withOutages(values: Values, next: () => number): Values {
  for (let slot = 0; slot < values.length;) {
    const length = Math.round(SLOTS_PER_HOUR * (1 + 11 * next()));
    const from = slot + Math.round(length * 9 * (0.5 + next()));
    values.fill(NaN, from, from + length);
    slot = from + length;
  }
  return values;
}

function drawsFor(name: string): () => number {
  let state = (createHash('sha256').update(name).digest().readUInt32BE() % 2147483646) + 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function rounded(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toFixed(4));
}

function print(line: Record<string, unknown>): void {
  console.log(JSON.stringify(line));
}
