import type { IntOrPercent } from './wire/workload.ts';

/**
 * A count that may be stated as a share of a whole: `3`, `"25%"`.
 * @returns undefined where the text is neither; validation has refused that before a controller reads it
 */
export function resolveCount(value: IntOrPercent | undefined, whole: number, round: 'up' | 'down'): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return undefined;
  const exact = (Number(percent) * whole) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
