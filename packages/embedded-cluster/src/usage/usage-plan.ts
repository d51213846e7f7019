import { MiB, type Bytes, type Instant, type Millicores, type Ratio } from '#kube/units';
import type { WorkloadRef } from '#kube/records/workload';
import { hash32, hashText } from '../clock/seeded-hash.ts';
import { dealRecordings, keyOf, type DealtRecording } from './deal-recordings.ts';
import { defaultProfile } from './default-profile.ts';
import type { DemandCurve } from './demand-curve.ts';
import { ProfileCurve } from './profile-curve.ts';
import { AS_RECORDED, RecordedCurve, type Recording, type RecordingScale } from './recording.ts';
import type { ContainerName, RecordingLibrary } from './recording-files.ts';
import type { StatedProfile } from './usage-annotation.ts';
import type { UsageProfile } from './usage-profile.ts';

/** Assumed size of a container without request and limit. */
const DEFAULT_CPU_MILLICORES: Millicores = 100;
const DEFAULT_MEMORY_BYTES: Bytes = 128 * MiB;
/** Peak of an assigned recording, as a share of the container's size. */
const DEALT_PEAK_SHARE = 0.8;
/** Range of a Job's run time when its manifest does not set one. */
const RUN_SECONDS = { from: 60, to: 600 };

/** Original size of a container: request, else limit, else null. Later resizes do not change its demand. */
export interface ContainerSize {
  readonly name: string;
  readonly cpuMillicores: Millicores | null;
  readonly memoryBytes: Bytes | null;
}

export interface PlannedUsage {
  readonly curve: DemandCurve;
  /** Duration of one run of a Job. */
  readonly runSeconds: number;
  readonly cacheShare: Ratio;
  /** Demand during a start; null: the default. */
  readonly startup: { readonly cpuMillicores: Millicores | null; readonly memoryBytes: Bytes | null; readonly seconds: number | null };
}

export interface UsagePlanOptions {
  readonly seed: number;
  /** Start of the cluster: the time of the first row of every recording. */
  readonly epoch: Instant;
  readonly recordings?: RecordingLibrary;
}

/** Decides once per container of each workload where its usage comes from: a recording, its manifest, or the seed. */
export class UsagePlan {
  readonly #options: UsagePlanOptions;
  readonly #planned = new Map<string, PlannedUsage>();
  readonly #loaded = new Map<string, Recording>();
  #dealt = new Map<string, DealtRecording>();

  constructor(options: UsagePlanOptions) {
    this.#options = options;
  }

  /**
   * Assigns the recordings to the initial containers of the cluster and reads the needed files. Call it once, before any pod runs. Throws
   * RecordingError for an invalid file. Returns the assignment.
   */
  deal(containers: readonly ContainerName[]): readonly DealtRecording[] {
    const library = this.#options.recordings;
    if (library === undefined) return [];
    const dealt = dealRecordings(library.names, containers);
    for (const { file } of dealt) if (!this.#loaded.has(file)) this.#loaded.set(file, library.load(file));
    this.#dealt = new Map(dealt.map((recording) => [keyOf(recording.container), recording]));
    return dealt;
  }

  /** Dropped rows of the used recordings, by reason. */
  droppedRows(): { readonly notANumber: number; readonly negative: number; readonly unsorted: number } {
    const total = { notANumber: 0, negative: 0, unsorted: 0 };
    for (const { dropped } of this.#loaded.values()) {
      total.notANumber += dropped.notANumber;
      total.negative += dropped.negative;
      total.unsorted += dropped.unsorted;
    }
    return total;
  }

  /** The same result for the same container throughout the cluster's life. */
  usageOf(workload: WorkloadRef, size: ContainerSize, stated: StatedProfile = {}): PlannedUsage {
    const key = `${workload.namespace}/${workload.kind}/${workload.name}/${size.name}`;
    const known = this.#planned.get(key);
    if (known !== undefined) return known;
    const planned = this.#plan(key, workload, size, stated);
    this.#planned.set(key, planned);
    return planned;
  }

  #plan(key: string, workload: WorkloadRef, size: ContainerSize, stated: StatedProfile): PlannedUsage {
    const seed = hashText(this.#options.seed, key);
    const cpuMillicores = size.cpuMillicores ?? DEFAULT_CPU_MILLICORES;
    const memoryBytes = size.memoryBytes ?? DEFAULT_MEMORY_BYTES;
    const drawn = defaultProfile(seed, { workloadKind: workload.kind, cpuMillicores, memoryBytes });
    const profile = { ...drawn, ...stated };
    const runSeconds = profile.runSeconds ?? RUN_SECONDS.from + (hash32(seed, 4) % (RUN_SECONDS.to - RUN_SECONDS.from));
    const { cacheShare } = profile;
    const { startupCpuMillicores, startupMemoryBytes, startupSeconds } = profile;
    const startup = { cpuMillicores: startupCpuMillicores, memoryBytes: startupMemoryBytes, seconds: startupSeconds };
    const dealt = this.#dealt.get(keyOf({ namespace: workload.namespace, workload: workload.name, container: size.name }));
    const recording = dealt === undefined ? undefined : this.#loaded.get(dealt.file);
    if (dealt === undefined || recording === undefined)
      return { curve: this.#profileCurve(profile, seed), runSeconds, startup, cacheShare };
    const scale = dealt.asRecorded ? AS_RECORDED : scaleTo(recording, cpuMillicores, memoryBytes);
    const fallback = this.#profileCurve({ ...profile, kind: 'steady' }, seed);
    return { curve: new RecordedCurve(recording, scale, fallback, this.#options.epoch), runSeconds, startup, cacheShare };
  }

  #profileCurve(profile: UsageProfile, seed: number): DemandCurve {
    return new ProfileCurve(profile, seed, this.#options.epoch);
  }
}

function scaleTo(recording: Recording, cpuMillicores: Millicores, memoryBytes: Bytes): RecordingScale {
  const { peakCpuMillicores, peakMemoryMib } = recording;
  return {
    cpu: peakCpuMillicores > 0 ? (DEALT_PEAK_SHARE * cpuMillicores) / peakCpuMillicores : 1,
    memory: peakMemoryMib > 0 ? (DEALT_PEAK_SHARE * memoryBytes) / (peakMemoryMib * MiB) : 1,
  };
}
