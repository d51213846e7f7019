// Recorded figures, and the bounds beyond which a figure is a regression. Margins are wide: machines are noisy, and a recommender may trade
// one figure for another.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'figures.json');

export type FigureUnit =
  | 'changeAgainstVpa'
  | 'milliseconds'
  | 'loadedMilliseconds'
  | 'cpuMilliseconds'
  | 'bytes'
  | 'residentBytes'
  | 'ratio'
  | 'cpuRatio'
  | 'count'
  | 'perSecond'
  | 'virtualMilliseconds'
  | 'virtualSecondsPerCpuSecond';

/** One figure. Lower is better, except for speeds (`virtualSecondsPerCpuSecond`). */
export interface Figure {
  readonly id: string;
  readonly value: number;
  readonly unit: FigureUnit;
  /** Description of the input: figures of different inputs are not compared. */
  readonly input: string;
  /** Digest of the final state of a simulation: equal for the same input and Node.js version. */
  readonly end?: string;
  /** Node.js version of `end`. */
  readonly node?: string;
}

/** A figure beyond its bound. */
export interface Regression {
  readonly id: string;
  readonly value: number;
  readonly recorded: number;
  /** The worst value that is not a regression. */
  readonly bound: number;
}

type Recorded = Readonly<Record<string, Omit<Figure, 'id'>>>;

/** The worst value that is not a regression, by unit. */
const BOUND: Readonly<Record<FigureUnit, (recorded: number) => number>> = {
  changeAgainstVpa: (recorded) => recorded + 0.06,
  ratio: (recorded) => recorded * 1.1 + 0.01,
  bytes: (recorded) => recorded * 1.15,
  // Garbage that is not collected yet counts, and how much remains depends on the machine.
  residentBytes: (recorded) => recorded * 1.5,
  // CPU seconds a second: another processor may be half as fast.
  cpuRatio: (recorded) => recorded * 2 + 0.05,
  // What must not happen, such as a lost lease.
  count: (recorded) => recorded,
  perSecond: (recorded) => recorded * 1.5 + 0.5,
  // Modelled time: equal on every machine.
  virtualMilliseconds: (recorded) => recorded * 1.1,
  // Wall time on another, busy machine: only the order of magnitude counts.
  milliseconds: (recorded) => recorded * 8,
  // The same of a process under load, whose shortest times are within the slices of the scheduler.
  loadedMilliseconds: (recorded) => recorded * 8 + 100,
  cpuMilliseconds: (recorded) => recorded * 2 + 20,
  // CPU time is steadier than wall time, but another processor may be half as fast.
  virtualSecondsPerCpuSecond: (recorded) => recorded / 2,
};

const HIGHER_IS_BETTER: ReadonlySet<FigureUnit> = new Set(['virtualSecondsPerCpuSecond']);

/** Outcome of comparing figures with recorded ones. */
export interface Comparison {
  readonly regressions: readonly Regression[];
  readonly compared: number;
  /** Figures that are not recorded, or were recorded for another input. */
  readonly notCompared: readonly string[];
}

/** Compares measured figures with recorded ones; NaN is a regression. */
export function compareFigures(measured: readonly Figure[], recorded: Recorded): Comparison {
  const regressions: Regression[] = [];
  const notCompared: string[] = [];
  for (const { id, value, unit, input } of measured) {
    const before = recorded[id];
    if (before?.unit !== unit || before.input !== input) {
      notCompared.push(id);
      continue;
    }
    const bound = BOUND[unit](before.value);
    const isMet = HIGHER_IS_BETTER.has(unit) ? value >= bound : value <= bound;
    if (!isMet) regressions.push({ id, value, recorded: before.value, bound });
  }
  return { regressions, compared: measured.length - notCompared.length, notCompared };
}

/** A line for each simulation whose final state differs from the recorded one, for the same input and Node.js version. */
export function compareEnds(measured: readonly Figure[], recorded: Recorded): readonly string[] {
  return measured.flatMap(({ id, input, end, node }) => {
    const before = recorded[id];
    if (before?.end === undefined || before.input !== input || before.node !== node || before.end === end) return [];
    return [`${id}: the end is ${end ?? 'missing'}, and the recorded end is ${before.end}: the simulation behaves differently`];
  });
}

/** Reads the recorded figures; throws when the file is missing or invalid. */
export function readRecordedFigures(): Recorded {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;
}

/** Records measured figures; the others remain unchanged. @throws where bytes are not positive: something else was freed meanwhile */
export function recordFigures(measured: readonly Figure[]): void {
  const wrong = measured.filter(({ unit, value }) => (unit === 'bytes' || unit === 'residentBytes') && !(value > 0));
  if (wrong.length > 0) throw new Error(`not recorded: ${wrong.map(({ id, value }) => `${id} is ${value} bytes`).join(', ')}`);
  const all = { ...readRecordedFigures(), ...Object.fromEntries(measured.map(({ id, ...figure }) => [id, figure])) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
