import type { Bytes, Millicores } from '../units.ts';

/** CPU and memory, both known. */
export interface Resources {
  readonly cpuMillicores: Millicores;
  readonly memoryBytes: Bytes;
}

/** CPU and memory; null: not set or unknown, never 0. */
export interface OptionalResources {
  readonly cpuMillicores: Millicores | null;
  readonly memoryBytes: Bytes | null;
}

/** The resources that Evenkeel sizes. */
export type ResourceName = 'cpu' | 'memory';

export const NO_RESOURCES: Resources = { cpuMillicores: 0, memoryBytes: 0 };
export const UNSET_RESOURCES: OptionalResources = { cpuMillicores: null, memoryBytes: null };

/** Requests and limits of a container. */
export interface RequestsAndLimits {
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
}

/** Sum; null counts as 0. */
export function addResources(a: Resources, b: OptionalResources): Resources {
  return {
    cpuMillicores: a.cpuMillicores + (b.cpuMillicores ?? 0),
    memoryBytes: a.memoryBytes + (b.memoryBytes ?? 0),
  };
}

/** Sum of two values; null counts as 0 unless both are null. */
export function addKnown(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

/** Sum by resource; null if all values are null. */
export function sumKnown(all: readonly OptionalResources[]): OptionalResources {
  return all.reduce(
    (sum, amounts) => ({
      cpuMillicores: addKnown(sum.cpuMillicores, amounts.cpuMillicores),
      memoryBytes: addKnown(sum.memoryBytes, amounts.memoryBytes),
    }),
    UNSET_RESOURCES,
  );
}

/** Each value, or its default if it is null. */
export function withDefaults(amounts: OptionalResources, defaults: OptionalResources): OptionalResources {
  return {
    cpuMillicores: amounts.cpuMillicores ?? defaults.cpuMillicores,
    memoryBytes: amounts.memoryBytes ?? defaults.memoryBytes,
  };
}

/** Maximum of two values, ignoring null; null: both are null. */
export function greaterAmount(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** Maximum by resource, ignoring null; null: both are null. */
export function greaterResources(a: OptionalResources, b: OptionalResources): OptionalResources {
  return { cpuMillicores: greaterAmount(a.cpuMillicores, b.cpuMillicores), memoryBytes: greaterAmount(a.memoryBytes, b.memoryBytes) };
}

/** The amount, raised to a minimum. An unset amount (null) stays unset; a minimum of null is none. */
export function raiseAmount(amount: number | null, min: number | null): number | null {
  return amount === null || min === null ? amount : Math.max(amount, min);
}

/** Each amount, raised to its minimum as in `raiseAmount`. */
export function raiseResources(amounts: OptionalResources, min: OptionalResources): OptionalResources {
  return {
    cpuMillicores: raiseAmount(amounts.cpuMillicores, min.cpuMillicores),
    memoryBytes: raiseAmount(amounts.memoryBytes, min.memoryBytes),
  };
}

/** The amount, lowered to a maximum. An unset amount (null) stays unset; a maximum of null is none. */
export function capAmount(amount: number | null, max: number | null): number | null {
  return amount === null || max === null ? amount : Math.min(amount, max);
}

/** Sum of values that are all known; null: at least one is null. */
export function sumIfAllKnown(values: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

export function isSameResources(a: OptionalResources, b: OptionalResources): boolean {
  return a.cpuMillicores === b.cpuMillicores && a.memoryBytes === b.memoryBytes;
}
