import type { IntOrPercent } from './wire/workload.ts';

/**
 * A count, or a percentage of a total: `3`, `"25%"`. @returns undefined for an invalid text, which validation has refused before a
 * controller reads it
 */
export function resolveCount(value: IntOrPercent | undefined, whole: number, round: 'up' | 'down'): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return undefined;
  const exact = (Number(percent) * whole) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
