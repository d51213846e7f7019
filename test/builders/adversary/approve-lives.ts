// Generates random lives of a workload in mode Approve: what users do in any order, during the worst conditions of `adversary.ts`.

import fc from 'fast-check';
import type { RequestsAndLimits, Resources } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { ResizeMode } from '../../../src/apis/conditions.ts';
import { withAmount, type Values } from '../../../src/core/resize/model/container-values.ts';
import { NO_USER_REQUESTS, type UserRequests } from '../../../src/core/resize/model/situation.ts';
import type { PolicyRules } from '../../../src/core/resize/policy/policy-rules.ts';
import { autoscalers, options, phases, ticksOf, type Life } from './adversary.ts';
import type { AutoscalerOptions } from './life-autoscaler.ts';
import { SIDECAR, WorkloadLife, type LifeSettings, type LifeTick, type Tick, type UserView } from './workload-life.ts';

/** One act of a user, or an event that happens between acts. */
export type UserAct =
  | {
      readonly kind: 'approve' | 'reject';
      /** `older`: the recommendation that the user has seen some acts ago; `again`: the previous request is written again. */
      readonly values: 'present' | 'older' | 'again';
      readonly containers: 'all' | 'main' | typeof SIDECAR;
      readonly part: 'all' | 'requests' | 'cpu' | 'memory';
      readonly factor: number;
      /** Time of the request, relative to the present time. */
      readonly at: DurationMs;
      /** Other requests stay in the Recommendation. */
      readonly keepsOthers: boolean;
    }
  | { readonly kind: 'withdraw' | 'end rejection' | 'resume' | 'restart' }
  | { readonly kind: 'roll back'; readonly keepsOthers: boolean }
  | { readonly kind: 'hold'; readonly hours: number }
  | { readonly kind: 'mode'; readonly by: 'policy' | 'annotation'; readonly mode: ResizeMode | null }
  | { readonly kind: 'container mode'; readonly container: 'main' | typeof SIDECAR; readonly mode: ResizeMode | null }
  | {
      readonly kind: 'bound';
      readonly resource: 'cpu' | 'memory';
      readonly bound: 'min' | 'max' | 'floor' | 'ceiling';
      /** Ratio of the template's request; null: the bound is removed. */
      readonly ratio: number | null;
    }
  | { readonly kind: 'pause' | 'dry run'; readonly on: boolean }
  | { readonly kind: 'autoscaler'; readonly autoscaler: AutoscalerOptions | null }
  | { readonly kind: 'deploy'; readonly factor: number }
  | { readonly kind: 'sidecar'; readonly need: Resources }
  | { readonly kind: 'clock back'; readonly minutes: number }
  | { readonly kind: 'stopped'; readonly days: number };

/** A life with the acts of its users. */
export interface ApproveLife {
  readonly life: Life;
  /** Usage stays below the template's requests, so that no container is killed or throttled. */
  readonly isCalm: boolean;
  readonly acts: readonly { readonly afterTicks: number; readonly act: UserAct }[];
}

const by = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const factors = fc.constantFrom(1, 1, 1, 1, 0.95, 1.05, 1.09, 0.5, 2);
const containers = fc.constantFrom('main' as const, SIDECAR);
const modes = fc.constantFrom<ResizeMode[]>('Approve', 'Approve', 'Approve', 'Auto', 'Recommend', 'Observe', 'Off');
const millicores = fc.integer({ min: 5, max: 2_000 });
const bytes = fc.integer({ min: 16, max: 3_000 }).map((mebibytes) => mebibytes * MiB);
const amounts: fc.Arbitrary<Resources> = fc.record({ cpuMillicores: millicores, memoryBytes: bytes });

