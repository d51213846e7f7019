import { hash32 } from '../clock/seeded-hash.ts';
import type { ProfileContext, UsageProfile, UsageProfileKind } from './usage-profile.ts';

// Weighted by repetition. `leak` and `ramp` are never drawn: a manifest that was not written for the simulator should not
// be killed or outgrow its node by chance.
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

/** Share of the working set that moves with the load where nothing is stated. */
const DEFAULT_MEMORY_SWING = 0.22;

/** The profile of a container whose manifest says nothing: asks for more than it needs, as most do. */
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
