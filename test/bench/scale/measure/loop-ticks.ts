import { percentile } from './percentile.ts';

/** The event loop during a phase, in milliseconds. */
export interface LoopReport {
  readonly ticks: number;
  readonly seconds: number;
  /** How late the timer fired. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  /** CPU time of the main thread between two ticks beyond the interval. */
  readonly holdP50Ms: number;
  readonly holdP99Ms: number;
  readonly holdMaxMs: number;
  /** Share of the time within holds of more than 50 ms: what a request that arrives at any moment meets. */
  readonly longHoldRatio: number;
  /** The longest holds, with the second of the phase in which they ended. */
  readonly longest: readonly { readonly holdMs: number; readonly atSecond: number }[];
}

const LONG_HOLD_MS = 50;
const LONGEST = 8;

/** Ticks of a timer: wall time and CPU time of its thread since the one before. */
export class LoopTicks {
  static readonly INTERVAL_MS = 10;
  readonly #delays: number[] = [];
  readonly #holds: number[] = [];
  #elapsedMs = 0;
  #heldMs = 0;
  #longest: { readonly holdMs: number; readonly atSecond: number }[] = [];

  add(wallMs: number, cpuMs: number): void {
    const holdMs = Math.max(0, Math.min(cpuMs, wallMs) - LoopTicks.INTERVAL_MS);
    this.#delays.push(Math.max(0, wallMs - LoopTicks.INTERVAL_MS));
    this.#holds.push(holdMs);
    this.#elapsedMs += wallMs;
    if (holdMs <= LONG_HOLD_MS) return;
    this.#heldMs += holdMs;
    this.#longest = [...this.#longest, { holdMs: Math.round(holdMs), atSecond: Math.round(this.#elapsedMs / 1000) }]
      .sort((a, b) => b.holdMs - a.holdMs)
      .slice(0, LONGEST);
  }

  report(): LoopReport {
    const delays = this.#delays.toSorted((a, b) => a - b);
    const holds = this.#holds.toSorted((a, b) => a - b);
    return {
      ticks: holds.length,
      seconds: Math.round(this.#elapsedMs / 1000),
      delayP99Ms: percentile(delays, 0.99),
      delayMaxMs: delays.at(-1) ?? NaN,
      holdP50Ms: percentile(holds, 0.5),
      holdP99Ms: percentile(holds, 0.99),
      holdMaxMs: holds.at(-1) ?? NaN,
      longHoldRatio: this.#elapsedMs === 0 ? NaN : this.#heldMs / this.#elapsedMs,
      longest: this.#longest,
    };
  }
}
