// Recorded usage: one CSV per container, header `t_s` and `cpu_m` and/or `mem_mib`. Parsing is pure; files are read in
// recording-files.ts.

import { MiB, type Bytes, type DurationMs, type Instant, type Millicores } from '#kube/units';
import type { DemandCurve } from './demand-curve.ts';

/** One recorded series, compact. Times are seconds since its first row; a column that was not recorded is null. */
export interface Recording {
  readonly name: string;
  readonly offsetSeconds: Uint32Array;
  readonly cpuMillicores: Float32Array | null;
  readonly memoryMib: Float32Array | null;
  /** Length in seconds, after which the recording repeats. */
  readonly periodSeconds: number;
  readonly peakCpuMillicores: number;
  readonly peakMemoryMib: number;
  /** Dropped rows, by reason. */
  readonly dropped: { readonly notANumber: number; readonly negative: number; readonly unsorted: number };
}

/** A file that is not a recording: with file, line and remedy. */
export class RecordingError extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
    this.name = 'RecordingError';
  }
}

const COLUMNS = ['t_s', 'cpu_m', 'mem_mib'] as const;
/** Seconds between rows when a recording has a single one. */
const DEFAULT_STEP_SECONDS = 300;

/**
 * Parses a recording. Rows with NaN, a missing or a negative value, and rows that do not ascend in time are dropped and counted. Throws
 * RecordingError for an unknown header, a text that is not a number, or no usable row.
 */
export function parseRecording(file: string, text: string): Recording {
  const lines = text.split(/\r?\n/);
  const columns = parseHeader(file, lines[0] ?? '');
  const builder = new RecordingBuilder(columns.cpu >= 0, columns.memory >= 0, lines.length);
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    const cells = line.split(',');
    if (cells.length !== columns.count) {
      throw new RecordingError(file, index + 1, `${cells.length} values where the header names ${columns.count}`);
    }
    builder.add(
      numberIn(file, index + 1, cells[columns.time]),
      columns.cpu < 0 ? 0 : numberIn(file, index + 1, cells[columns.cpu]),
      columns.memory < 0 ? 0 : numberIn(file, index + 1, cells[columns.memory]),
    );
  }
  if (builder.count === 0) throw new RecordingError(file, lines.length, 'no usable row; expected numbers under the header');
  return builder.build(file);
}

interface ColumnPlaces {
  readonly time: number;
  readonly cpu: number;
  readonly memory: number;
  readonly count: number;
}

function parseHeader(file: string, line: string): ColumnPlaces {
  const names = line
    .replace(/^\uFEFF/, '')
    .split(',')
    .map((name) => name.trim());
  const [time = -1, cpu = -1, memory = -1] = COLUMNS.map((name) => names.indexOf(name));
  if (time < 0 || (cpu < 0 && memory < 0)) {
    throw new RecordingError(file, 1, `header "${line.slice(0, 80)}" must name t_s and cpu_m and/or mem_mib`);
  }
  return { time, cpu, memory, count: names.length };
}

function numberIn(file: string, line: number, cell = ''): number {
  const text = cell.trim();
  if (text === '' || text.toLowerCase() === 'nan') return Number.NaN;
  const value = Number(text);
  if (Number.isNaN(value)) throw new RecordingError(file, line, `"${text.slice(0, 40)}" is no number`);
  return value;
}

class RecordingBuilder {
  readonly #offsets: Uint32Array;
  readonly #cpu: Float32Array | null;
  readonly #memory: Float32Array | null;
  readonly #dropped = { notANumber: 0, negative: 0, unsorted: 0 };
  #first = 0;
  count = 0;

  constructor(hasCpu: boolean, hasMemory: boolean, capacity: number) {
    this.#offsets = new Uint32Array(capacity);
    this.#cpu = hasCpu ? new Float32Array(capacity) : null;
    this.#memory = hasMemory ? new Float32Array(capacity) : null;
  }

