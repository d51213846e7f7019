// Random lives of a workload, as bad as clusters make them: usage that jumps, leaks, swings and stops, kills, throttling,
// deploys, full nodes, broken counters, in any order.

import fc from 'fast-check';
import type { RequestsAndLimits, Resources } from '../../src/core/model/resources.ts';
import { DAY_MS, type DurationMs, HOUR_MS, MiB } from '../../src/core/model/units.ts';
import type { UsageSample } from '../../src/core/model/usage.ts';
import { type LifeOptions, type Lived, type Tick, TICK_MS, WorkloadLife } from './workload-life.ts';

const TICKS_A_DAY = DAY_MS / TICK_MS;
const TICKS_AN_HOUR = HOUR_MS / TICK_MS;

/** One value over time. `at` counts ticks since the phase began. */
type Curve = (at: number, replica: number) => number;

interface Phase {
  readonly hours: number;
  readonly cpu: Curve;
  readonly memory: Curve;
  readonly circumstances: (at: number) => Omit<Tick, 'demand'>;
}

export interface Life {
  readonly options: LifeOptions;
  readonly phases: readonly Phase[];
}

const NODE: Resources = { cpuMillicores: 16_000, memoryBytes: 32_768 * MiB };

const cpu = fc.integer({ min: 1, max: 20_000 });
const memory = fc.integer({ min: 1, max: 40_000 }).map((mebibytes) => mebibytes * MiB);
/** Mostly what fits; what does not is tried, too. */
const usualMemory = fc.integer({ min: 8, max: 3_000 }).map((mebibytes) => mebibytes * MiB);
const usualCpu = fc.integer({ min: 1, max: 2_000 });

function curve(value: fc.Arbitrary<number>): fc.Arbitrary<Curve> {
  return fc.oneof(
    {
      weight: 3,
      arbitrary: value.map(
        (height): Curve =>
          () =>
            height,
      ),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(value, value).map(
        ([low, high]): Curve =>
          (at) =>
            low + ((high - low) * (1 - Math.cos((2 * Math.PI * at) / TICKS_A_DAY))) / 2,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(value, value, fc.integer({ min: 2, max: 300 })).map(
        ([base, peak, every]): Curve =>
          (at) =>
            at % every === 0 ? peak : base,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(value, fc.double({ min: 0.01, max: 3, noNaN: true })).map(
        ([start, aDay]): Curve =>
          (at) =>
            start * (1 + (aDay * at) / TICKS_A_DAY),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(value, value, fc.integer({ min: 0, max: 3 })).map(
        ([usual, hot, which]): Curve =>
          (_at, replica) =>
            replica === which ? hot : usual,
      ),
    },
  );
}

const distortions: fc.Arbitrary<(sample: UsageSample) => UsageSample> = fc.constantFrom<((sample: UsageSample) => UsageSample)[]>(
  (sample) => ({ ...sample, cpuMillicores: null, memoryBytes: null }),
  (sample) => ({ ...sample, cpuMillicores: -1, memoryBytes: -1 }),
  (sample) => ({ ...sample, at: sample.at - HOUR_MS }),
  (sample) => ({ ...sample, cpuMillicores: 1e15, memoryBytes: 1e18 }),
  (sample) => ({ ...sample, cpuMillicores: 0, memoryBytes: 0 }),
  (sample) => ({ ...sample, throttledRatio: null }),
);

const circumstances: fc.Arbitrary<Phase['circumstances']> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Phase['circumstances']>(() => ({})) },
  { weight: 1, arbitrary: fc.constant<Phase['circumstances']>(() => ({ nodesFull: true })) },
  { weight: 1, arbitrary: fc.constant<Phase['circumstances']>((at) => ({ nodesFull: at % TICKS_A_DAY < 3 * TICKS_AN_HOUR })) },
  { weight: 1, arbitrary: fc.constant<Phase['circumstances']>(() => ({ silent: true })) },
  { weight: 1, arbitrary: fc.constant<Phase['circumstances']>((at) => ({ deploy: at % TICKS_A_DAY === 7 })) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 2, max: 200 }).map(
      (every): Phase['circumstances'] =>
        (at) =>
          at % every === 1 ? { nodeKills: 0 } : {},
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(distortions, fc.integer({ min: 1, max: 20 })).map(
      ([distort, every]): Phase['circumstances'] =>
        (at) =>
          at % every === 0 ? { distort } : {},
    ),
  },
);

const phases: fc.Arbitrary<Phase> = fc.record({
  hours: fc.integer({ min: 1, max: 72 }),
  cpu: curve(fc.oneof({ weight: 4, arbitrary: usualCpu }, { weight: 1, arbitrary: cpu })),
  memory: curve(fc.oneof({ weight: 4, arbitrary: usualMemory }, { weight: 1, arbitrary: memory })),
  circumstances,
});

/** Guaranteed, Burstable with and without limits, and a memory limit alone. */
const templates: fc.Arbitrary<RequestsAndLimits> = fc
  .record({
    cpuRequest: fc.integer({ min: 10, max: 4_000 }),
    memoryRequest: fc.integer({ min: 16, max: 4_096 }),
    shape: fc.constantFrom('guaranteed', 'limits', 'memory limit', 'no limits'),
  })
  .map(({ cpuRequest, memoryRequest, shape }) => {
    const requests = { cpuMillicores: cpuRequest, memoryBytes: memoryRequest * MiB };
    if (shape === 'guaranteed') return { requests, limits: requests };
    return {
      requests,
      limits: {
        cpuMillicores: shape === 'limits' ? cpuRequest * 2 : null,
        memoryBytes: shape === 'no limits' ? null : requests.memoryBytes * 2,
      },
    };
  });

export const lives: fc.Arbitrary<Life> = fc.record({
  options: fc.record({ template: templates, replicas: fc.integer({ min: 1, max: 4 }), node: fc.constant(NODE) }),
  phases: fc.array(phases, { minLength: 1, maxLength: 6 }),
});

/** Lives through all phases, then through a calm end, and shows each tick. @param calmMs how long the end lasts */
export function playLife({ options, phases: all }: Life, look: (lived: Lived, tick: Tick) => void, calmMs: DurationMs = 0): void {
  const life = new WorkloadLife(options);
  const play = (ticks: number, tickAt: (at: number) => Tick): void => {
    for (let at = 0; at < ticks; at++) {
      const tick = tickAt(at);
      look(life.live(tick), tick);
    }
  };
  for (const { hours, cpu: cpuAt, memory: memoryAt, circumstances: circumstancesAt } of all) {
    play(hours * TICKS_AN_HOUR, (at) => ({
      ...circumstancesAt(at),
      demand: (replica) => ({ cpuMillicores: cpuAt(at, replica), memoryBytes: memoryAt(at, replica) }),
    }));
  }
  play(calmMs / TICK_MS, () => ({ demand: () => ({ cpuMillicores: 5, memoryBytes: 12 * MiB }) }));
}
