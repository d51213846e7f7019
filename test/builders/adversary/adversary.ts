// Generates random lives of a workload under the worst conditions of real clusters, in any order and under bounded and unbounded policies:
// usage that jumps, leaks, swings and stops; OOM kills; throttling that is high or unmeasured; deploys; nodes that are full or refuse
// resizes; broken counters; controller restarts; and clocks that are set back.

import fc from 'fast-check';
import type { RequestsAndLimits, Resources } from '#kube/records/resources';
import { DAY_MS, type DurationMs, HOUR_MS, MiB, MINUTE_MS, type Ratio } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import {
  defaultResourcePolicy,
  type LimitPolicy,
  type PolicyRules,
  type ResourcePolicy,
} from '../../../src/core/resize/policy/policy-rules.ts';
import type { WorkloadOverrides } from '../../../src/core/resize/policy/workload-overrides.ts';
import type { AutoscalerOptions } from './life-autoscaler.ts';
import type { LifeNode } from './life-node.ts';
import { type LifeOptions, type LifeTick, type Tick, TICK_MS, WorkloadLife } from './workload-life.ts';

const TICKS_PER_DAY = DAY_MS / TICK_MS;
const TICKS_PER_HOUR = HOUR_MS / TICK_MS;

/** A value over time. `at` counts ticks since the phase began. */
type Curve = (at: number, replica: number) => number;

/** A part of a life. */
export interface Phase {
  readonly hours: number;
  readonly cpu: Curve;
  readonly memory: Curve;
  readonly circumstances: (at: number) => Omit<Tick, 'demand'>;
}

/** A generated life: its environment, its phases, and the usage with which it ends. */
export interface Life {
  readonly options: LifeOptions;
  readonly phases: readonly Phase[];
  /** Steady usage of the last phase, as a ratio of the template's requests. */
  readonly quiet: { readonly cpu: Ratio; readonly memory: Ratio };
}

const cpu = fc.integer({ min: 1, max: 20_000 });
const memory = fc.integer({ min: 1, max: 40_000 }).map((mebibytes) => mebibytes * MiB);
/** Mostly values that fit on a node, sometimes ones that do not. */
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
            low + ((high - low) * (1 - Math.cos((2 * Math.PI * at) / TICKS_PER_DAY))) / 2,
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
            start * (1 + (aDay * at) / TICKS_PER_DAY),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(value, value, fc.integer({ min: 0, max: 3 })).map(
        ([usual, hot, which]): Curve =>
          (_at, replica) =>
            replica === which ? hot : usual,
      ),
    },
  );
}

const distortions: fc.Arbitrary<(sample: UsageSample) => UsageSample> = fc.constantFrom<((sample: UsageSample) => UsageSample)[]>(
  (sample) => ({ ...sample, cpuMillicores: null, cpuPeakMillicores: null, memoryBytes: null }),
  (sample) => ({ ...sample, cpuMillicores: null, cpuPeakMillicores: null }),
  (sample) => ({ ...sample, memoryBytes: null }),
  (sample) => ({ ...sample, cpuMillicores: -1, memoryBytes: -1 }),
  (sample) => ({ ...sample, at: sample.at - HOUR_MS }),
  (sample) => ({ ...sample, cpuMillicores: 1e15, memoryBytes: 1e18 }),
  // More than the node has, but not more than any machine.
  (sample) => ({ ...sample, cpuMillicores: 5e6, memoryBytes: 2 ** 45 }),
  (sample) => ({ ...sample, cpuMillicores: 0, cpuPeakMillicores: 0, memoryBytes: 0 }),
  // Only five-minute means, without the peak minute.
  (sample) => ({ ...sample, cpuPeakMillicores: null }),
  (sample) => ({ ...sample, throttledRatio: null }),
);

type Environment = Phase['circumstances'];

const every =
  (ticks: number, happens: (at: number) => Omit<Tick, 'demand'>): Environment =>
  (at) =>
    at % ticks === 1 % ticks ? happens(at) : {};

const ratio = fc.double({ min: 0, max: 1, noNaN: true });
const replica = fc.integer({ min: 0, max: 3 });
const ticks = fc.integer({ min: 2, max: 200 });

const freeCapacity: fc.Arbitrary<Environment> = fc.oneof(
  fc.constant<Environment>(() => ({ freeRatio: 0 })),
  fc.constant<Environment>((at) => (at % TICKS_PER_DAY < 3 * TICKS_PER_HOUR ? { freeRatio: 0 } : {})),
  ratio.map((freeRatio): Environment => () => ({ freeRatio: freeRatio / 10 })),
);

const evidence: fc.Arbitrary<Environment> = fc.oneof(
  fc.constant<Environment>(() => ({ silent: 'all' })),
  replica.map((silent): Environment => () => ({ silent })),
  fc.tuple(ticks, fc.oneof(replica, fc.constant('all' as const))).map(([often, silent]) => every(often, () => ({ silent }))),
  fc.constant<Environment>(() => ({ throttling: 'unmeasured' })),
  ratio.map((throttling): Environment => () => ({ throttling })),
  fc.tuple(ticks, ratio).map(([often, throttling]) => every(often, () => ({ throttling }))),
  fc.option(ratio).map((busyNodes): Environment => () => ({ busyNodes })),
  fc.tuple(distortions, fc.constantFrom(1, 1, 2, 3, 5, 20)).map(([distort, often]) => every(often, () => ({ distort }))),
);

