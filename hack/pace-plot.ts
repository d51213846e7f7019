// Draws docs/images/pace.svg: recorded CPU usage and the request of Evenkeel's recommender at pace Daily, as `evenkeel backtest` replays it.
// The colours are readable on light and on dark backgrounds, since an image does not follow the theme of the page around it.
//   node hack/pace-plot.ts

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { evenkeelPolicy } from '../src/core/backtest/evenkeel-policy.ts';
import { parseRecordedCsv } from '../src/core/backtest/recorded-csv.ts';
import { replay } from '../src/core/backtest/replay.ts';
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, traceOf } from '../src/core/backtest/time-grid.ts';
import { CONVERTERS, findDataFolder } from '../test/bench/recorded-sets.ts';

/** One-minute series of a cloud service from gocrane/crane (Apache-2.0), with a daily pattern. */
const SET = 'crane-dsp';
const WORKLOAD = 'series14';
/** Days that are drawn, the last of the recording: the recommender has seen all days before. */
const DAYS = 5;
const SIZE = { width: 960, height: 260, left: 56, right: 12, top: 30, bottom: 26 } as const;
const USAGE = '#4a8fd6';
const REQUEST = '#12a386';
const TEXT = '#7d8590';

const file = join(import.meta.dirname, '..', 'docs', 'images', 'pace.svg');
const folder = findDataFolder();
const csv = folder === null ? undefined : CONVERTERS[SET]?.(folder)?.workloads.get(WORKLOAD);
if (csv === undefined) throw new Error(`no recording ${SET}/${WORKLOAD}: set EVENKEEL_DATA to the folder of the recordings`);
const parsed = parseRecordedCsv(csv);
if (!parsed.ok) throw new Error(`${WORKLOAD}, line ${parsed.line}: ${parsed.problem}`);
const { cpu, firstSlot } = traceOf(WORKLOAD, parsed.samples);
if (cpu === null) throw new Error(`${WORKLOAD} has no CPU usage`);

const requests = replay(cpu, firstSlot, evenkeelPolicy('cpu', { goal: 'Balanced', pace: 'Daily' }));
const from = cpu.length - DAYS * SLOTS_PER_DAY;
const usage = [...cpu.subarray(from)];
const request = [...requests.subarray(from)];
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, svgOf());
const days = Math.round(cpu.length / SLOTS_PER_DAY);
console.log(
  `${SET}/${WORKLOAD}: days ${days - DAYS} to ${days}; the request rises ${changes(1)} times and falls ${changes(-1)} times, and usage is above it in ${usage.filter((value, slot) => value > (request[slot] ?? 0)).length} of ${usage.length} slots of 5 minutes`,
);

function changes(sign: 1 | -1): number {
  return request.filter((value, slot) => slot > 0 && Math.sign(value - (request[slot - 1] ?? value)) === sign).length;
}

function svgOf(): string {
  const { width, height, left, right, top, bottom } = SIZE;
  const max = Math.max(...usage, ...request) * 1.05;
  const x = (slot: number): number => round(left + (slot / usage.length) * (width - left - right));
  const y = (value: number): number => round(height - bottom - (value / max) * (height - top - bottom));
  // Means of half an hour keep the file small.
  const step = SLOTS_PER_HOUR / 2;
  const means = Array.from({ length: usage.length / step }, (_, index) => mean(usage.slice(index * step, (index + 1) * step)));
  const usageLine = means.map((value, index) => `${index === 0 ? 'M' : 'L'}${x((index + 0.5) * step)} ${y(value)}`).join('');
  const requestLine = request.flatMap((value, slot) => {
    if (slot === 0) return `M${x(0)} ${y(value)}`;
    return value === request[slot - 1] ? [] : `H${x(slot)}V${y(value)}`;
  });
  const dayLabels = Array.from({ length: DAYS }, (_, day) => {
    const at = x((day + 0.5) * SLOTS_PER_DAY);
    const line = x(day * SLOTS_PER_DAY);
    return `<path d="M${line} ${top}V${height - bottom}" stroke="${TEXT}" stroke-opacity=".3"/><text x="${at}" y="${height - 8}" text-anchor="middle">day ${day + 1}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="12" fill="${TEXT}" role="img">`,
    '<title>CPU usage of a service over five days, and its request at pace Daily</title>',
    ...dayLabels,
    `<path d="M${left} ${height - bottom}H${width - right}" stroke="${TEXT}"/>`,
    `<text x="${left}" y="18" fill="${REQUEST}" font-weight="600">request (Evenkeel, pace Daily)</text>`,
    `<text x="${left + 240}" y="18" fill="${USAGE}" font-weight="600">CPU usage</text>`,
    ...[0, 0.5, 1].map((share) => `<text x="${left - 6}" y="${y(max * share) + 4}" text-anchor="end">${Math.round(max * share)}m</text>`),
    `<path d="${usageLine}" fill="none" stroke="${USAGE}" stroke-width="1.5"/>`,
    `<path d="${requestLine.join('')}H${x(usage.length)}" fill="none" stroke="${REQUEST}" stroke-width="2"/>`,
    '</svg>',
    '',
  ].join('\n');
}

function mean(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
