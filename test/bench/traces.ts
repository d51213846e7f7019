// Recorded usage on a 5-minute grid, by the protocol of the baselines: holes up to 15 minutes are carried forward,
// longer ones stay holes (NaN).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** One workload's usage: values by 5-minute slot, NaN where nothing is known. CPU in millicores, memory in bytes. */
export interface Trace {
  readonly name: string;
  readonly cpu: Float64Array | null;
  readonly memory: Float64Array | null;
}

export interface TraceSet {
  readonly name: string;
  /** Days that are fed but not scored. */
  readonly warmUpDays: number;
  readonly traces: readonly Trace[];
}

/** Seconds of one slot of the grid. */
export const SLOT_SECONDS = 300;
export const SLOTS_PER_HOUR = 12;
const MAX_CARRIED_SLOTS = 3;
const MIB = 1024 * 1024;

/** Where the recordings lie: EVENKEEL_DATA, else ../shared/data beside the checkout; null where there are none. */
export function findDataFolder(): string | null {
  const folder = resolve(process.env['EVENKEEL_DATA'] ?? join(import.meta.dirname, '../../../shared/data'));
  return existsSync(folder) ? folder : null;
}

/** The sets of the baselines that are present in a data folder. */
export function loadTraceSets(folder: string): TraceSet[] {
  const sets = [loadBorg, loadBitbrains, loadNab, loadCrane, loadPools].map((load) => load(folder));
  return sets.filter((set) => set !== null && set.traces.length > 0) as TraceSet[];
}

/** VMs of the Bitbrains portion, in order of file name; the first `count` of them where it is given. */
export function loadBitbrains(folder: string, count = Infinity): TraceSet | null {
  return fromFiles(
    folder,
    'bitbrains-rnd/vm',
    'bitbrains-rnd',
    14,
    /\.csv(\.gz)?$/,
    (table) => ({ cpu: grid(table, 't_s', 'cpu_m', 1), memory: grid(table, 't_s', 'mem_mib', MIB) }),
    count,
  );
}

function loadBorg(folder: string): TraceSet | null {
  const path = join(folder, 'google-borg-2011/jobs.csv.gz');
  if (!existsSync(path)) return null;
  const table = readTable(path);
  const byJob = Map.groupBy(table.rows, (row) => row[table.names.indexOf('job')] ?? '');
  // 100 % is taken as 4 cores and 16 GiB, as the baselines do.
  const traces = [...byJob].map(([job, rows]) => ({
    name: `borg-${job}`,
    cpu: grid({ ...table, rows }, 't_s', 'cpu_pct', 40),
    memory: grid({ ...table, rows }, 't_s', 'mem_pct', 163.84 * MIB),
  }));
  return { name: 'google-borg-2011', warmUpDays: 3, traces };
}

function loadNab(folder: string): TraceSet | null {
  // Percent of a machine whose size is not told: 4 cores, as for Borg.
  const files = /(cpu_utilization|grok_asg|ec2_request_latency).*\.csv$/;
  return fromFiles(folder, 'nab-aws', 'nab-aws', 4, files, (table) => ({ cpu: grid(table, 'timestamp', 'value', 40), memory: null }));
}

function loadCrane(folder: string): TraceSet | null {
  return fromFiles(folder, 'crane-dsp', 'crane-dsp', 5, /\.csv(\.gz)?$/, (table) => {
    const raw = grid(table, 'ts', 'value', 1);
    // The unit is not stated: a mean of one core.
    const known = raw.filter((value) => !Number.isNaN(value));
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    return { cpu: raw.map((value) => (value * 1000) / mean), memory: null };
  });
}

function loadPools(folder: string): TraceSet | null {
  return fromFiles(folder, 'cloud-pools', 'cloud-pools', 5, /\.csv(\.gz)?$/, (table) => ({
    cpu: grid(table, 't_s', 'cpu_mean', 1000),
    memory: null,
  }));
}

interface Table {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function fromFiles(
  folder: string,
  sub: string,
  name: string,
  warmUpDays: number,
  pattern: RegExp,
  read: (table: Table) => { cpu: Float64Array; memory: Float64Array | null },
  count = Infinity,
): TraceSet | null {
  const path = join(folder, sub);
  if (!existsSync(path)) return null;
  const files = readdirSync(path)
    .filter((file) => pattern.test(file))
    .sort()
    .slice(0, count);
  return { name, warmUpDays, traces: files.map((file) => ({ name: file, ...read(readTable(join(path, file))) })) };
}

function readTable(path: string): Table {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const [names = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  return { names, rows };
}

function grid(table: Table, timeName: string, valueName: string, factor: number): Float64Array {
  const [timeColumn, valueColumn] = [table.names.indexOf(timeName), table.names.indexOf(valueName)];
  const slots: number[] = [];
  const values: number[] = [];
  for (const row of table.rows) {
    const slot = Math.floor(secondsOf(row[timeColumn] ?? '') / SLOT_SECONDS);
    const value = row[valueColumn] === '' ? NaN : Number(row[valueColumn]);
    if (!(slot >= 0) || !(value >= 0)) continue;
    slots.push(slot);
    values.push(value * factor);
  }
  const first = slots[0] ?? 0;
  const last = slots.reduce((most, slot) => Math.max(most, slot), first - 1);
  const sums = new Float64Array(last - first + 1);
  const counts = new Uint16Array(last - first + 1);
  for (const [index, slot] of slots.entries()) {
    if (slot < first) continue;
    sums[slot - first]! += values[index]!;
    counts[slot - first]! += 1;
  }
  return carried(sums, counts);
}

function carried(sums: Float64Array, counts: Uint16Array): Float64Array {
  const out = new Float64Array(sums.length).fill(NaN);
  let value = NaN;
  let age = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0) value = sums[index]! / count;
    age = count > 0 ? 0 : age + 1;
    if (age <= MAX_CARRIED_SLOTS) out[index] = value;
  }
  return out;
}

/** Unix seconds, or a time like `2014-02-14 14:30:00` in UTC. */
function secondsOf(text: string): number {
  return text.includes('-') ? Date.parse(`${text.replace(' ', 'T')}Z`) / 1000 : Number(text === '' ? NaN : text);
}
