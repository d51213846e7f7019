// Recorded usage of one container as CSV: a time column `t_s` or `timestamp`, and `cpu_m` (millicores) and/or `mem_mib`
// (MiB), columns and rows in any order; a column `pod` distinguishes replicas, and other columns are ignored. An empty cell or NaN is a
// value that is not known.

import { DAY_MS, MiB, SECOND_MS } from '#kube/units';
import type { RecordedSamples } from './time-grid.ts';

export type ParsedCsv =
  | ({ readonly ok: true } & Recording)
  /** @property line counts from 1, the header included */
  | { readonly ok: false; readonly line: number; readonly problem: string };

export interface Recording {
  readonly samples: RecordedSamples;
  /** The pod of each sample; absent: all are of one. */
  readonly pods?: readonly string[];
}

const TIME_COLUMNS = ['t_s', 'timestamp'] as const;
/** Seconds of the year 5138: past it a time is in milliseconds. */
const MAX_SECONDS = 1e11;
/** A recording over more than ten years has a wrong time in it, and its grid would not fit into memory. */
const MAX_DAYS = 3660;
const DAY_SECONDS = DAY_MS / SECOND_MS;
/** Clocks set back repeat some times; where more of them stand twice, a file holds more than one recording. */
const MAX_REPEATED_SHARE = 0.1;
/** More millicores or MiB than there are: what a sum over them can still hold. */
const MAX_USAGE = 1e15;
const UNKNOWN = new Set(['', 'nan', 'null']);

class CsvProblem extends Error {
  readonly line: number;
  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

/** Reads a recording whole. The first problem ends it: a recording with one broken row is not to be trusted in part. */
export function parseRecordedCsv(text: string): ParsedCsv {
  try {
    return { ok: true, ...parse(text) };
  } catch (error) {
    if (error instanceof CsvProblem) return { ok: false, line: error.line, problem: error.message };
    throw error;
  }
}

interface Columns {
  readonly time: number;
  readonly cpu: number;
  readonly memory: number;
  readonly pod: number;
  readonly count: number;
}

function parse(text: string): Recording {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const header = lines.findIndex(hasContent);
  if (header < 0) throw new CsvProblem(1, 'the file is empty; expected a header and a row for each sample');
  const columns = columnsOf(lines[header] ?? '', header + 1);
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > header && hasContent(line)) rows.push(rowOf(line, columns, index + 1));
  }
  if (rows.every(({ cpu, memory }) => Number.isNaN(cpu) && Number.isNaN(memory))) {
    throw new CsvProblem(lines.length, 'no samples; expected a row with a time and cpu_m and/or mem_mib under the header');
  }
  refuseUnnamedPods(rows);
  inOrder(rows);
  const samples = {
    seconds: rows.map((row) => row.second),
    cpuMillicores: columns.cpu < 0 ? null : rows.map((row) => row.cpu),
    memoryBytes: columns.memory < 0 ? null : rows.map((row) => row.memory),
  };
  const byPod = Map.groupBy(rows, ({ pod }) => pod);
  for (const [pod, own] of byPod) refuseSeveralContainers(own, byPod.size > 1 ? ` of pod ${shortened(pod)}` : '');
  return byPod.size > 1 ? { samples, pods: rows.map(({ pod }) => pod) } : { samples };
}

/** Rows that name no pod among others that do could be of any replica. */
function refuseUnnamedPods(rows: readonly Row[]): void {
  const unnamed = rows.filter(({ pod }) => pod === '');
  const [first] = unnamed;
  if (first === undefined || unnamed.length === rows.length) return;
  const named = rows.length - unnamed.length;
  throw new CsvProblem(
    first.line,
    `the row names no pod, and ${named} of ${rows.length} rows do; name the pod in each row, or leave the column out`,
  );
}

/** Neither blank nor a comment. */
function hasContent(line: string): boolean {
  const text = line.trimStart();
  return text !== '' && !text.startsWith('#');
}

interface Row {
  /** Counts from 1, the header included. */
  readonly line: number;
  readonly second: number;
  readonly cpu: number;
  readonly memory: number;
  /** Empty where none is named. */
  readonly pod: string;
}

function rowOf(line: string, columns: Columns, at: number): Row {
  const cells = cellsOf(line);
  if (cells.length !== columns.count) {
    throw new CsvProblem(at, `${cells.length} cells where the header names ${columns.count}; write the row whole, or leave it out`);
  }
  return {
    line: at,
    second: secondOf(cells[columns.time] ?? '', at),
    cpu: columns.cpu < 0 ? NaN : valueOf(cells[columns.cpu] ?? '', 'cpu_m', at),
    memory: columns.memory < 0 ? NaN : valueOf(cells[columns.memory] ?? '', 'mem_mib', at) * MiB,
    pod: columns.pod < 0 ? '' : (cells[columns.pod] ?? ''),
  };
}

