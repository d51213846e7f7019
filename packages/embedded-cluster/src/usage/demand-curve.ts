import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';

/**
 * Demand of one replica of a container over time, at the initial replica count of its workload: a pure function, so that any time can be
 * evaluated in any order.
 */
export interface DemandCurve {
  cpuMillicores(at: Instant): Millicores;
  /** @param runningMs time since the container's start: a leak starts again with a restart */
  memoryBytes(at: Instant, runningMs: DurationMs): Bytes;
  /** CPU of a busy minute, to which the start-up demand is relative. */
  readonly busyCpuMillicores: Millicores;
}

/** Another curve's demand, multiplied by a factor. */
export class ScaledCurve implements DemandCurve {
  readonly #curve: DemandCurve;
  readonly #factor: Ratio;

  constructor(curve: DemandCurve, factor: Ratio) {
    this.#curve = curve;
    this.#factor = factor;
  }

  get busyCpuMillicores(): Millicores {
    return this.#curve.busyCpuMillicores * this.#factor;
  }

  cpuMillicores(at: Instant): Millicores {
    return this.#curve.cpuMillicores(at) * this.#factor;
  }

  memoryBytes(at: Instant, runningMs: DurationMs): Bytes {
    return this.#curve.memoryBytes(at, runningMs) * this.#factor;
  }
}
