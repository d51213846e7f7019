import type { Bytes, Millicores, Ratio } from '#kube/units';

/** Shapes of a container's demand over time. */
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

/** Demand of one container of one replica, at the initial replica count of its workload. */
export interface UsageProfile {
  readonly kind: UsageProfileKind;
  /** CPU in its busiest ordinary minutes. */
  readonly cpuMillicores: Millicores;
  /** Working set at its peak; for `leak`, right after a start. */
  readonly memoryBytes: Bytes;
  /** `leak`: growth per hour since the container's start. */
  readonly leakBytesPerHour: Bytes;
  /** Share of the working set that varies with the load. */
  readonly memorySwing: Ratio;
  /** Share of the working set that is page cache, which the kernel reclaims before an OOM kill. */
  readonly cacheShare: Ratio;
  /** CPU demand during the start; null: that of a busy minute. */
  readonly startupCpuMillicores: Millicores | null;
  /** Working set in the first moments of a start; above the limit it is OOM-killed at once. null: as later. */
  readonly startupMemoryBytes: Bytes | null;
  /** Duration of the start's demand. null: drawn from the seed. */
  readonly startupSeconds: number | null;
  /** Jobs: duration of one run. null: drawn from the seed. */
  readonly runSeconds: number | null;
}

/** Inputs for drawing a profile that a manifest does not set. */
export interface ProfileContext {
  readonly workloadKind: string;
  /** Request, else limit, else the documented default. */
  readonly cpuMillicores: Millicores;
  readonly memoryBytes: Bytes;
}
