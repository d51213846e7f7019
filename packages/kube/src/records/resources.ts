import type { Bytes, Millicores } from '../units.ts';

/** CPU and memory, both known. */
export interface Resources {
  readonly cpuMillicores: Millicores;
  readonly memoryBytes: Bytes;
}

/** CPU and memory where either may be absent: not set, or not known. Absent is null, never 0. */
export interface OptionalResources {
  readonly cpuMillicores: Millicores | null;
  readonly memoryBytes: Bytes | null;
}

export type ResourceName = 'cpu' | 'memory';

export const NO_RESOURCES: Resources = { cpuMillicores: 0, memoryBytes: 0 };
export const UNSET_RESOURCES: OptionalResources = { cpuMillicores: null, memoryBytes: null };

/** What a container asks for and may use at most. */
export interface RequestsAndLimits {
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
}

/** Sum, an absent value counting as nothing. */
export function addResources(a: Resources, b: OptionalResources): Resources {
  return {
    cpuMillicores: a.cpuMillicores + (b.cpuMillicores ?? 0),
    memoryBytes: a.memoryBytes + (b.memoryBytes ?? 0),
  };
}

/** Sum of what is known of both; null: neither is known. */
export function addKnown(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

/** Sum of what is known of all; a resource that none of them knows is null. */
export function sumKnown(all: readonly OptionalResources[]): OptionalResources {
  return all.reduce(
    (sum, each) => ({
      cpuMillicores: addKnown(sum.cpuMillicores, each.cpuMillicores),
      memoryBytes: addKnown(sum.memoryBytes, each.memoryBytes),
    }),
    UNSET_RESOURCES,
  );
}

/** Each amount, or the default where it is absent. */
export function withDefaults(amounts: OptionalResources, defaults: OptionalResources): OptionalResources {
  return {
    cpuMillicores: amounts.cpuMillicores ?? defaults.cpuMillicores,
    memoryBytes: amounts.memoryBytes ?? defaults.memoryBytes,
  };
}

/** The greater of two amounts, of which either may be absent; null: both are. */
export function greaterAmount(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** The greater of each; null where both are absent. */
export function greaterResources(a: OptionalResources, b: OptionalResources): OptionalResources {
  return { cpuMillicores: greaterAmount(a.cpuMillicores, b.cpuMillicores), memoryBytes: greaterAmount(a.memoryBytes, b.memoryBytes) };
}

export function sameResources(a: OptionalResources, b: OptionalResources): boolean {
  return a.cpuMillicores === b.cpuMillicores && a.memoryBytes === b.memoryBytes;
}