  add(time: number, cpu: number, memory: number): void {
    if (!Number.isFinite(time) || !Number.isFinite(cpu) || !Number.isFinite(memory)) this.#dropped.notANumber++;
    else if (time < 0 || cpu < 0 || memory < 0) this.#dropped.negative++;
    else if (this.count > 0 && Math.round(time - this.#first) <= (this.#offsets[this.count - 1] ?? 0)) this.#dropped.unsorted++;
    else {
      if (this.count === 0) this.#first = time;
      this.#offsets[this.count] = Math.round(time - this.#first);
      if (this.#cpu !== null) this.#cpu[this.count] = cpu;
      if (this.#memory !== null) this.#memory[this.count] = memory;
      this.count++;
    }
  }

  build(name: string): Recording {
    const offsetSeconds = this.#offsets.slice(0, this.count);
    const cpuMillicores = this.#cpu?.slice(0, this.count) ?? null;
    const memoryMib = this.#memory?.slice(0, this.count) ?? null;
    return {
      name,
      offsetSeconds,
      cpuMillicores,
      memoryMib,
      periodSeconds: (offsetSeconds.at(-1) ?? 0) + medianStep(offsetSeconds),
      peakCpuMillicores: highest(cpuMillicores),
      peakMemoryMib: highest(memoryMib),
      dropped: this.#dropped,
    };
  }
}

function medianStep(offsets: Uint32Array): number {
  const steps = offsets.slice(1).map((offset, index) => offset - (offsets[index] ?? 0));
  return steps.sort()[steps.length >> 1] ?? DEFAULT_STEP_SECONDS;
}

function highest(values: Float32Array | null): number {
  let peak = 0;
  if (values !== null) for (const value of values) if (value > peak) peak = value;
  return peak;
}

/** Factor of the recorded values. 1: unscaled. */
export interface RecordingScale {
  readonly cpu: number;
  readonly memory: number;
}

export const AS_RECORDED: RecordingScale = { cpu: 1, memory: 1 };

/** A recording as a curve: each row applies until the next one, and the whole repeats. Missing columns come from `fallback`. */
export class RecordedCurve implements DemandCurve {
  readonly busyCpuMillicores: Millicores;
  readonly #recording: Recording;
  readonly #scale: RecordingScale;
  readonly #fallback: DemandCurve;
  readonly #epoch: Instant;
  /** Row of the last look-up: time mostly advances by one row. A cache, never part of a result. */
  #hint = 0;

  /** @param epoch time of the first row */
  constructor(recording: Recording, scale: RecordingScale, fallback: DemandCurve, epoch: Instant) {
    this.#recording = recording;
    this.#scale = scale;
    this.#fallback = fallback;
    this.#epoch = epoch;
    this.busyCpuMillicores = recording.cpuMillicores === null ? fallback.busyCpuMillicores : recording.peakCpuMillicores * scale.cpu;
  }

  cpuMillicores(at: Instant): Millicores {
    const { cpuMillicores } = this.#recording;
    if (cpuMillicores === null) return this.#fallback.cpuMillicores(at);
    return (cpuMillicores[this.#rowAt(at)] ?? 0) * this.#scale.cpu;
  }

  memoryBytes(at: Instant, runningMs: DurationMs): Bytes {
    const { memoryMib } = this.#recording;
    if (memoryMib === null) return this.#fallback.memoryBytes(at, runningMs);
    return (memoryMib[this.#rowAt(at)] ?? 0) * this.#scale.memory * MiB;
  }

  #rowAt(at: Instant): number {
    const { offsetSeconds, periodSeconds } = this.#recording;
    const since = Math.max(0, (at - this.#epoch) / 1000);
    const offset = since % periodSeconds;
    const hint = this.#hint;
    if ((offsetSeconds[hint] ?? Infinity) <= offset) {
      if ((offsetSeconds[hint + 1] ?? Infinity) > offset) return hint;
      if ((offsetSeconds[hint + 2] ?? Infinity) > offset) return (this.#hint = hint + 1);
    }
    return (this.#hint = lastAtOrBefore(offsetSeconds, offset));
  }
}

function lastAtOrBefore(offsets: Uint32Array, offset: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