function columnsOf(line: string, at: number): Columns {
  const names = cellsOf(line.toLowerCase());
  const found = `the header is "${shortened(line.trim())}"`;
  for (const name of [...TIME_COLUMNS, 'cpu_m', 'mem_mib', 'pod']) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw new CsvProblem(at, `column ${name} appears twice; keep one`);
  }
  const times = TIME_COLUMNS.filter((name) => names.includes(name));
  if (times.length === 0) throw new CsvProblem(at, `no column t_s or timestamp; ${found}`);
  if (times.length === 2) throw new CsvProblem(at, 't_s and timestamp both are there; keep the one that counts');
  const [cpu, memory] = [names.indexOf('cpu_m'), names.indexOf('mem_mib')];
  if (cpu < 0 && memory < 0) throw new CsvProblem(at, `no column cpu_m (millicores) or mem_mib (MiB); ${found}`);
  return { time: names.indexOf(times[0] ?? ''), cpu, memory, pod: names.indexOf('pod'), count: names.length };
}

/** Cells without their quotes and outer blanks. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells = line.match(/(?:"(?:[^"]|"")*"|[^,"])+|(?<=^|,)(?=,|$)/g) ?? [];
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
}

function secondOf(cell: string, at: number): number {
  const seconds = /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(cell) ? Number(cell) : timeOf(cell);
  if (!Number.isFinite(seconds)) {
    throw new CsvProblem(at, `"${shortened(cell)}" is no time; expected Unix seconds, or 2026-01-31 13:05:00 (UTC unless a zone is given)`);
  }
  if (seconds < 0) throw new CsvProblem(at, `time ${cell} is negative; count from 0 or from 1970`);
  if (seconds <= MAX_SECONDS) return seconds;
  if (seconds / SECOND_MS > MAX_SECONDS) throw new CsvProblem(at, `time ${cell} is far in the future; give seconds, or milliseconds`);
  return seconds / SECOND_MS;
}

/** NaN where it is no time. Without a zone it is UTC. */
function timeOf(cell: string): number {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i.exec(cell);
  if (parts === null) return NaN;
  const [, date = '', time = '00:00', zone = 'Z'] = parts;
  return Date.parse(`${date}T${time}${zone.toUpperCase() === 'UTC' ? 'Z' : zone.toUpperCase()}`) / 1000;
}

function valueOf(cell: string, column: string, at: number): number {
  if (UNKNOWN.has(cell.toLowerCase())) return NaN;
  const value = Number(cell);
  if (Number.isNaN(value))
    throw new CsvProblem(at, `${column} "${shortened(cell)}" is no number; leave the cell empty where nothing is known`);
  if (!(value >= 0 && value <= MAX_USAGE)) {
    throw new CsvProblem(
      at,
      `${column} ${shortened(cell)} is not a usage; it must be 0 or more, at most 1e15, or empty where nothing is known`,
    );
  }
  return value;
}

/** Puts rows into the order of their times, in place, and looks at what the times say of the whole. */
function inOrder(rows: Row[]): void {
  if (rows.some((row, index) => index > 0 && row.second < (rows[index - 1]?.second ?? 0))) rows.sort((a, b) => a.second - b.second);
  if (((rows.at(-1)?.second ?? 0) - (rows[0]?.second ?? 0)) / DAY_SECONDS > MAX_DAYS) throw leapIn(rows);
}

/** @param rows of one pod, in the order of their times */
function refuseSeveralContainers(rows: readonly Row[], of: string): void {
  const repeated = rows.filter((row, index) => index > 0 && row.second === rows[index - 1]?.second);
  if (repeated.length <= rows.length * MAX_REPEATED_SHARE) return;
  throw new CsvProblem(
    repeated[0]?.line ?? 1,
    `${repeated.length} of ${rows.length} rows${of} have the time of another; are these several containers? Give a file for each, or, for replicas of one, a column pod`,
  );
}

/** Where a recording leaps over years. */
function leapIn(rows: readonly Row[]): CsvProblem {
  const leapTo = (index: number) => (rows[index]?.second ?? 0) - (rows[index - 1]?.second ?? 0);
  let widest = 1;
  for (let index = 2; index < rows.length; index++) if (leapTo(index) > leapTo(widest)) widest = index;
  const days = Math.round(leapTo(widest) / DAY_SECONDS);
  const before = rows[widest - 1]?.line ?? 1;
  return new CsvProblem(
    rows[widest]?.line ?? 1,
    `the time is ${days} days after the row before it in time (line ${before}), and all rows span more than ten years; is one of the two wrong?`,
  );
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
