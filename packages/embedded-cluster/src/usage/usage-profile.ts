import type { Bytes, Millicores, Ratio } from '#kube/units';

/** The ways in which a container's need moves with time. */
export const USAGE_PROFILE_KINDS = [
  'steady',
  'diurnal',
  'weekly',
  'weekly-peak',
  'bursty',
  'steps',
  'ramp',
  'leak',
  'batch',
  'idle-nights',
] as const;
export type UsageProfileKind = (typeof USAGE_PROFILE_KINDS)[number];

/** What one container of one replica needs, at the replica count that its workload began with. */
export interface UsageProfile {
  readonly kind: UsageProfileKind;
  /** CPU in its busiest ordinary minutes. */
  readonly cpuMillicores: Millicores;
  /** Working set when busiest; for `leak`, right after a start. */
  readonly memoryBytes: Bytes;
  /** `leak`: growth for each hour since the container started. */
  readonly leakBytesPerHour: Bytes;
  /** Share of the working set that moves with the load. */
  readonly memorySwing: Ratio;
  /** Share of the working set that is page cache, which the kernel takes back before it kills. */
  readonly cacheShare: Ratio;
  /** CPU wanted while it starts; null: a busy minute's. */
  readonly startupCpuMillicores: Millicores | null;
  /** Working set that a start reaches in its first moments; above the limit it is killed at once. null: as much as it has later. */
  readonly startupMemoryBytes: Bytes | null;
  /** How long a start wants it. null: drawn from the seed. */
  readonly startupSeconds: number | null;
  /** Jobs: how long one run takes. null: drawn from the seed. */
  readonly runSeconds: number | null;
}

/** What a profile is drawn from where a manifest does not state one. */
export interface ProfileContext {
  readonly workloadKind: string;
  /** Request, else limit, else the documented default. */
  readonly cpuMillicores: Millicores;
  readonly memoryBytes: Bytes;
}
