// The rule of the demo without a cluster: recordings are assigned to containers and scaled so that their peak is 80 % of the request. After
// 14 days of history, requests and memory limits follow the recommendation for some days. Fast enough to run every assignment of every
// recording.

import { ContainerModel } from '../../src/core/recommender/container-model.ts';
import { DEFAULT_RECOMMENDER_RULES } from '../../src/core/recommender/advice.ts';
import { memoryLimitFor } from '../../src/core/resize/plan/container/memory-limit.ts';
import { HOUR_MS } from '#kube/units';
import { SLOTS_PER_HOUR, type Trace } from '../../src/core/backtest/time-grid.ts';

const SLOT_MS = 300_000;
const MIB = 1024 * 1024;
const SLOTS_PER_DAY = 288;
const MIN_CHANGE = 0.1;
const HISTORY_DAYS = 14;
const LIVE_DAYS = 21;

/** One container as its manifest specifies it. */
export interface DemoContainer {
  readonly name: string;
  readonly cpuMillicores: number;
  readonly memoryMiB: number;
  readonly memoryLimitMiB: number;
}

/** Requests and memory limits of the Online Boutique's containers, by name. */
export const ONLINE_BOUTIQUE: readonly DemoContainer[] = [
  { name: 'adservice', cpuMillicores: 200, memoryMiB: 180, memoryLimitMiB: 300 },
  { name: 'cartservice', cpuMillicores: 200, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'checkoutservice', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'currencyservice', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'emailservice', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'frontend', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'loadgenerator', cpuMillicores: 300, memoryMiB: 256, memoryLimitMiB: 512 },
  { name: 'paymentservice', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'productcatalogservice', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
  { name: 'recommendationservice', cpuMillicores: 100, memoryMiB: 220, memoryLimitMiB: 450 },
  { name: 'redis-cart', cpuMillicores: 70, memoryMiB: 200, memoryLimitMiB: 256 },
  { name: 'shippingservice', cpuMillicores: 100, memoryMiB: 64, memoryLimitMiB: 128 },
];

/** Outcome of one container. */
export interface DemoOutcome {
  readonly cpuStart: number;
  readonly cpuEnd: number;
  readonly memoryStart: number;
  readonly memoryEnd: number;
  readonly limitStart: number;
  readonly limitEnd: number;
  readonly oomKills: number;
  readonly oomKillsWithout: number;
  readonly resizes: number;
  /** Mean requests after the history. */
  readonly cpuMean: number;
  readonly memoryMean: number;
}

/** Start and sampling of a run. */
export interface DemoRuleOptions {
  /** First day of the recording; the scale is always that of the whole recording. */
  readonly fromDay?: number;
  /** Number of 5-minute slots between two recommendations. */
  readonly everySlots?: number;
}

/** Runs one recording on one container. */
export function runDemoRule(trace: Trace, container: DemoContainer, { fromDay = 0, everySlots = 1 }: DemoRuleOptions = {}): DemoOutcome {
  const cpu = scaled(trace.cpu, container.cpuMillicores);
  const memory = scaled(trace.memory, container.memoryMiB * MIB);
  const model = new ContainerModel();
  const first = fromDay * SLOTS_PER_DAY;
  const live = first + HISTORY_DAYS * SLOTS_PER_DAY;
  const end = live + LIVE_DAYS * SLOTS_PER_DAY;
  const limitStart = container.memoryLimitMiB * MIB;
  const state = {
    cpu: container.cpuMillicores,
    memory: container.memoryMiB * MIB,
    limit: limitStart,
    cpuAt: -Infinity,
    memoryAt: -Infinity,
  };
  let lastLoweredAt: number | null = null;
  let [oomKills, oomKillsWithout, resizes, cpuSum, memorySum] = [0, 0, 0, 0, 0];
  for (let slot = first; slot < end; slot++) {
    const at = (slot + 1) * SLOT_MS;
    const [cpuNow, memoryNow] = [cpu[slot % cpu.length] ?? NaN, memory[slot % memory.length] ?? NaN];
    if (slot >= live) {
      if (memoryNow > limitStart) oomKillsWithout += 1;
      if (memoryNow > state.limit) {
        oomKills += 1;
        model.observeOom(at, state.limit);
      }
      cpuSum += state.cpu;
      memorySum += state.memory;
    }
    if (!Number.isNaN(cpuNow) || !Number.isNaN(memoryNow)) {
      model.observe('p', {
        at,
        cpuMillicores: known(cpuNow),
        memoryBytes: known(Math.min(memoryNow, slot >= live ? state.limit : memoryNow)),
      });
    }
    if (slot < live || slot % everySlots !== 0) continue;
    const now = at + 31_000;
    const advice = model.advise(container.name, now, DEFAULT_RECOMMENDER_RULES);
    if (!advice?.cpu || !advice.memory || !advice.enoughHistory) continue;
    const nextCpu = moved(state.cpu, advice.cpu.target, advice.cpu.confidence >= 0.6 && now - state.cpuAt >= HOUR_MS);
    const nextMemory = moved(state.memory, advice.memory.target, advice.memory.confidence >= 0.8 && now - state.memoryAt >= HOUR_MS);
    const limit = memoryLimitFor({
      now,
      current: state.limit,
      request: nextMemory,
      ratio: 1.25,
      max: null,
      minLimitByKills: advice.oom?.killedPodNeed ?? 0,
      evidence: advice.memoryEvidence,
      lastLoweredAt,
    });
    if (nextCpu !== state.cpu) state.cpuAt = now;
    if (nextMemory !== state.memory) state.memoryAt = now;
    if (nextCpu !== state.cpu || nextMemory !== state.memory) resizes += 1;
    state.cpu = nextCpu;
    state.memory = nextMemory;
    if (limit.kind === 'lower') lastLoweredAt = now;
    state.limit = limit.limit;
  }
  const slots = end - live;
  return {
    cpuStart: container.cpuMillicores,
    cpuEnd: state.cpu,
    memoryStart: container.memoryMiB * MIB,
    memoryEnd: state.memory,
    limitStart,
    limitEnd: state.limit,
    oomKills,
    oomKillsWithout,
    resizes,
    cpuMean: cpuSum / slots,
    memoryMean: memorySum / slots,
  };
}

/** Whether a recording has enough hours for a run from `fromDay`. */
export function isLongEnough(trace: Trace, fromDay: number, days = 35): boolean {
  return (trace.cpu?.length ?? 0) / SLOTS_PER_HOUR >= (fromDay + days) * 24;
}

// Applies the policy's minChangeRatio, confidence gate and cool-down; they do not delay increases.
function moved(current: number, target: number, mayFall: boolean): number {
  if (Math.abs(target - current) < current * MIN_CHANGE) return current;
  return target > current || mayFall ? target : current;
}

function scaled(values: Float64Array | null, request: number): Float64Array {
  if (values === null) return new Float64Array([request / 2]);
  const peak = values.reduce((highest, value) => (value > highest ? value : highest), 0);
  return values.map((value) => (value * 0.8 * request) / peak);
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
