import { DAY_MS, HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant, type Millicores } from '#kube/units';
import { hash32, uniform } from '../clock/seeded-hash.ts';
import type { DemandCurve } from './demand-curve.ts';
import type { UsageProfile, UsageProfileKind } from './usage-profile.ts';

/** Relative amplitudes of the noise on CPU: by minute, and over a quarter of an hour. */
const MINUTE_NOISE = 0.06;
const WANDER_NOISE = 0.08;
/** A ramp doubles from its start to this age of the cluster, then stays. */
const RAMP_DAYS = 35;
const BURST_SLOT_MS = 20 * MINUTE_MS;
const BURST_PROBABILITY = 0.12;

/** A load between about 0 and 1 at a time; `seed` is that of the container. */
type Shape = (seed: number, at: Instant, epoch: Instant) => number;

const shapes: Readonly<Record<UsageProfileKind, Shape>> = {
  steady: () => 0.85,
  diurnal: (seed, at) => 0.28 + 0.62 * dayCurve(seed, at),
  weekly: (seed, at) => 0.18 + 0.72 * dayCurve(seed, at) * weekCurve(at),
  'weekly-peak': (seed, at) => 0.3 + 0.15 * dayCurve(seed, at) + 0.5 * weeklyPeak(seed, at),
  bursty: (seed, at) => 0.16 + 0.74 * burst(seed, at),
  steps: (seed, at, epoch) => levelAt(seed, at - epoch),
  ramp: (_seed, at, epoch) => 0.42 + 0.42 * Math.min(1, Math.max(0, at - epoch) / (RAMP_DAYS * DAY_MS)),
  leak: (seed, at) => 0.4 + 0.2 * dayCurve(seed, at),
  batch: () => 0.88,
  'idle-nights': (_seed, at) => 0.03 + 0.8 * officeHours(at),
};

/** A profile as a curve, with noise of its own seed. */
export class ProfileCurve implements DemandCurve {
  readonly busyCpuMillicores: Millicores;
  readonly #profile: UsageProfile;
  readonly #seed: number;
  readonly #wanderSeed: number;
  readonly #memorySeed: number;
  readonly #epoch: Instant;
  readonly #shape: Shape;
  /** Values of the last evaluated time: CPU and memory are evaluated together. */
  #load = 0;
  #loadAt: Instant = Number.NaN;

  /** @param epoch start of the cluster, from which ramps grow */
  constructor(profile: UsageProfile, seed: number, epoch: Instant) {
    this.busyCpuMillicores = profile.cpuMillicores;
    this.#profile = profile;
    this.#seed = seed;
    this.#wanderSeed = hash32(seed, 11);
    this.#memorySeed = hash32(seed, 12);
    this.#epoch = epoch;
    this.#shape = shapes[profile.kind];
  }