const events: fc.Arbitrary<Environment> = fc.oneof(
  fc.tuple(ticks, fc.double({ min: 1, max: 20, noNaN: true })).map(([often, burst]) => every(often, () => ({ burst }))),
  fc.tuple(ticks, replica).map(([often, nodeKills]) => every(often, () => ({ nodeKills }))),
  fc.constant<Environment>((at) => (at % TICKS_PER_DAY === 7 ? { deploy: 1 } : {})),
  fc.double({ min: 0.5, max: 2, noNaN: true }).map(
    (deploy): Environment =>
      (at) =>
        at === 7 ? { deploy } : {},
  ),
  fc
    .tuple(ticks, fc.constantFrom('with store' as const, 'with store' as const, 'without store' as const))
    .map(([often, restart]) => every(often, () => ({ restart }))),
  fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 600 })).map(
    ([when, minutes]): Environment =>
      (at) =>
        at === when ? { clockBackMs: minutes * MINUTE_MS } : {},
  ),
);

/** Two circumstances at the same time. */
const circumstances: fc.Arbitrary<Environment> = fc
  .tuple(
    ...[0, 1].map(() =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constant<Environment>(() => ({})) },
        ...[freeCapacity, evidence, events].map((arbitrary) => ({ weight: 2, arbitrary })),
      ),
    ),
  )
  .map((chosen) => (at) => Object.assign({}, ...chosen.map((circumstance) => circumstance(at))) as Omit<Tick, 'demand'>);

/** Every kind of phase. */
export const phases: fc.Arbitrary<Phase> = fc.record({
  hours: fc.integer({ min: 1, max: 72 }),
  cpu: curve(fc.oneof({ weight: 4, arbitrary: usualCpu }, { weight: 1, arbitrary: cpu })),
  memory: curve(fc.oneof({ weight: 4, arbitrary: usualMemory }, { weight: 1, arbitrary: memory })),
  circumstances,
});

/** Guaranteed, Burstable with and without limits, a memory limit without a request, and a memory limit equal to the request. */
const templates: fc.Arbitrary<RequestsAndLimits> = fc
  .record({
    cpuRequest: fc.integer({ min: 10, max: 4_000 }),
    memoryRequest: fc.integer({ min: 16, max: 4_096 }),
    shape: fc.constantFrom('guaranteed', 'limits', 'memory limit', 'memory 1:1', 'no limits'),
  })
  .map(({ cpuRequest, memoryRequest, shape }) => {
    const requests = { cpuMillicores: cpuRequest, memoryBytes: memoryRequest * MiB };
    if (shape === 'guaranteed') return { requests, limits: requests };
    const memoryBytes = shape === 'no limits' ? null : shape === 'memory 1:1' ? requests.memoryBytes : requests.memoryBytes * 2;
    return { requests, limits: { cpuMillicores: shape === 'limits' ? cpuRequest * 2 : null, memoryBytes } };
  });

const NODE: Resources = { cpuMillicores: 16_000, memoryBytes: 32_768 * MiB };
const LARGE_NODE: Resources = { cpuMillicores: 64_000, memoryBytes: 262_144 * MiB };

type NodeSize = (template: RequestsAndLimits) => Resources;

const nodeSize: fc.Arbitrary<NodeSize> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(NODE, LARGE_NODE).map(
      (size): NodeSize =>
        () =>
          size,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.double({ min: 1, max: 3, noNaN: true }).map((factor): NodeSize => ({ requests }) => ({
      cpuMillicores: Math.ceil((requests.cpuMillicores ?? 0) * factor),
      memoryBytes: Math.ceil((requests.memoryBytes ?? 0) * factor),
    })),
  },
);

/** Six nodes of one or several sizes, some of them hardly larger than the template. */
const nodes: fc.Arbitrary<(template: RequestsAndLimits) => readonly LifeNode[]> = fc
  .record({
    sizes: fc.oneof(
      nodeSize.map((size) => Array<NodeSize>(6).fill(size)),
      fc.array(nodeSize, { minLength: 6, maxLength: 6 }),
    ),
    refuses: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('cpu' as const, 'memory' as const) },
    ),
    refusing: fc.integer({ min: 1, max: 6 }),
  })
  .map(
    ({ sizes, refuses, refusing }) =>
      (template) =>
        sizes.map((size, index) => ({
          name: `n${index + 1}`,
          allocatable: size(template),
          ...(refuses === undefined || index >= refusing ? {} : { refuses }),
        })),
  );

const goals = fc.constantFrom('Savings', 'Balanced', 'Safe');

