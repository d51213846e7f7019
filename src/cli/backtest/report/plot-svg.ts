// Plot of one resource of one workload as SVG: usage, and the requests of Evenkeel and VPA.

import type { Resource } from '../../../core/backtest/time-grid.ts';
import { MiB } from '#kube/units';
import { escapeXml } from '../../escape.ts';
import type { Plot } from './plot.ts';

const SIZE = { width: 960, height: 240, left: 64, right: 12, top: 12, bottom: 28 } as const;
const TICKS = 4;
/** Smaller values are seconds since the start of a recording, not Unix time. */
const FIRST_CALENDAR_SECOND = 8 * 365 * 86_400;

const STYLE = [
  '.ek-plot{font:11px system-ui,sans-serif}',
  '.ek-plot text{fill:#4a5560}.ek-plot .grid{stroke:#d9dee3}.ek-plot .warm{fill:#8894a0;opacity:.12}',
  '.ek-plot .range{fill:#3d7fc4;opacity:.22}.ek-plot .mean{stroke:#3d7fc4}.ek-plot .ours{stroke:#0b8a72}.ek-plot .vpa{stroke:#b4552d}',
  '.ek-plot path.line{fill:none;stroke-width:1.4}.ek-plot .vpa{stroke-dasharray:5 3}',
  '@media(prefers-color-scheme:dark){.ek-plot text{fill:#b6bfc8}.ek-plot .grid{stroke:#3a424a}.ek-plot .mean{stroke:#6fb0f2}',
  '.ek-plot .range{fill:#6fb0f2}.ek-plot .ours{stroke:#41d6b4}.ek-plot .vpa{stroke:#f0996b}}',
].join('');

/** Legend of the plot, for a caption. */
export const PLOT_LEGEND =
  'blue: usage (line: mean, area: up to the maximum); green: Evenkeel; orange, dashed: VPA + updater; grey: warm-up, not scored';

export function plotSvg(title: string, resource: Resource, plot: Plot): string {
  const { width, height, left, right, top, bottom } = SIZE;
  const buckets = plot.usageMean.length;
  const maxValue = niceCeiling(Math.max(1, ...known(plot.usageMax), ...known(plot.evenkeel), ...known(plot.vpa)), resource);
  const x = (bucket: number) => left + (bucket / Math.max(1, buckets)) * (width - left - right);
  const y = (value: number) => height - bottom - (value / maxValue) * (height - top - bottom);
  const ticks = Array.from({ length: TICKS + 1 }, (_, tick) => (maxValue * tick) / TICKS);
  const label = escapeXml(title);
  return [
    `<svg class="ek-plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<title>${label}</title><style>${STYLE}</style>`,
    ...ticks.map(
      (tick) =>
        `<line class="grid" x1="${left}" x2="${width - right}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>` +
        `<text x="${left - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${writeAmount(tick, resource)}</text>`,
    ),
    ...timeLabels(plot, buckets).map(
      ({ bucket, text }) => `<text x="${round(x(bucket))}" y="${height - 8}" text-anchor="middle">${text}</text>`,
    ),
    `<rect class="warm" x="${left}" y="${top}" width="${round(x(Math.min(plot.scoredFrom, buckets)) - left)}" height="${height - top - bottom}"/>`,
    `<path class="range" d="${area(plot.usageMax, x, y)}"/>`,
    `<path class="line mean" d="${steps(plot.usageMean, x, y)}"/>`,
    `<path class="line vpa" d="${steps(plot.vpa, x, y)}"/>`,
    `<path class="line ours" d="${steps(plot.evenkeel, x, y)}"/>`,
    '</svg>',
  ].join('');
}

type Scale = (value: number) => number;

/** A step line with gaps at unknown values. */
function steps(values: Float64Array, x: Scale, y: Scale): string {
  let path = '';
  let isDrawing = false;
  for (const [bucket, value] of values.entries()) {
    if (!Number.isNaN(value)) path += `${isDrawing ? 'V' : `M${round(x(bucket))} `}${round(y(value))}H${round(x(bucket + 1))}`;
    isDrawing = !Number.isNaN(value);
  }
  return path;
}

function area(values: Float64Array, x: Scale, y: Scale): string {
  const ground = round(y(0));
  let path = '';
  for (const [bucket, value] of values.entries()) {
    if (!Number.isNaN(value)) path += `M${round(x(bucket))} ${ground}V${round(y(value))}H${round(x(bucket + 1))}V${ground}Z`;
  }
  return path;
}

function timeLabels({ fromSecond, bucketSeconds }: Plot, buckets: number): { bucket: number; text: string }[] {
  return [0.04, 0.27, 0.5, 0.73, 0.95].map((share) => {
    const bucket = Math.round(buckets * share);
    const second = fromSecond + bucket * bucketSeconds;
    const date = new Date(second * 1000).toISOString();
    const isDate = fromSecond >= FIRST_CALENDAR_SECOND;
    return { bucket, text: isDate ? `${date.slice(0, 10)} ${date.slice(11, 16)}` : `day ${((second - fromSecond) / 86_400).toFixed(1)}` };
  });
}

/** `250m`, `1.5` cores; `512 Mi`, `3.5 Gi`. */
export function writeAmount(value: number, resource: Resource): string {
  const short = (number: number) => String(Number(number.toPrecision(3)));
  if (resource === 'cpu') return value >= 1000 ? short(value / 1000) : `${short(value)}m`;
  return value >= 1024 * MiB ? `${short(value / (1024 * MiB))} Gi` : `${short(value / MiB)} Mi`;
}

/** Rounds up to 1, 2, 4 or 5 times a power of ten (memory: a power of two), so that quarters are round numbers. */
function niceCeiling(value: number, resource: Resource): number {
  if (resource === 'memory') return MiB * Math.pow(2, Math.ceil(Math.log2(Math.max(1, value / MiB))));
  const power = Math.pow(10, Math.floor(Math.log10(value)));
  return ([1, 2, 4, 5].find((step) => step * power >= value) ?? 10) * power;
}

function known(values: Float64Array): Float64Array {
  return values.filter((value) => !Number.isNaN(value));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
