import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';
import type { DemandCurve } from './demand-curve.ts';

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