function choices(kind: 'approve' | 'reject'): fc.Arbitrary<UserAct> {
  return fc.record({
    kind: fc.constant(kind),
    values: fc.constantFrom('present' as const, 'present' as const, 'present' as const, 'older' as const, 'again' as const),
    containers: fc.constantFrom('all' as const, 'all' as const, 'main' as const, SIDECAR),
    part: fc.constantFrom('all' as const, 'all' as const, 'all' as const, 'requests' as const, 'cpu' as const, 'memory' as const),
    factor: factors,
    at: fc.constantFrom(0, 0, 0, -1 * MINUTE_MS, -1 * DAY_MS, 30 * MINUTE_MS, 2 * HOUR_MS),
    keepsOthers: fc.boolean(),
  });
}

const acts: fc.Arbitrary<UserAct> = fc.oneof(
  by(14, choices('approve')),
  by(2, choices('reject')),
  by(3, fc.constantFrom<UserAct[]>({ kind: 'withdraw' }, { kind: 'end rejection' }, { kind: 'resume' })),
  by(1, fc.constant<UserAct>({ kind: 'restart' })),
  by(3, fc.record({ kind: fc.constant('roll back' as const), keepsOthers: fc.boolean() })),
  by(1, fc.record({ kind: fc.constant('hold' as const), hours: fc.integer({ min: 1, max: 30 }) })),
  by(3, fc.record({ kind: fc.constant('mode' as const), by: fc.constantFrom('policy' as const, 'annotation' as const), mode: modes })),
  by(1, fc.constant<UserAct>({ kind: 'mode', by: 'annotation', mode: null })),
  by(1, fc.record({ kind: fc.constant('container mode' as const), container: containers, mode: fc.option(modes) })),
  by(
    3,
    fc.record({
      kind: fc.constant('bound' as const),
      resource: fc.constantFrom('cpu' as const, 'memory' as const),
      bound: fc.constantFrom('min' as const, 'max' as const, 'floor' as const, 'ceiling' as const),
      ratio: fc.option(fc.constantFrom(0.1, 0.3, 0.5, 0.8, 1, 1.2, 2)),
    }),
  ),
  by(1, fc.record({ kind: fc.constantFrom('pause' as const, 'dry run' as const), on: fc.boolean() })),
  by(1, fc.record({ kind: fc.constant('autoscaler' as const), autoscaler: fc.option(autoscalers) })),
  by(2, fc.record({ kind: fc.constant('deploy' as const), factor: fc.constantFrom(1, 1, 0.6, 0.9, 1.1, 1.5) })),
  by(
    3,
    amounts.map((need): UserAct => ({ kind: 'sidecar', need })),
  ),
  by(1, fc.record({ kind: fc.constant('clock back' as const), minutes: fc.integer({ min: 1, max: 60 }) })),
  by(1, fc.record({ kind: fc.constant('stopped' as const), days: fc.constantFrom(0.2, 1, 7) })),
);

const sidecars: fc.Arbitrary<RequestsAndLimits> = amounts.map((requests) => ({
  requests,
  limits: { cpuMillicores: null, memoryBytes: null },
}));

/** Every kind of life in mode Approve; fast-check shrinks a failing one. */
export const approveLives: fc.Arbitrary<ApproveLife> = fc
  .record({
    given: options,
    isCalm: fc.boolean(),
    sidecar: fc.option(sidecars),
    phases: fc.array(
      phases.map((phase) => ({ ...phase, hours: 1 + (phase.hours % 18) })),
      { minLength: 1, maxLength: 3 },
    ),
    quiet: fc.record({ cpu: fc.double({ min: 0, max: 1, noNaN: true }), memory: fc.double({ min: 0, max: 1, noNaN: true }) }),
    acts: fc.array(
      fc.record({ afterTicks: fc.oneof(by(3, fc.integer({ min: 1, max: 4 })), by(2, fc.integer({ min: 1, max: 40 }))), act: acts }),
      { minLength: 1, maxLength: 25 },
    ),
  })
  .map(({ given, sidecar, isCalm, acts: all, ...others }) => ({
    isCalm,
    life: {
      ...others,
      options: { ...given, policy: { ...given.policy, mode: 'Approve' as const }, ...(sidecar === null ? {} : { sidecar }) },
    },
    // The first hour has no recommendation.
    acts: all.map((each, index) => (index === 0 ? { ...each, afterTicks: each.afterTicks + 14 } : each)),
  }));

