// Recorded usage of one container as CSV: a time column `t_s` or `timestamp`, and `cpu_m` (millicores) and/or `mem_mib`
// (MiB), in any order; other columns are ignored. An empty cell or NaN is a value that is not known.

import { MiB } from '../model/units.ts';
import type { RecordedSamples } from './time-grid.ts';

export type ParsedCsv =
  | { readonly ok: true; readonly samples: RecordedSamples }
  /** @property line counts from 1, the header included */
  | { readonly ok: false; readonly line: number; readonly problem: string };

const TIME_COLUMNS = ['t_s', 'timestamp'] as const;
/** Seconds of the year 5138: past it a time is in milliseconds. */
const MOST_SECONDS = 1e11;

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
    return { ok: true, samples: parse(text) };
  } catch (error) {
    if (error instanceof CsvProblem) return { ok: false, line: error.line, problem: error.message };
    throw error;
  }
}

interface Columns {
  readonly time: number;
  readonly cpu: number;
  readonly memory: number;
  readonly count: number;
}

function parse(text: string): RecordedSamples {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const header = lines.findIndex((line) => line.trim() !== '');
  if (header < 0) throw new CsvProblem(1, 'the file is empty; expected a header and a row for each sample');
  const columns = columnsOf(lines[header] ?? '', header + 1);
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > header && line.trim() !== '') rows.push(rowOf(line, columns, index + 1, rows.at(-1)));
  }
  if (rows.every(({ cpu, memory }) => Number.isNaN(cpu) && Number.isNaN(memory))) {
    throw new CsvProblem(lines.length, 'no samples; expected a row with a time and cpu_m and/or mem_mib under the header');
  }
  return {
    seconds: rows.map((row) => row.second),
    cpuMillicores: columns.cpu < 0 ? null : rows.map((row) => row.cpu),
    memoryBytes: columns.memory < 0 ? null : rows.map((row) => row.memory),
  };
}

interface Row {
  readonly second: number;
  readonly cpu: number;
  readonly memory: number;
}

function rowOf(line: string, columns: Columns, at: number, before: Row | undefined): Row {
  const cells = cellsOf(line);
  if (cells.length !== columns.count) {
    throw new CsvProblem(at, `${cells.length} cells where the header names ${columns.count}; write the row whole, or leave it out`);
  }
  const second = secondOf(cells[columns.time] ?? '', at);
  if (before !== undefined && second <= before.second) throw new CsvProblem(at, notAscending(second, before.second));
  return {
    second,
    cpu: columns.cpu < 0 ? NaN : valueOf(cells[columns.cpu] ?? '', 'cpu_m', at),
    memory: columns.memory < 0 ? NaN : valueOf(cells[columns.memory] ?? '', 'mem_mib', at) * MiB,
  };
}

function columnsOf(line: string, at: number): Columns {
  const names = cellsOf(line);
  const found = `the header is "${shortened(line.trim())}"`;
  for (const name of [...TIME_COLUMNS, 'cpu_m', 'mem_mib']) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw new CsvProblem(at, `column ${name} stands twice; keep one`);
  }
  const times = TIME_COLUMNS.filter((name) => names.includes(name));
  if (times.length === 0) throw new CsvProblem(at, `no column t_s or timestamp; ${found}`);
  if (times.length === 2) throw new CsvProblem(at, 't_s and timestamp both are there; keep the one that counts');
  const [cpu, memory] = [names.indexOf('cpu_m'), names.indexOf('mem_mib')];
  if (cpu < 0 && memory < 0) throw new CsvProblem(at, `no column cpu_m (millicores) or mem_mib (MiB); ${found}`);
  return { time: names.indexOf(times[0] ?? ''), cpu, memory, count: names.length };
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
  if (seconds > MOST_SECONDS) throw new CsvProblem(at, `time ${cell} is far in the future; are these milliseconds? Give seconds`);
  return seconds;
}

/** NaN where it is no time. Without a zone it is UTC. */
function timeOf(cell: string): number {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i.exec(cell);
  if (parts === null) return NaN;
  const [, date = '', time = '00:00', zone = 'Z'] = parts;
  return Date.parse(`${date}T${time}${zone.toUpperCase() === 'UTC' ? 'Z' : zone.toUpperCase()}`) / 1000;
}

function valueOf(cell: string, column: string, at: number): number {
  if (cell === '' || cell.toLowerCase() === 'nan') return NaN;
  const value = Number(cell);
  if (Number.isNaN(value))
    throw new CsvProblem(at, `${column} "${shortened(cell)}" is no number; leave the cell empty where nothing is known`);
  if (!(value >= 0 && value < Infinity)) {
    throw new CsvProblem(at, `${column} ${shortened(cell)} is not a usage; it must be 0 or more, or empty where nothing is known`);
  }
  return value;
}

function notAscending(second: number, before: number): string {
  const said = second === before ? 'the time of the row before stands here again' : 'the time is before that of the row before';
  return `${said}; sort the rows by time and keep one for each`;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
