// Plot geometry: points to SVG paths. Pure.

/** A value at a time (milliseconds); null: unknown. */
export interface PlotPoint {
  readonly at: number;
  readonly value: number | null;
}

type Scale = (value: number) => number;

/** SVG path of a line with gaps where values are unknown, which are never drawn as zero. */
export function linePath(points: readonly PlotPoint[], x: Scale, y: Scale): string {
  return runs(points)
    .map((run) => run.map((point, index) => `${index === 0 ? 'M' : 'L'}${at(x, y, point)}`).join(''))
    .join('');
}

/** SVG path of the area between a line and a lower one, or the baseline where `lower` is null. */
export function areaPath(upper: readonly PlotPoint[], lower: readonly PlotPoint[] | null, x: Scale, y: Scale): string {
  const below = lower === null ? null : new Map(lower.map((point) => [point.at, point.value]));
  const bounded = upper.map((point) => (below !== null && (below.get(point.at) ?? null) === null ? { ...point, value: null } : point));
  return runs(bounded)
    .map((run) => {
      const back = [...run].reverse().map((point) => ({ at: point.at, value: below === null ? 0 : (below.get(point.at) ?? 0) }));
      return `${run.map((point, index) => `${index === 0 ? 'M' : 'L'}${at(x, y, point)}`).join('')}${back.map((point) => `L${at(x, y, point)}`).join('')}Z`;
    })
    .join('');
}

/** Time spans of unknown values between known ones, drawn as pale blocks. */
export function gaps(points: readonly PlotPoint[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  let lastKnown: number | null = null;
  let missing = false;
  for (const point of points) {
    if (point.value === null) {
      missing = true;
      continue;
    }
    if (missing && lastKnown !== null) found.push([lastKnown, point.at]);
    lastKnown = point.at;
    missing = false;
  }
  return found;
}

/** Top of an axis from zero: the smallest round number above the value, in cores or GiB. 0 without values. */
export function axisTop(highest: number, unit: 'millicores' | 'bytes'): number {
  if (highest <= 0) return 0;
  const base = unit === 'millicores' ? 1000 : 2 ** 30;
  const scaled = highest / base;
  const power = 10 ** Math.floor(Math.log10(scaled));
  const step = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((each) => each * power >= scaled * 1.02) ?? 12;
  return step * power * base;
}

/** Moves places to be at least `apart` from each other in order of value, as little as possible. */
export function spread(places: readonly number[], apart: number): readonly number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const moved: number[] = [];
  for (const { place } of order) moved.push(Math.max(place, (moved.at(-1) ?? -Infinity) + apart));
  // Half of the shift is applied upwards, so that a cluster of labels is centred on its lines.
  const excess = Math.max(0, ...moved.map((place, index) => place - (order[index]?.place ?? place)));
  const result = places.slice();
  order.forEach(({ index }, position) => {
    result[index] = (moved[position] ?? 0) - excess / 2;
  });
  return result;
}

function runs(points: readonly PlotPoint[]): readonly (readonly { at: number; value: number }[])[] {
  const all: { at: number; value: number }[][] = [[]];
  for (const { at: time, value } of points) {
    if (value === null) all.push([]);
    else all.at(-1)?.push({ at: time, value });
  }
  return all.filter((run) => run.length > 0);
}

function at(x: Scale, y: Scale, point: { at: number; value: number }): string {
  return `${round(x(point.at))} ${round(y(point.value))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
