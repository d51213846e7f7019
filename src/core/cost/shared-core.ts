/** Machine types of Compute Engine that share cores: they state more CPU than they sustain, so that pods must not be packed by it. */
const SHARED_CORE_TYPES: ReadonlySet<string> = new Set(['e2-micro', 'e2-small', 'e2-medium', 'f1-micro', 'g1-small']);

export function isSharedCore(machineType: string): boolean {
  return SHARED_CORE_TYPES.has(machineType);
}