/** Bounds of one resource, in mebibytes or millicores: none, `min`, `max`, or both. */
function bounds(unit: number): fc.Arbitrary<Pick<ResourcePolicy, 'min' | 'max'>> {
  const amount = fc.integer({ min: 20, max: 6_000 }).map((value) => value * unit);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({ min: null, max: null }) },
    { weight: 1, arbitrary: amount.map((max) => ({ min: null, max })) },
    { weight: 1, arbitrary: fc.tuple(amount, amount).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) })) },
  );
}

function resourcePolicies(resource: 'cpu' | 'memory'): fc.Arbitrary<ResourcePolicy> {
  return fc
    .record({
      goal: goals,
      percentile: fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.double({ min: 0.5, max: 1, noNaN: true }) },
      ),
      within: bounds(resource === 'cpu' ? 1 : MiB),
      limit: fc.oneof(
        { weight: 3, arbitrary: fc.constant<LimitPolicy>({ rule: 'Keep', ratio: resource === 'cpu' ? null : 1.25 }) },
        { weight: 1, arbitrary: fc.double({ min: 1, max: 3, noNaN: true }).map((ratio): LimitPolicy => ({ rule: 'Ratio', ratio: ratio })) },
      ),
    })
    .map(({ goal, percentile, within, limit }) => ({ ...defaultResourcePolicy(resource, goal), percentile, ...within, limit }));
}

const policies: fc.Arbitrary<Partial<PolicyRules>> = fc
  .record({
    cpu: resourcePolicies('cpu'),
    memory: resourcePolicies('memory'),
    controlled: fc.constantFrom('requestsAndLimits' as const, 'requestsAndLimits' as const, 'requests' as const),
    pace: fc.constantFrom('Daily' as const, 'Hourly' as const),
  })
  .map(({ pace, ...container }) => ({ pace, container: { mode: null, ...container } }));

/** A ceiling annotation on the workload, above or below `max` of the policy. */
const overrides: fc.Arbitrary<Partial<WorkloadOverrides>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .record({ cpuMillicores: fc.option(fc.integer({ min: 20, max: 6_000 })), mebibytes: fc.option(fc.integer({ min: 20, max: 6_000 })) })
      .map(({ cpuMillicores, mebibytes }) => ({
        ceiling: new Map([['*', { cpuMillicores, memoryBytes: mebibytes === null ? null : mebibytes * MiB }]]),
      })),
  },
);

/** Every kind of autoscaler. */
export const autoscalers: fc.Arbitrary<AutoscalerOptions> = fc.record({
  percent: fc.integer({ min: 30, max: 95 }),
  minReplicas: fc.integer({ min: 1, max: 3 }),
  maxReplicas: fc.integer({ min: 3, max: 6 }),
});

/** Every kind of environment. */
export const options: fc.Arbitrary<LifeOptions> = fc
  .record({
    template: templates,
    replicas: fc.integer({ min: 1, max: 4 }),
    nodes,
    policy: policies,
    overrides,
    kubeletVersion: fc.constantFrom('v1.36.0', 'v1.36.0', 'v1.33.2'),
    autoscaler: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: autoscalers }),
  })
  .map(({ autoscaler, ...others }) => {
    const given = { ...others, nodes: others.nodes(others.template) };
    return autoscaler === undefined ? given : { ...given, autoscaler };
  });

/** Every kind of life; fast-check shrinks a failing one. */
export const lives: fc.Arbitrary<Life> = fc.record({
  options,
  phases: fc.array(phases, { minLength: 1, maxLength: 6 }),
  quiet: fc.record({ cpu: ratio, memory: ratio }),
});

/** The same life on nodes whose kubelets refuse no resize by configuration. A refused resize is retried once a day without end. */
export function resizeOnAllNodes(life: Life): Life {
  const nodes = life.options.nodes.map(({ name, allocatable }) => ({ name, allocatable }));
  return { ...life, options: { ...life.options, nodes } };
}

/** Plays all phases and then a steady end, and passes each tick to `look`. @param quietMs length of the end, in milliseconds */
export function playLife(life: Life, look: (lived: LifeTick, tick: Tick) => void, quietMs: DurationMs = 0): void {
  const played = new WorkloadLife(life.options);
  for (const tick of ticksOf(life, quietMs)) look(played.live(tick), tick);
}

/** The ticks of all phases and then of a steady end. @param quietMs length of the end, in milliseconds */
export function* ticksOf({ options: { template }, phases: all, quiet }: Life, quietMs: DurationMs): Generator<Tick> {
  for (const { hours, cpu: cpuAt, memory: memoryAt, circumstances: circumstancesAt } of all) {
    for (let at = 0; at < hours * TICKS_PER_HOUR; at++) {
      yield {
        ...circumstancesAt(at),
        demand: (index) => ({ cpuMillicores: cpuAt(at, index), memoryBytes: memoryAt(at, index) }),
      };
    }
  }
  const { requests } = template;
  const steady = {
    cpuMillicores: 5 + quiet.cpu * ((requests.cpuMillicores ?? 0) * 0.8),
    memoryBytes: 12 * MiB + quiet.memory * ((requests.memoryBytes ?? 0) * 0.8 - 12 * MiB),
  };
  for (let at = 0; at < quietMs / TICK_MS; at++) yield { demand: () => steady };
}
