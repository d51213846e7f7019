import { hash32 } from '../clock/seeded-hash.ts';
import type { ProfileContext, UsageProfile, UsageProfileKind } from './usage-profile.ts';

// Weighted by repetition. `leak` and `ramp` are never drawn: a manifest that was not written for the embedded cluster should not be
// OOM-killed or outgrow its node by chance.
const SERVING: readonly UsageProfileKind[] = [
  'steady',
  'steady',
  'diurnal',
  'diurnal',
  'diurnal',
  'weekly',
  'weekly',
  'bursty',
  'bursty',
  'idle-nights',
];

/** Default share of the working set that varies with the load. */
const DEFAULT_MEMORY_SWING = 0.22;

/** Default profile of a container without the annotation: over-provisioned, like most. */
export function defaultProfile(seed: number, context: ProfileContext): UsageProfile {
  return {
    kind: kindFor(seed, context.workloadKind),
    cpuMillicores: context.cpuMillicores * spread(seed, 1, 0.15, 0.6),
    memoryBytes: context.memoryBytes * spread(seed, 2, 0.3, 0.7),
    leakBytesPerHour: 0,
    memorySwing: DEFAULT_MEMORY_SWING,
    cacheShare: 0,
    startupCpuMillicores: null,
    startupMemoryBytes: null,
    startupSeconds: null,
    runSeconds: null,
  };
}

function kindFor(seed: number, workloadKind: string): UsageProfileKind {
  if (workloadKind === 'Job' || workloadKind === 'CronJob') return 'batch';
  if (workloadKind === 'DaemonSet') return 'steady';
  return SERVING[hash32(seed, 3) % SERVING.length] ?? 'steady';
}

function spread(seed: number, index: number, from: number, to: number): number {
  return from + (hash32(seed, index) / 0x100000000) * (to - from);
}
