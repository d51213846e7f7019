// Recorded figures, and the margin beyond which a figure counts as a regression. Margins are wide: machines are noisy, and a
// recommender may trade one figure for another.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'figures.json');

export type FigureUnit = 'changeAgainstVpa' | 'milliseconds' | 'bytes' | 'ratio' | 'virtualMilliseconds' | 'virtualSecondsPerCpuSecond';

/** One figure. Lower is better, but for speeds (`virtualSecondsPerCpuSecond`). */
export interface Figure {
  readonly id: string;
  readonly value: number;
  readonly unit: FigureUnit;
  /** What it was measured on, so that nothing is compared with another input. */
  readonly input: string;
  /** Digest of the end that a simulation came to: the same for the same input and Node.js version. */
  readonly end?: string;
  /** Node.js version that `end` was computed with. */
  readonly node?: string;
}

export interface Regression {
  readonly id: string;
  readonly value: number;
  readonly recorded: number;
  /** The worst value that would still have passed. */
  readonly bound: number;
}

type Recorded = Readonly<Record<string, Omit<Figure, 'id'>>>;

/** The worst value that does not count as a regression. */
const BOUND: Readonly<Record<FigureUnit, (recorded: number) => number>> = {
  changeAgainstVpa: (recorded) => recorded + 0.06,
  ratio: (recorded) => recorded * 1.1 + 0.01,
  bytes: (recorded) => recorded * 1.15,
  // Of a model: the same on every machine.
  virtualMilliseconds: (recorded) => recorded * 1.1,
  // Of another machine, and a busy one: an order of size.
  milliseconds: (recorded) => recorded * 8,
  // CPU time is steadier than wall time, but another processor may well be half as fast.
  virtualSecondsPerCpuSecond: (recorded) => recorded / 2,
};

const HIGHER_IS_BETTER: ReadonlySet<FigureUnit> = new Set(['virtualSecondsPerCpuSecond']);

export interface Comparison {
  readonly regressions: readonly Regression[];
  readonly compared: number;
  /** Not recorded yet, or recorded on another input. */
  readonly notCompared: readonly string[];
}

/** Holds measured figures to recorded ones; a figure that is no number has fallen behind. */
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
    const holds = HIGHER_IS_BETTER.has(unit) ? value >= bound : value <= bound;
    if (!holds) regressions.push({ id, value, recorded: before.value, bound });
  }
  return { regressions, compared: measured.length - notCompared.length, notCompared };
}

/** A line for each figure whose simulation ends otherwise than recorded, on the same input and Node.js version. */
export function compareEnds(measured: readonly Figure[], recorded: Recorded): readonly string[] {
  return measured.flatMap(({ id, input, end, node }) => {
    const before = recorded[id];
    if (before?.end === undefined || before.input !== input || before.node !== node || before.end === end) return [];
    return [`${id}: the end is ${end ?? 'missing'}, and the recorded end is ${before.end}: the simulation behaves differently`];
  });
}

export function readRecordedFigures(): Recorded {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;
}

/** Records figures anew; those that were not measured this time stay. */
export function recordFigures(measured: readonly Figure[]): void {
  const all = { ...readRecordedFigures(), ...Object.fromEntries(measured.map(({ id, ...figure }) => [id, figure])) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
