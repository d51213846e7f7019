// How long a CPU value holds that a person applies: a value is applied on the first day after the warm-up and replaced only where the
// recommendation of a later day is more than a tenth higher. `node test/bench/lasting-values.bench.ts [SET…]` prints one JSON line per set and rule.

import { DAY_MS } from '#kube/units';
import { parseRecordedCsv } from '../../src/core/backtest/recorded-csv.ts';
import { SLOT_SECONDS, SLOTS_PER_DAY, traceOf } from '../../src/core/backtest/time-grid.ts';
import { DEFAULT_RECOMMENDER_RULES as RULES, type Goal } from '../../src/core/recommender/advice.ts';
import { ContainerModel } from '../../src/core/recommender/container-model.ts';
import { CONVERTERS, findDataFolder, type RecordedSet } from './recorded-sets.ts';

const WARM_UP_DAYS = 7;
/** Slack of a workload counts at most this often its usage, so that one idle machine does not decide a mean. */
const MAX_SLACK = 50;
/** From this share on a higher recommendation asks for a new decision: the default of `minChangeRatio`. */
const MIN_CHANGE_RATIO = 0.1;

/** CPU request by day, in millicores; `past` is the usage before that day, ascending. */
type Rule = (model: ContainerModel, at: number, past: readonly number[]) => number | null;

const evenkeel =
  (goal: Goal, lasting: boolean): Rule =>
  (model, at) => {
    const cpu = model.advise('app', at, { ...RULES, lasting, cpu: { ...RULES.cpu, goal } })?.cpu ?? null;
    return lasting ? (cpu?.target ?? null) : (cpu?.base ?? null);
  };
const percentile =
  (share: number, margin: number): Rule =>
  (_model, _at, past) => {
    const value = past[Math.max(0, Math.ceil(share * past.length) - 1)];
    return value === undefined ? null : value * (1 + margin);
  };

const COMPARED: Readonly<Record<string, Rule>> = {
  'base without increases': evenkeel('Balanced', false),
  'lasting, Savings': evenkeel('Savings', true),
  'lasting, Balanced': evenkeel('Balanced', true),
  'lasting, Safe': evenkeel('Safe', true),
  'p90 + 15 % (VPA)': percentile(0.9, 0.15),
  'p95 (KRR)': percentile(0.95, 0),
};

interface Sums {
  workloads: number;
  overrun: number;
  unserved: number;
  slack: number;
  rises: number;
  days: number;
}

const folder = findDataFolder();
const wanted = process.argv.slice(2);
for (const name of wanted)
  if (!(name in CONVERTERS)) throw new Error(`no set named ${name}; there are ${Object.keys(CONVERTERS).join(', ')}`);
if (folder === null) print({ figure: 'lasting-values', skipped: 'no recorded usage: ../shared/data is absent; set EVENKEEL_DATA' });
for (const [name, convert] of folder === null ? [] : Object.entries(CONVERTERS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const set = convert(folder ?? '');
  if (set !== null && !set.extra) measure(set);
}

function measure(set: RecordedSet): void {
  const sums = new Map(Object.keys(COMPARED).map((rule): [string, Sums] => [rule, noSums()]));
  for (const [name, csv] of set.workloads) {
    const parsed = parseRecordedCsv(csv);
    const cpu = parsed.ok ? traceOf(name, parsed.samples).cpu : null;
    if (cpu !== null) addWorkload(sums, cpu);
  }
  for (const [rule, { workloads, overrun, unserved, slack, rises, days }] of sums) {
    if (workloads === 0) continue;
    print({
      figure: 'lasting-values',
      set: set.name,
      rule,
      workloads,
      overrunRatio: rounded(overrun / workloads),
      unservedRatio: rounded(unserved / workloads),
      slackRatio: rounded(slack / workloads),
      risesPerWeek: rounded((7 * rises) / days),
    });
  }
}

function addWorkload(sums: ReadonlyMap<string, Sums>, cpu: Float64Array): void {
  const valuesByDay = requestsByDay(cpu, Math.min(WARM_UP_DAYS, Math.floor(cpu.length / SLOTS_PER_DAY / 2)));
  for (const [rule, sum] of sums) {
    let [held, over, slots, unserved, used, slack] = [NaN, 0, 0, 0, 0, 0];
    for (const [day, values] of valuesByDay) {
      const value = values[rule] ?? null;
      if (value === null) continue;
      sum.days += 1;
      if (value > held * (1 + MIN_CHANGE_RATIO)) sum.rises += 1;
      if (Number.isNaN(held) || value > held * (1 + MIN_CHANGE_RATIO)) held = value;
      for (const usage of cpu.subarray(day * SLOTS_PER_DAY, (day + 1) * SLOTS_PER_DAY)) {
        if (Number.isNaN(usage)) continue;
        slots += 1;
        used += usage;
        if (usage > held) over += 1;
        unserved += Math.max(0, usage - held);
        slack += Math.max(0, held - usage);
      }
    }
    if (used === 0) continue;
    sum.workloads += 1;
    sum.overrun += over / slots;
    sum.unserved += unserved / used;
    sum.slack += Math.min(MAX_SLACK, slack / used);
  }
}

function requestsByDay(cpu: Float64Array, firstDay: number): ReadonlyMap<number, Readonly<Record<string, number | null>>> {
  const model = new ContainerModel();
  const days = new Map<number, Readonly<Record<string, number | null>>>();
  for (let slot = 0; slot < cpu.length; slot++) {
    // From a day well after the epoch, so that the history before it has positive times.
    const at = 100 * DAY_MS + slot * SLOT_SECONDS * 1000;
    if (slot % SLOTS_PER_DAY === 0 && slot >= firstDay * SLOTS_PER_DAY) {
      const past = [...cpu.subarray(Math.max(0, slot - 14 * SLOTS_PER_DAY), slot)]
        .filter((usage) => !Number.isNaN(usage))
        .sort((a, b) => a - b);
      days.set(slot / SLOTS_PER_DAY, Object.fromEntries(Object.entries(COMPARED).map(([name, rule]) => [name, rule(model, at, past)])));
    }
    const usage = cpu[slot] ?? NaN;
    if (!Number.isNaN(usage))
      model.observe('app', {
        at,
        cpuMillicores: usage,
        memoryBytes: null,
        throttledRatio: null,
        cpuPressureRatio: null,
        memoryPressureRatio: null,
      });
  }
  return days;
}

function noSums(): Sums {
  return { workloads: 0, overrun: 0, unserved: 0, slack: 0, rises: 0, days: 0 };
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}

function print(line: Record<string, unknown>): void {
  console.log(JSON.stringify(line));
}
