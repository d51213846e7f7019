// The recorded usage of the goals, converted to the input of `evenkeel backtest`: one CSV per workload. Units are those of each set's
// SOURCE.md, or assumed where the origin has none.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseRecordedCsv } from '../../src/core/backtest/recorded-csv.ts';
import { type Trace, traceOf } from '../../src/core/backtest/time-grid.ts';

export interface RecordedSet {
  readonly name: string;
  /** Days that are replayed but not scored. */
  readonly warmUpDays: number;
  /** Description of the conversion to `cpu_m` and `mem_mib`, for the output. */
  readonly how: string;
  /** Not part of the goals: for information only. */
  readonly extra: boolean;
  /** CSV text by workload name. */
  readonly workloads: ReadonlyMap<string, string>;
}

type Converter = (folder: string) => RecordedSet | null;

/** Folder of the recordings: EVENKEEL_DATA, else ../shared/data beside the checkout; null when neither exists. */
export function findDataFolder(): string | null {
  const folder = resolve(process.env['EVENKEEL_DATA'] ?? join(import.meta.dirname, '../../../shared/data'));
  return existsSync(folder) ? folder : null;
}

/** Readers of the sets by name; a reader returns null when its set is absent. */
export const CONVERTERS: Readonly<Record<string, Converter>> = {
  'google-borg-2011': convertBorg,
  'bitbrains-rnd': (folder) => convertBitbrains(folder),
  'nab-aws': convertNab,
  'crane-dsp': convertCrane,
  'cloud-pools': convertPools,
  'genai-pod-memory': convertGenai,
  materna: convertMaterna,
};

/** Writes a set's workloads as files. Returns their folder. */
export function writeSet(set: RecordedSet, into: string): string {
  const folder = join(into, set.name);
  mkdirSync(folder, { recursive: true });
  for (const [name, csv] of set.workloads) writeFileSync(join(folder, `${name}.csv`), csv);
  return folder;
}

/** VMs of the Bitbrains set, resampled to the grid, in order of name. @param count maximum number of VMs */
export function bitbrainsTraces(folder: string, count = Infinity): Trace[] {
  return [...(convertBitbrains(folder, count)?.workloads ?? [])].map(([name, csv]) => {
    const parsed = parseRecordedCsv(csv);
    if (!parsed.ok) throw new Error(`${name}:${parsed.line}: ${parsed.problem}`);
    return traceOf(name, parsed.samples);
  });
}

function convertBitbrains(folder: string, count = Infinity): RecordedSet | null {
  const how = 'as it is: t_s, cpu_m and mem_mib are the columns of the files';
  return fromFiles({ folder: join(folder, 'bitbrains-rnd/vm'), name: 'bitbrains-rnd', warmUpDays: 14, how, count }, ({ text }) => text);
}

function convertMaterna(folder: string): RecordedSet | null {
  const how = 'as it is: t_s, cpu_m and mem_mib are the columns of the files';
  return fromFiles({ folder: join(folder, 'materna'), name: 'materna', warmUpDays: 7, how, extra: true }, ({ text }) => text);
}

function convertBorg(folder: string): RecordedSet | null {
  const path = join(folder, 'google-borg-2011/jobs.csv.gz');
  if (!existsSync(path)) return null;
  const { column, rows } = readTable(path);
  const [job, time, cpu, memory] = [column('job'), column('t_s'), column('cpu_pct'), column('mem_pct')];
  const byJob = Map.groupBy(rows, (row) => row[job] ?? '');
  const csv = (ofJob: readonly Row[]) =>
    csvOf(
      't_s,cpu_m,mem_mib',
      ofJob.map((row) => [row[time], scaled(row[cpu], 40), scaled(row[memory], 163.84)]),
    );
  return {
    name: 'google-borg-2011',
    warmUpDays: 3,
    how: 'one file a job; 100 % taken as 4 cores and 16 GiB: cpu_m = cpu_pct × 40, mem_mib = mem_pct × 163.84',
    extra: false,
    workloads: new Map([...byJob].map(([name, ofJob]) => [`job-${name}`, csv(ofJob)])),
  };
}

function convertNab(folder: string): RecordedSet | null {
  // According to SOURCE.md these are percent of a machine; the network and request counts beside them are not CPU.
  const only = /cpu_utilization|grok_asg_anomaly|ec2_request_latency_system_failure/;
  const how = 'the CPU series; percent of a machine whose size is unknown, taken as 4 cores: cpu_m = value × 40';
  return fromFiles({ folder: join(folder, 'nab-aws'), name: 'nab-aws', warmUpDays: 4, how, only }, ({ table: { column, rows } }) => {
    const [time, value] = [column('timestamp'), column('value')];
    return csvOf(
      'timestamp,cpu_m',
      rows.map((row) => [row[time], scaled(row[value], 40)]),
    );
  });
}