  cpuMillicores(at: Instant): Millicores {
    const load = this.#loadOf(at);
    const noise = 1 + MINUTE_NOISE * minuteNoise(this.#seed, at) + WANDER_NOISE * smoothNoise(this.#wanderSeed, at, 15);
    return this.#profile.cpuMillicores * load * noise;
  }

  memoryBytes(at: Instant, runningMs: DurationMs): Bytes {
    const load = Math.min(1, this.#loadOf(at));
    const wander = 1 + 0.02 * smoothNoise(this.#memorySeed, at, 40);
    const moving = this.#profile.memoryBytes * (1 - this.#profile.memorySwing * (1 - load)) * wander;
    return moving + (this.#profile.leakBytesPerHour * runningMs) / HOUR_MS;
  }

  #loadOf(at: Instant): number {
    if (at !== this.#loadAt) {
      this.#load = this.#shape(this.#seed, at, this.#epoch);
      this.#loadAt = at;
    }
    return this.#load;
  }
}

/** 0 at night, 1 in the early afternoon; each workload has its own peak hour. */
function dayCurve(seed: number, at: Instant): number {
  const peakHour = 12 + 4 * uniform(seed, 21);
  const hour = (at / HOUR_MS) % 24;
  return (1 + Math.cos(((hour - peakHour) / 12) * Math.PI)) / 2;
}

/** 1 on weekdays, less on Saturday and Sunday, without a step at midnight. */
function weekCurve(at: Instant): number {
  const day = (at / DAY_MS + 4) % 7; // the epoch was a Thursday: 0 is Sunday
  const weekend = day < 1 ? 1 - smoothStep(0.9, 1, day) : smoothStep(6, 6.15, day);
  return 1 - 0.65 * weekend;
}

/** 1 for two hours per week, the weekly batch run, else 0. */
function weeklyPeak(seed: number, at: Instant): number {
  const week = 7 * DAY_MS;
  const begin = Math.floor(uniform(seed, 31) * 7 * 24 - 2) * HOUR_MS;
  const into = (((at - begin) % week) + week) % week;
  return smoothStep(0, 10 * MINUTE_MS, into) - smoothStep(2 * HOUR_MS, 2 * HOUR_MS + 10 * MINUTE_MS, into);
}

/** A level for 2 to 5 days, then within minutes another one: releases, new and lost customers. */
function levelAt(seed: number, sinceMs: DurationMs): number {
  let level = 0.35 + 0.55 * uniform(seed, 40);
  let from = 0;
  for (let step = 1; ; step++) {
    from += (2 + 3 * uniform(hash32(seed, step), 41)) * DAY_MS;
    if (from > sinceMs) return level;
    const next = 0.35 + 0.55 * uniform(hash32(seed, step), 42);
    level += (next - level) * smoothStep(0, 10 * MINUTE_MS, sinceMs - from);
  }
}

/** 1 in office hours of weekdays, 0 else. */
function officeHours(at: Instant): number {
  const day = Math.floor(at / DAY_MS + 4) % 7;
  if (day === 0 || day === 6) return 0;
  const hour = (at / HOUR_MS) % 24;
  return smoothStep(6.5, 8, hour) - smoothStep(18, 20, hour);
}

/** Occasional bursts of a few minutes, up to 1. A burst stays inside its slot of 20 minutes. */
function burst(seed: number, at: Instant): number {
  const slot = Math.floor(at / BURST_SLOT_MS);
  const slotSeed = hash32(seed, slot);
  if (uniform(slotSeed, 1) >= BURST_PROBABILITY) return 0;
  const lengthMs = (2 + 6 * uniform(slotSeed, 2)) * MINUTE_MS;
  const startMs = 1.5 * MINUTE_MS + uniform(slotSeed, 3) * (BURST_SLOT_MS - lengthMs - 3 * MINUTE_MS);
  const into = at - slot * BURST_SLOT_MS - startMs;
  const height = 0.5 + 0.5 * uniform(slotSeed, 4);
  return height * smoothStep(-1.2 * MINUTE_MS, 0, into) * (1 - smoothStep(lengthMs, lengthMs + 1.2 * MINUTE_MS, into));
}

/** A new value each minute, −1 … 1. */
function minuteNoise(seed: number, at: number): number {
  return 2 * uniform(seed, Math.floor(at / MINUTE_MS)) - 1;
}

/** A curve through a random value every `knotMinutes`, −1 … 1, without steps or corners. */
function smoothNoise(seed: number, at: number, knotMinutes: number): number {
  const position = at / (knotMinutes * MINUTE_MS);
  const knot = Math.floor(position);
  const along = position - knot;
  const weight = along * along * (3 - 2 * along);
  const from = uniform(seed, knot);
  return 2 * (from + (uniform(seed, knot + 1) - from) * weight) - 1;
}

/** 0 below `from`, 1 above `to`, smooth in between. */
function smoothStep(from: number, to: number, x: number): number {
  const along = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return along * along * (3 - 2 * along);
}