/** What one life passes to its checks. */
export type LookAtApproval = (lived: LifeTick, tick: Tick, act: UserAct | null) => void;

/** Plays all phases and then a steady end. @param quietMs length of the end, in milliseconds */
export function playApproveLife({ life, isCalm, acts: all }: ApproveLife, look: LookAtApproval, quietMs: DurationMs = 0): void {
  const played = new WorkloadLife(life.options);
  const user = new LifeUser();
  let [next, wait] = [0, all[0]?.afterTicks ?? 0];
  const { sidecar } = life.options;
  for (const tick of ticksOf(life, quietMs)) {
    const acted = wait === 0 ? (all[next]?.act ?? null) : null;
    wait -= 1;
    if (acted !== null) {
      next += 1;
      wait = all[next]?.afterTicks ?? -1;
    }
    const full: Tick = {
      ...(sidecar === undefined ? {} : { sidecar: halfOf(sidecar.requests) }),
      ...tick,
      ...(isCalm ? { demand: (index) => lesser(tick.demand(index), life.options.template) } : {}),
      ...eventOf(acted),
      users: (view) => user.act(acted, view, life.options.template),
    };
    look(played.live(full), full, acted);
  }
}

/** At most 90 % of the requests. */
function lesser({ cpuMillicores, memoryBytes }: Resources, { requests }: RequestsAndLimits): Resources {
  return {
    cpuMillicores: Math.min(cpuMillicores, (requests.cpuMillicores ?? 0) * 0.9),
    memoryBytes: Math.min(memoryBytes, (requests.memoryBytes ?? 0) * 0.9),
  };
}

function halfOf({ cpuMillicores, memoryBytes }: RequestsAndLimits['requests']): Resources {
  return { cpuMillicores: Math.ceil((cpuMillicores ?? 0) / 2), memoryBytes: Math.ceil((memoryBytes ?? 0) / 2) };
}

/** The part of an act that is an event of the cluster. */
function eventOf(act: UserAct | null): Omit<Tick, 'demand'> {
  switch (act?.kind) {
    case 'restart':
      return { restart: 'with store' };
    case 'deploy':
      return { deploy: act.factor };
    case 'clock back':
      return { clockBackMs: act.minutes * MINUTE_MS };
    case 'stopped':
      return { stoppedMs: act.days * DAY_MS, restart: 'with store' };
    default:
      return {};
  }
}

/** A user who remembers the recommendations of the last acts. */
class LifeUser {
  #seen: readonly Values[] = [];

  act(act: UserAct | null, view: UserView, template: RequestsAndLimits): Partial<LifeSettings> {
    if (act === null) return {};
    const { settings, now } = view;
    const { userRequests, policy, overrides } = settings;
    this.#see(view);
    switch (act.kind) {
      case 'approve':
      case 'reject':
        return this.#choose(act, view);
      case 'withdraw':
        return { userRequests: { ...userRequests, approved: null } };
      case 'end rejection':
        return { userRequests: { ...userRequests, rejected: null } };
      case 'roll back':
        return { userRequests: { ...(act.keepsOthers ? userRequests : NO_USER_REQUESTS), rollback: { at: now, by: 'ann' } } };
      case 'hold':
        return { overrides: { ...overrides, heldUntil: now + act.hours * HOUR_MS } };
      case 'resume':
        return { overrides: { ...overrides, heldUntil: now } };
      case 'mode':
        if (act.by === 'annotation') return { overrides: { ...overrides, mode: act.mode } };
        // Only the annotation or a container can have mode Off.
        return { policy: { ...policy, mode: act.mode === null || act.mode === 'Off' ? 'Approve' : act.mode } };
      case 'container mode':
        return { policy: withContainerMode(policy, act.container, act.mode) };
      case 'bound':
        return withBound(settings, act, template);
      case 'pause':
        return { policy: { ...policy, paused: act.on } };
      case 'dry run':
        return { policy: { ...policy, dryRun: act.on } };
      case 'autoscaler':
        return { autoscaler: act.autoscaler };
      default:
        return {};
    }
  }