function convertCrane(folder: string): RecordedSet | null {
  const how = 'the unit is unknown: each series scaled to a mean of one core, cpu_m = value × 1000 / mean';
  return fromFiles({ folder: join(folder, 'crane-dsp'), name: 'crane-dsp', warmUpDays: 5, how }, ({ table: { column, rows } }) => {
    const [time, value] = [column('ts'), column('value')];
    const numbers = rows.map((row) => Number(row[value] === '' ? NaN : row[value])).filter((number) => !Number.isNaN(number));
    const factor = (1000 * numbers.length) / numbers.reduce((sum, each) => sum + each, 0);
    return csvOf(
      't_s,cpu_m',
      rows.map((row) => [row[time], scaled(row[value], factor)]),
    );
  });
}

function convertPools(folder: string): RecordedSet | null {
  const how = 'raw unit taken as cores: cpu_m = cpu_mean × 1000';
  return fromFiles({ folder: join(folder, 'cloud-pools'), name: 'cloud-pools', warmUpDays: 5, how }, ({ table: { column, rows } }) => {
    const [time, value] = [column('t_s'), column('cpu_mean')];
    return csvOf(
      't_s,cpu_m',
      rows.map((row) => [row[time], scaled(row[value], 1000)]),
    );
  });
}

function convertGenai(folder: string): RecordedSet | null {
  const path = join(folder, 'genai-pod-memory/pod_memory_util.csv.gz');
  if (!existsSync(path)) return null;
  const { column, rows } = readTable(path);
  const [pod, time, value] = [column('pod'), column('t_s'), column('mem_util')];
  const byPod = Map.groupBy(
    rows.filter((row) => row[pod] !== ''),
    (row) => row[pod] ?? '',
  );
  const hours = (ofPod: readonly Row[]): number => {
    const times = ofPod.map((row) => Number(row[time]));
    return (Math.max(...times) - Math.min(...times)) / 3600;
  };
  const csv = (ofPod: readonly Row[]) =>
    csvOf(
      't_s,mem_mib',
      // Rows of the origin are unordered, and some are duplicated.
      [...new Map(ofPod.toSorted((a, b) => Number(a[time]) - Number(b[time])).map((row) => [Number(row[time]), row])).values()].map(
        (row) => [row[time], scaled(row[value], 16_384)],
      ),
    );
  return {
    name: 'genai-pod-memory',
    warmUpDays: 0.5,
    how: 'one file a pod; share of an unknown limit, taken as 16 GiB: mem_mib = mem_util × 16384; pods that lived 18 hours or more; one day alone, half of it warm-up',
    extra: true,
    workloads: new Map([...byPod].filter(([, ofPod]) => hours(ofPod) >= 18).map(([name, ofPod]) => [`pod-${name}`, csv(ofPod)])),
  };
}

type Row = readonly string[];

interface Table {
  /** Index of a column; throws when the column does not exist. */
  readonly column: (name: string) => number;
  readonly rows: readonly Row[];
}

interface FileSet {
  readonly folder: string;
  readonly name: string;
  readonly warmUpDays: number;
  readonly how: string;
  readonly extra?: boolean;
  readonly only?: RegExp;
  readonly count?: number;
}

function fromFiles(set: FileSet, convert: (file: { readonly text: string; readonly table: Table }) => string): RecordedSet | null {
  if (!existsSync(set.folder)) return null;
  const files = readdirSync(set.folder)
    .filter((file) => /\.csv(\.gz)?$/.test(file) && (set.only?.test(file) ?? true))
    .sort()
    .slice(0, set.count);
  const workloads = files.map((file): [string, string] => {
    const text = readText(join(set.folder, file));
    return [file.replace(/\.csv(\.gz)?$/, ''), convert({ text, table: tableOf(file, text) })];
  });
  return { name: set.name, warmUpDays: set.warmUpDays, how: set.how, extra: set.extra ?? false, workloads: new Map(workloads) };
}

function readTable(path: string): Table {
  return tableOf(path, readText(path));
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

function tableOf(path: string, text: string): Table {
  const [names = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const column = (name: string): number => {
    const place = names.indexOf(name);
    if (place < 0) throw new Error(`${path} has no column ${name}; it has ${names.join(', ')}`);
    return place;
  };
  return { column, rows };
}

function scaled(cell: string | undefined, factor: number): string {
  return cell === undefined || cell === '' ? '' : String(Number(cell) * factor);
}

function csvOf(header: string, rows: readonly (readonly (string | undefined)[])[]): string {
  return [header, ...rows.map((row) => row.join(',')), ''].join('\n');
}