  #see({ decision }: UserView): void {
    const shown = new Map((decision?.containers ?? []).flatMap(({ name, target }) => (target === null ? [] : [[name, target] as const])));
    if (shown.size > 0) this.#seen = [shown, ...this.#seen].slice(0, 6);
  }

  #choose(act: UserAct & { kind: 'approve' | 'reject' }, { settings: { userRequests }, now }: UserView): Partial<LifeSettings> {
    const field = act.kind === 'approve' ? 'approved' : 'rejected';
    const shown = act.values === 'older' ? this.#seen.at(-1) : this.#seen[0];
    const again = act.values === 'again' ? userRequests[field] : null;
    const values = again?.values ?? partOf(shown ?? new Map(), act);
    if (values.size === 0) return {};
    const at: Instant = again?.at ?? now + act.at;
    const others: UserRequests = act.keepsOthers ? userRequests : { ...userRequests, approved: null, rejected: null };
    return { userRequests: { ...others, [field]: { at, by: 'ann', values } } };
  }
}

function partOf(shown: Values, act: UserAct & { kind: 'approve' | 'reject' }): Values {
  const none = { cpuMillicores: null, memoryBytes: null };
  const times = (amount: number | null): number | null => (amount === null ? null : Math.max(1, Math.round(amount * act.factor)));
  const ofPart = (amounts: RequestsAndLimits['requests']): RequestsAndLimits['requests'] => ({
    cpuMillicores: act.part === 'memory' ? null : times(amounts.cpuMillicores),
    memoryBytes: act.part === 'cpu' ? null : times(amounts.memoryBytes),
  });
  return new Map(
    [...shown]
      .filter(([name]) => act.containers === 'all' || act.containers === name)
      .map(([name, { requests, limits }]) => [
        name,
        { requests: ofPart(requests), limits: act.part === 'requests' ? none : ofPart(limits) },
      ]),
  );
}

function withContainerMode(policy: PolicyRules, container: string, mode: ResizeMode | null): PolicyRules {
  if (container === 'main') return { ...policy, container: { ...policy.container, mode } };
  return { ...policy, exceptions: mode === null ? [] : [{ name: { text: container }, policy: { ...policy.container, mode } }] };
}

function withBound(
  { policy, overrides }: LifeSettings,
  { resource, bound, ratio }: UserAct & { kind: 'bound' },
  template: RequestsAndLimits,
): Partial<LifeSettings> {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const value = ratio === null ? null : Math.max(20, Math.round((template.requests[field] ?? 0) * ratio));
  if (bound === 'floor' || bound === 'ceiling') {
    const before = overrides[bound].get('*') ?? { cpuMillicores: null, memoryBytes: null };
    const other = overrides[bound === 'floor' ? 'ceiling' : 'floor'].get('*')?.[field] ?? null;
    // A floor above the ceiling is an invalid annotation, which blocks the workload.
    if (value !== null && other !== null && (bound === 'floor' ? value > other : value < other)) return {};
    return { overrides: { ...overrides, [bound]: new Map([['*', withAmount(before, resource, value)]]) } };
  }
  const { container } = policy;
  const rules = { ...container[resource], [bound]: value };
  if (rules.min !== null && rules.max !== null && rules.min > rules.max) return {};
  return { policy: { ...policy, container: { ...container, [resource]: rules } } };
}
